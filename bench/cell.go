package bench

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/structures/catalog"
)

// cellRun runs one workload at one size on all contenders, interleaved.
type cellRun struct {
	workload Workload
	n        int
	seed     uint64
	trials   int
	clock    Clock

	rows  []*contender
	order *Rand // of the contenders within a round
	warm  *Block
	timed *Block

	resident float64
	blocks   int
}

// mode is how a block is timed.
type mode int

const (
	modeCost    mode = iota // whole, no clock read inside
	modeByKind              // the clock read once per batch of operations
	modeLatency             // single calls stamped
)

// modes returns the trials of a round. A block that is a whole cycle has a few
// long batches, and is long itself: the time by kind then is the time of the
// whole as well, and a quarter of the rounds give samples enough.
func (c *cellRun) modes(round int) []mode {
	switch {
	case !c.workload.cyclic:
		return []mode{modeCost, modeByKind, modeLatency}
	case round%4 == 0:
		return []mode{modeByKind, modeLatency}
	}
	return []mode{modeByKind}
}

// run measures the cell. Each trial is a block of the script; within a trial the
// contenders replay the very same block, in random order, and each is held
// against the generator's account before its time counts.
func (c *cellRun) run(ctx context.Context, entries []catalog.Entry) (Cell, error) {
	c.order = dist.NewRand(c.seed, ^streamOf(c.workload.Name, c.n))
	c.rows = contenders(entries, c.workload)
	defer c.stop()

	s := newScript(c.workload, c.n, c.seed)
	fill := s.fill()
	for _, row := range c.rows {
		if err := ctx.Err(); err != nil {
			return Cell{}, err
		}
		row.populate(fill)
		if err := c.check(row, fill); err != nil {
			return Cell{}, err
		}
	}

	for round := range c.trials {
		for _, m := range c.modes(round) {
			if err := c.trial(ctx, s, m, round); err != nil {
				return Cell{}, err
			}
		}
	}
	return c.result(), nil
}

// weight guesses at how long the cell takes, in operations a structure; those on
// large populations miss the cache.
func (c *cellRun) weight() float64 {
	const cached = 20_000
	ops := c.n + c.trials*3*blockSize(c.n)*5/4
	if c.workload.cyclic {
		ops = c.n + c.trials*5/4*max(2*c.n, blockSize(c.n))
	}
	return float64(ops) * (1 + 3*float64(c.n)/float64(c.n+cached))
}

// trial replays a short block to warm the caches, then a timed one. A whole cycle
// is warm for the most part of itself.
func (c *cellRun) trial(ctx context.Context, s *script, m mode, round int) error {
	size := blockSize(c.n)
	if !c.workload.cyclic {
		c.warm = s.next(size/4, c.warm)
	}
	c.timed = s.next(size, c.timed)
	c.blocks++
	c.resident += c.timed.Resident
	for _, i := range c.shuffled() {
		if err := ctx.Err(); err != nil {
			return err
		}
		row := c.rows[i]
		if c.warm != nil {
			row.whole(c.warm)
		}
		c.time(row, m, round)
		if err := c.check(row, c.timed); err != nil {
			return err
		}
	}
	return nil
}

// time replays the timed block. The collector is off meanwhile, so that garbage
// of one structure is not charged to another; what each allocates is counted.
func (c *cellRun) time(row *contender, m mode, round int) {
	b := c.timed
	row.reserve(b)
	percent := debug.SetGCPercent(-1)
	defer debug.SetGCPercent(percent)
	var before, after runtime.MemStats
	trial := Trial{Round: round, Ops: b.Calls, Wakes: b.Pops, Units: b.Units(c.workload.unit())}
	runtime.ReadMemStats(&before)
	switch m {
	case modeCost:
		trial.NS = float64(row.whole(b))
	case modeByKind:
		trial.Kinds = row.byKind(b, c.clock)
		for _, k := range trial.Kinds {
			trial.NS += k.NS
		}
	case modeLatency:
		row.sampled(b, row.samples)
		return
	}
	runtime.ReadMemStats(&after)
	trial.Allocs = after.Mallocs - before.Mallocs
	trial.AllocBytes = after.TotalAlloc - before.TotalAlloc
	if m == modeByKind {
		row.row.ByKind = append(row.row.ByKind, trial)
	}
	if m == modeCost || c.workload.cyclic {
		trial.Kinds = nil
		row.row.Cost = append(row.row.Cost, trial)
	}
}

// check makes sure that no number counts without its proof.
func (c *cellRun) check(row *contender, b *Block) error {
	proof, err := row.replayer.check(b.Want)
	if err != nil {
		return fmt.Errorf("%s fails the proof on %s, n %d, seed %d, block %d: %w",
			row.row.Structure, c.workload.Name, c.n, c.seed, c.blocks, err)
	}
	row.row.Proof = proof
	return nil
}

// shuffled returns the indices of the rows in random order.
func (c *cellRun) shuffled() []int {
	order := make([]int, len(c.rows))
	for i := range order {
		j := c.order.IntN(i + 1)
		order[i], order[j] = order[j], i
	}
	return order
}

func (c *cellRun) result() Cell {
	want := c.timed.Want
	cell := Cell{
		Workload: c.workload.Name,
		N:        c.n,
		Resident: c.resident / float64(c.blocks),
		Unit:     c.workload.unit(),
		TickNS:   int64(c.workload.Tick),
	}
	if done := want.Cancelled + want.Fired; done > 0 {
		cell.CancelRate = float64(want.Cancelled) / float64(done)
	}
	for _, row := range c.rows {
		row.row.Latency = row.samples.summary()
		cell.Rows = append(cell.Rows, row.row)
	}
	return cell
}

// stop ends what outlives the cell.
func (c *cellRun) stop() {
	for _, row := range c.rows {
		if row.replayer == nil {
			continue
		}
		if g, ok := row.s.(*goTimers); ok {
			g.stop()
		}
	}
}
