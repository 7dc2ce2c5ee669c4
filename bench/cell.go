package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/external"
	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/internal/turns"
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/entry"
)

// cell says what a cell is, one workload at one size, and how it is measured.
type cell struct {
	workload   workload.Workload
	n          int
	seed       uint64
	otherSeeds int // on which it is proved besides, untimed
	trials     int // rounds that every contender gets
	perPass    int // rounds of a pass
	clock      replay.Clock
	proveOps   int // minimum number of operations whose every answer is checked
	open       func(context.Context, cell) (source, error)
	withGC     bool    // add a pass with the garbage collector on
	tooSlow    float64 // leave out what took so many times as long as the best among fewer timers; 0: nothing
	headline   bool    // stands for its workload in the report, see Config.headline
	turns      *Turns  // see Config; nil: none
	lean       bool    // time lean loops
	apart      bool    // measure one structure after the other, as the memory does not hold all
	external   []*external.Program
	budgeted   bool // every contender gets one pass, and more where a question is open, see agenda
}

// common returns the number of passes that every contender gets.
func (c cell) common() int {
	if c.budgeted {
		return 1
	}
	return c.passes()
}

// passes returns the number of passes that have the rounds that were asked for.
func (c cell) passes() int { return max(1, (c.trials+c.perPass-1)/c.perPass) }

func (c cell) name() string { return cellName(c.workload.Name, c.n) }

// where says what is replayed, in failures.
func (c cell) where() string { return fmt.Sprintf("%s, seed %d", c.name(), c.seed) }

func cellName(workload string, n int) string { return fmt.Sprintf("%s, n %d", workload, n) }

func (c cell) cyclic() bool { return c.workload.Kind().Cyclic }

// measured is what was measured of a cell in the passes so far. Between two passes it holds
// no structure. A contender that fails is removed from rows and added to failed.
type measured struct {
	cell    cell
	rows    []*contender
	leftOut []string // structures, see leaveOut
	failed  []results.Failure
	order   *script.Rand // shuffles the contenders
	proofs  []results.SeedProof

	passes  int           // so far
	rounds  int           // so far
	seconds float64       // of all passes
	took    time.Duration // the last pass

	timedBlocks int
	residents   float64 // sum of the mean resident timers of the timed blocks

	last   int     // when its last pass was, counted in passes of all cells
	spent  float64 // seconds that count, see agenda
	stored int     // failures that are in the results
}

func (c cell) begun(entries []entry.Entry) *measured {
	m := &measured{
		cell:  c,
		rows:  c.contenders(entries),
		order: dist.NewRand(c.seed, ^workload.StreamOf(c.workload.Name, c.n)),
	}
	if c.turns != nil {
		m.rows = slices.DeleteFunc(m.rows, func(r *contender) bool {
			return r.Role == results.RoleBaseline
		})
	} else if c.passes() == 1 && !c.budgeted && len(entries) > 0 && !c.apart {
		m.addControl(referenceOf(entries)) // nothing is known of the cell
	}
	return m
}

// measure returns the cell after the passes that every contender gets, and proved on the
// other seeds.
func (c cell) measure(ctx context.Context, entries []entry.Entry) (*measured, error) {
	groups := [][]entry.Entry{entries}
	if c.apart {
		groups = slices.Collect(slices.Chunk(entries, 1))
	}
	var all *measured
	for _, group := range groups {
		m := c.begun(group)
		if err := m.everybody(ctx); err != nil {
			return nil, err
		}
		if all == nil {
			all = m
			continue
		}
		all.seconds += m.seconds
		all.failed = append(all.failed, m.failed...)
		for _, r := range m.rows {
			if r.Role == results.RoleStructure {
				all.rows = append(all.rows, r)
			}
		}
	}
	return all, all.proveOtherSeeds(ctx, entries)
}

// everybody runs the passes that every contender gets. In the first one every answer is
// proved.
func (m *measured) everybody(ctx context.Context) error {
	c := m.cell
	for m.passes < c.common() || c.turns != nil && m.rounds < c.turns.Rounds {
		for _, r := range m.rows {
			if r.samples == nil {
				r.samples = replay.NewLatencies()
			}
		}
		if err := m.pass(ctx); err != nil {
			return err
		}
		if m.passes == 1 && (c.passes() > 1 || c.budgeted) && c.turns == nil {
			m.addControl(m.fastest())
		}
	}
	for _, r := range m.rows {
		if r.samples != nil { // the control of a single pass has none
			r.Latency = r.samples.Summary()
			r.samples = nil // takes 700 kB
		}
	}
	return nil
}

// pass measures all contenders that are in the race on fresh instances.
func (m *measured) pass(ctx context.Context) error {
	started := time.Now()
	rounds := m.cell.perPass
	if m.rounds < m.cell.trials {
		rounds = min(rounds, m.cell.trials-m.rounds)
	}
	p, err := m.cell.begin(ctx, m.passes, m.racing(), m.order)
	if err != nil {
		return err
	}
	defer p.end()
	if err := p.firstBlock(ctx); err != nil {
		return err
	}
	if err := p.run(ctx, rounds); err != nil {
		return err
	}
	if m.passes == m.cell.common()-1 { // the last pass in which everybody takes part
		for _, r := range p.rows {
			r.Proof = r.instance.Proof
		}
	}
	m.passes++
	m.rounds += rounds
	m.timedBlocks += p.timedBlocks
	m.residents += p.residents
	m.fail(p.failed)
	m.took = time.Since(started)
	m.seconds += m.took.Seconds()
	return nil
}

// passWithGC adds the trials with the garbage collector on. They repeat the rounds of the
// first pass on fresh instances.
func (m *measured) passWithGC(ctx context.Context) error {
	started := time.Now()
	c := m.cell
	rows := slices.DeleteFunc(m.racing(), func(r *contender) bool { return r.program != nil })
	p, err := c.begin(ctx, 0, rows, m.order)
	if err != nil {
		return err
	}
	defer p.end()
	p.collect = true
	if err := p.replayNext(ctx, p.plan.prove); err != nil {
		return err
	}
	defer newProgramHeap(c.n).collectAllTheTime()()
	if err := p.run(ctx, min(c.perPass, c.trials)); err != nil {
		return err
	}
	m.fail(p.failed)
	m.seconds += time.Since(started).Seconds()
	return nil
}

func (m *measured) proveOtherSeeds(ctx context.Context, entries []entry.Entry) error {
	c := m.cell
	for range c.otherSeeds {
		c.seed++
		proof, failed, err := c.proveSeed(ctx, entries)
		if err != nil {
			return err
		}
		m.fail(failed)
		m.proofs = append(m.proofs, proof)
	}
	return nil
}

// untimed begins a pass and replays as many blocks as a cell has rounds without timing them. With
// prove, every answer of a first block is checked besides.
func (c cell) untimed(ctx context.Context, entries []entry.Entry, prove bool) (*pass, error) {
	p, err := c.begin(ctx, 0, c.contenders(entries), nil)
	if err != nil {
		return nil, err
	}
	if prove {
		err = p.firstBlock(ctx)
	}
	for i := 0; i < c.trials && err == nil; i++ {
		err = p.replayNext(ctx, p.plan.block)
	}
	if err != nil {
		p.end()
	}
	return p, err
}

// proveSeed replays the cell without timing it. All contenders must agree with the generator
// on the seed of c.
func (c cell) proveSeed(ctx context.Context, entries []entry.Entry) (
	proof results.SeedProof, failed []results.Failure, err error,
) {
	p, err := c.untimed(ctx, entries, false)
	if err != nil {
		return proof, nil, err
	}
	defer p.end()
	floor := p.rows[0].instance.Proof
	proof = results.SeedProof{Seed: c.seed, Proof: floor, Rows: len(p.rows)}
	for _, r := range p.rows {
		if r.instance.Proof == floor {
			proof.Agree++
		}
	}
	return proof, p.failed, nil
}

// racing returns the contenders of the next pass, in random order. Go's own timers get
// no more rounds than everybody.
func (m *measured) racing() []*contender {
	everybody := m.passes < m.cell.passes()
	in := slices.DeleteFunc(slices.Clone(m.rows), func(r *contender) bool {
		return r.Stopped != results.StoppedDone || r.Role == results.RoleBaseline && !everybody
	})
	return turns.Shuffled(m.order, in)
}

func (m *measured) addControl(of string) {
	for _, r := range m.rows {
		if r.Structure == of {
			m.rows = append(m.rows, controlOf(r.entry))
			return
		}
	}
}

// fastest returns the structure with the least time so far, or "" if there is none.
func (m *measured) fastest() string {
	best, least := "", 0.0
	for _, r := range m.rows {
		sum := 0.0
		for _, t := range r.Cost {
			sum += t.NS
		}
		if r.Role == results.RoleStructure && (best == "" || sum < least) {
			best, least = r.Structure, sum
		}
	}
	return best
}

// fail adds failures and removes the structures that failed, and the controls that did. A
// structure that fails in any pass or on any seed has no row.
func (m *measured) fail(failed []results.Failure) {
	m.failed = append(m.failed, failed...)
	m.rows = slices.DeleteFunc(m.rows, func(r *contender) bool {
		return slices.ContainsFunc(failed, func(f results.Failure) bool {
			return f.Structure == r.Structure || f.Structure == r.Of
		})
	})
}

// store puts the cell into the results, and the failures that are not there yet. A cell in
// which no structure is left is left out.
func (m *measured) store(out *results.Run) {
	out.Failures = append(out.Failures, m.failed[m.stored:]...)
	m.stored = len(m.failed)
	at := slices.IndexFunc(out.Cells, func(old results.Cell) bool {
		return old.Workload == m.cell.workload.Name && old.N == m.cell.n
	})
	if at < 0 {
		at = len(out.Cells)
	}
	var cell []results.Cell
	if slices.ContainsFunc(m.rows, func(r *contender) bool { return r.Role == results.RoleStructure }) {
		cell = append(cell, m.result())
	}
	out.Cells = slices.Replace(out.Cells, at, min(at+1, len(out.Cells)), cell...)
}

func (m *measured) result() results.Cell {
	c := m.cell
	out := results.Cell{
		Workload:   c.workload.Name,
		Category:   string(c.workload.Category),
		N:          c.n,
		Resident:   m.residents / float64(m.timedBlocks),
		Unit:       c.workload.CostUnit(),
		TickNS:     int64(c.workload.Tick),
		Seconds:    m.seconds,
		Apart:      c.apart,
		LeftOut:    m.leftOut,
		OtherSeeds: m.proofs,
		Common:     c.common(),
	}
	if g := c.workload.Grid; g != nil {
		out.Grid = &results.Grid{Delays: g.Delays, CancelPercent: g.CancelPercent}
	}
	proof := m.rows[0].Proof // of the floor
	if done := proof.Cancelled + proof.Fired; done > 0 {
		out.CancelRate = float64(proof.Cancelled) / float64(done)
	}
	for _, r := range m.rows {
		if len(r.Cost) > 0 { // a control may have had no time yet
			out.Rows = append(out.Rows, r.Row)
		}
	}
	return out
}
