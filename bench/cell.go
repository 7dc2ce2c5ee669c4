package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

// cellConfig describes a cell: one workload at one size.
type cellConfig struct {
	workload  workload.Workload
	n         int
	seed      uint64
	trials    int // rounds that every contender gets
	perPass   int // rounds of a pass
	clock     Clock
	proveOps  int // minimum number of operations whose every answer is checked
	open      func(context.Context, cellConfig) (source, error)
	layout    int     // of the program, see results.Trial
	memory    bool    // measure the memory of the structures after the fill
	withGC    bool    // add a pass with the garbage collector on
	hopeless  float64 // leave out what took so many times as long as the best among fewer timers; 0: nothing
	reference string  // a structure that gets all rounds; empty: none
	headline  bool    // stands for its workload in the report, see stepsOf
	turns     *Turns  // see Config; nil: none
	lean      bool    // time lean loops, see lean.go
	apart     bool    // measure one structure after the other, as the memory does not hold all
}

// passes returns the number of passes that every contender gets.
func (c cellConfig) passes() int { return max(1, (c.trials+c.perPass-1)/c.perPass) }

func (c cellConfig) name() string { return fmt.Sprintf("%s, n %d", c.workload.Name, c.n) }

// cellRun runs a cell in passes and keeps what was measured. Between two passes it holds
// no structure. A contender that fails is removed from rows and added to failed.
type cellRun struct {
	cellConfig
	rows    []*contender
	leftOut []string // structures, see leaveOut
	failed  []results.Failure
	order   *script.Rand // shuffles the contenders

	done    int           // passes so far
	rounds  int           // rounds so far
	seconds float64       // of all passes
	took    time.Duration // the last pass

	residentSum float64 // sum of the mean resident timers of the timed blocks
	timedBlocks int     // number of timed blocks so far
}

// newCell returns a cell in which nobody has run.
func (c cellConfig) newCell(entries []catalog.Entry) *cellRun {
	r := &cellRun{
		cellConfig: c,
		rows:       c.contenders(entries),
		order:      dist.NewRand(c.seed, ^workload.StreamOf(c.workload.Name, c.n)+uint64(c.layout)),
	}
	if c.turns != nil {
		r.rows = slices.DeleteFunc(r.rows, func(row *contender) bool { return row.row.Role == results.RoleBaseline })
	} else if c.passes() == 1 && len(entries) > 0 && !c.apart {
		r.addControl(referenceOf(entries)) // nothing is known of the cell
	}
	return r
}

// measured returns the cell after the passes that every contender gets.
func (c cellConfig) measured(ctx context.Context, entries []catalog.Entry) (*cellRun, error) {
	if !c.apart {
		r := c.newCell(entries)
		return r, r.measure(ctx)
	}
	var all *cellRun
	for _, e := range entries {
		r := c.newCell([]catalog.Entry{e})
		if err := r.measure(ctx); err != nil {
			return nil, err
		}
		if all == nil {
			all = r
			continue
		}
		all.seconds += r.seconds
		all.failed = append(all.failed, r.failed...)
		for _, row := range r.rows {
			if row.row.Role == results.RoleStructure {
				all.rows = append(all.rows, row)
			}
		}
	}
	return all, nil
}

// measure runs the passes that every contender gets. In the first one every answer is
// proved. A contender that fails in any pass is removed, and the others continue.
func (c *cellRun) measure(ctx context.Context) error {
	for c.done < c.passes() || c.turns != nil && c.rounds < c.turns.Rounds {
		for _, row := range c.rows {
			if row.samples == nil {
				row.samples = newLatencies()
			}
		}
		if err := c.runPass(ctx); err != nil {
			return err
		}
		if c.done == 1 && c.passes() > 1 && c.turns == nil {
			c.addControl(c.fastest())
		}
	}
	for _, row := range c.rows {
		row.row.Latency = row.samples.summary()
		row.samples = nil // takes 700 kB
	}
	return nil
}

// runPass measures all contenders that are in the race on fresh instances.
func (c *cellRun) runPass(ctx context.Context) error {
	started := time.Now()
	rounds := c.perPass
	if c.rounds < c.trials {
		rounds = min(rounds, c.trials-c.rounds)
	}
	p, err := c.begin(ctx, c.racing())
	if err != nil {
		return err
	}
	defer p.end()
	p.hardware = openHardware()
	defer p.hardware.close()
	if err := p.firstBlock(ctx); err != nil {
		return err
	}
	for round := range rounds {
		if err := p.run(ctx, round); err != nil {
			return err
		}
	}
	if err := p.finish(ctx); err != nil {
		return err
	}
	if c.done == c.passes()-1 { // the last pass in which everybody takes part
		for _, row := range p.rows {
			row.row.Proof = row.proof
		}
	}
	c.done++
	c.rounds += rounds
	c.took = time.Since(started)
	c.seconds += c.took.Seconds()
	return nil
}

// runGC adds the trials with the garbage collector on. They repeat the rounds of the
// first pass on fresh instances.
func (c *cellRun) runGC(ctx context.Context) error {
	started := time.Now()
	p, err := c.begin(ctx, c.racing())
	if err != nil {
		return err
	}
	defer p.end()
	p.number, p.collect = 0, true
	if err := p.replayNext(ctx, p.plan.prove); err != nil {
		return err
	}
	heap := newProgramHeap(c.n)
	defer heap.collectAllTheTime()()
	for round := range min(c.perPass, c.trials) {
		if err := p.run(ctx, round); err != nil {
			return err
		}
	}
	if err := p.finish(ctx); err != nil {
		return err
	}
	c.seconds += time.Since(started).Seconds()
	return nil
}

// proveSeed replays the cell without timing it. All contenders must agree with the
// generator on the seed of c. The number of blocks is that of the rounds of a cell.
func (c cellConfig) proveSeed(ctx context.Context, entries []catalog.Entry) (results.SeedProof, []results.Failure, error) {
	r := &cellRun{cellConfig: c, rows: c.contenders(entries)}
	p, err := r.begin(ctx, r.rows)
	if err != nil {
		return results.SeedProof{}, nil, err
	}
	defer p.end()
	for range c.trials {
		if err := p.replayNext(ctx, p.plan.block); err != nil {
			return results.SeedProof{}, r.failed, err
		}
	}
	proof := results.SeedProof{Seed: c.seed, Proof: p.rows[0].proof, Rows: len(p.rows)} // of the floor
	for _, row := range p.rows {
		if row.proof == proof.Proof {
			proof.Agree++
		}
	}
	return proof, r.failed, nil
}

// racing returns the contenders of the next pass, in random order. Go's own timers get
// no more rounds than everybody.
func (c *cellRun) racing() []*contender {
	in := slices.DeleteFunc(slices.Clone(c.rows), func(row *contender) bool {
		return row.row.Stopped != results.StoppedDone || row.row.Role == results.RoleBaseline && c.done >= c.passes()
	})
	for i := range in {
		j := c.order.IntN(i + 1)
		in[i], in[j] = in[j], in[i]
	}
	return in
}

// addControl adds a second instance of a structure.
func (c *cellRun) addControl(of string) {
	for _, row := range c.rows {
		if row.row.Structure == of {
			c.rows = append(c.rows, controlOf(row.entry))
			return
		}
	}
}

// fastest returns the structure with the least time so far, or "" if there is none.
func (c *cellRun) fastest() string {
	best, least := "", 0.0
	for _, row := range c.rows {
		sum := 0.0
		for _, t := range row.row.Cost {
			sum += t.NS
		}
		if row.row.Role == results.RoleStructure && (best == "" || sum < least) {
			best, least = row.row.Structure, sum
		}
	}
	return best
}

// remove removes a contender that failed.
func (c *cellRun) remove(row *contender, err error) {
	c.failed = append(c.failed, results.Failure{
		Structure: row.row.Structure, Where: fmt.Sprintf("%s, seed %d, block %d", c.name(), c.seed, c.timedBlocks), Reason: err.Error(),
	})
	c.rows = slices.DeleteFunc(c.rows, func(r *contender) bool { return r == row })
}

// fail removes the structures of failures on another seed. A structure that fails on any
// seed has no row.
func (c *cellRun) fail(failed []results.Failure) {
	c.failed = append(c.failed, failed...)
	c.rows = slices.DeleteFunc(c.rows, func(row *contender) bool {
		return failedIn(failed, row.entry)
	})
}

func (c *cellRun) result() results.Cell {
	cell := results.Cell{
		Workload: c.workload.Name,
		Category: string(c.workload.Category),
		N:        c.n,
		Resident: c.residentSum / float64(c.timedBlocks),
		Unit:     c.workload.CostUnit(),
		TickNS:   int64(c.workload.Tick),
		Seconds:  c.seconds,
		Apart:    c.apart,
		LeftOut:  c.leftOut,
	}
	if g := c.workload.Grid; g != nil {
		cell.Grid = &results.Grid{Delays: g.Delays, CancelPercent: g.CancelPercent}
	}
	proof := c.rows[0].row.Proof // of the floor
	if done := proof.Cancelled + proof.Fired; done > 0 {
		cell.CancelRate = float64(proof.Cancelled) / float64(done)
	}
	for _, row := range c.rows {
		row.row.Counters = row.counted.perUnit()
		cell.Rows = append(cell.Rows, row.row)
	}
	return cell
}
