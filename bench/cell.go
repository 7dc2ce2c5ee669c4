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

	rows   []*contender
	order  *Rand    // of the contenders within a round
	memory []*Block // of the round before, to be used again

	resident float64 // sum over the timed blocks
	blocks   int     // timed blocks
	last     Proof   // what must have come of them all
}

// mode is what a block is replayed for.
type mode int

const (
	modeWarm    mode = iota // to fill the caches; not timed
	modeCost                // timed whole, no clock read inside
	modeByKind              // the clock read once per batch of operations
	modeLatency             // single calls stamped
)

// modes returns the blocks of a round. A block that is a whole cycle has a few
// long batches, and is long itself: it is warm for the most part, the time by
// kind is the time of the whole as well, and a quarter of the rounds give samples
// enough.
func (c *cellRun) modes(round int) []mode {
	switch {
	case !KindOf(c.workload.Model).cyclic:
		return []mode{modeWarm, modeCost, modeByKind, modeLatency}
	case round%4 == 0:
		return []mode{modeByKind, modeLatency}
	}
	return []mode{modeByKind}
}

// run measures the cell. Each trial is a block of the script; within a round the
// contenders replay the very same blocks, in random order, and each is held
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
		if err := c.round(ctx, s, round); err != nil {
			return Cell{}, err
		}
	}
	return c.result(), nil
}

// round is one trial of each kind. Each contender in turn replays the blocks of
// the round, the first one to fill the caches, which the contender before has
// filled with its own.
func (c *cellRun) round(ctx context.Context, s *script, round int) error {
	modes := c.modes(round)
	for len(c.memory) < len(modes) {
		c.memory = append(c.memory, nil)
	}
	for i, m := range modes {
		if m == modeWarm {
			c.memory[i] = s.next(warmSize(c.n), c.memory[i])
			continue
		}
		c.memory[i] = s.next(blockSize(c.workload, c.n), c.memory[i])
		c.blocks++
		c.resident += c.memory[i].Resident
		c.last = c.memory[i].Want
	}
	for _, i := range c.shuffled() {
		for j, m := range modes {
			if err := ctx.Err(); err != nil {
				return err
			}
			c.replay(c.rows[i], c.memory[j], m, round)
			if err := c.check(c.rows[i], c.memory[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// weight guesses at how long the cell takes, in operations a structure; those on
// large populations miss the cache.
func (c *cellRun) weight() float64 {
	const cached = 20_000
	ops := c.n + c.trials*(3*blockSize(c.workload, c.n)+warmSize(c.n))
	if KindOf(c.workload.Model).cyclic {
		ops = c.n + c.trials*5/4*max(2*c.n, blockSize(c.workload, c.n))
	}
	return float64(ops) * (1 + 3*float64(c.n)/float64(c.n+cached))
}

// replay replays a block and keeps what it took. The collector is off meanwhile, so that garbage
// of one structure is not charged to another; what each allocates is counted.
func (c *cellRun) replay(row *contender, b *Block, m mode, round int) {
	row.reserve(b)
	percent := debug.SetGCPercent(-1)
	defer debug.SetGCPercent(percent)
	var before, after runtime.MemStats
	trial := Trial{Round: round, Ops: b.Calls, Wakes: b.Pops, Units: b.Units(c.workload.unit())}
	runtime.ReadMemStats(&before)
	switch m {
	case modeWarm:
		row.whole(b)
		return
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
	if m == modeCost || KindOf(c.workload.Model).cyclic {
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
	want := c.last
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

// stop ends what would outlive the cell, and lets go of all structures: the
// collector goes through what is left of one cell while the next is measured.
func (c *cellRun) stop() {
	for _, row := range c.rows {
		if row.replayer == nil {
			continue
		}
		if g, ok := row.s.(*goTimers); ok {
			g.stop()
		}
	}
	c.rows, c.memory = nil, nil
}
