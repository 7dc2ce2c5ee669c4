package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/internal/gotimer"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

// cellRun runs one workload at one size on all contenders, interleaved.
type cellRun struct {
	workload workload.Workload
	n        int
	seed     uint64
	trials   int
	clock    Clock
	source   func() (source, error) // nil: the script of the workload

	otherSeeds int // how many to prove it on besides

	pace   pace
	rows   []*contender
	order  *script.Rand    // of the contenders within a round
	memory []*script.Block // of the round before, to be used again

	resident float64      // sum over the timed blocks
	timed    int          // blocks that count, so far
	last     script.Proof // what must have come of all blocks
}

// source is where the blocks of a cell come from.
type source interface {
	// pace says how much to replay in each of so many rounds.
	pace(n, rounds int) pace
	// keys returns how many keys the blocks of populate need.
	keys() int
	// populate gives do the blocks that fill a structure, each time the same. A
	// block holds until do returns.
	populate(do func(*script.Block) error) error
	// follow returns a block of at least size operations, if there are as many, in
	// the memory of reuse. The first follows what populate gave last. At the end the
	// error is io.EOF.
	follow(size int, reuse *script.Block) (*script.Block, error)
	close()
}

// pace is how much is replayed: operations in a timed block and in one that warms
// the caches, and stretches in a round. The blocks of a stretch are replayed by one
// contender after the other; a trial sums up the stretches of its round.
type pace struct{ block, warm, stretches int }

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
	case !workload.KindOf(c.workload.Model).Cyclic:
		return []mode{modeWarm, modeCost, modeByKind, modeLatency}
	case round%4 == 0:
		return []mode{modeByKind, modeLatency}
	}
	return []mode{modeByKind}
}

// run measures the cell. Each trial is a block of the script; within a round the
// contenders replay the very same blocks, in random order, and each is held
// against the generator's account before its time counts.
func (c *cellRun) run(ctx context.Context, entries []catalog.Entry) (results.Cell, error) {
	c.order = dist.NewRand(c.seed, ^workload.StreamOf(c.workload.Name, c.n))
	c.rows = contenders(entries, c.workload)
	defer c.stop()

	s, err := c.open()
	if err != nil {
		return results.Cell{}, err
	}
	defer s.close()
	for _, row := range c.rows {
		if err := c.fill(ctx, s, row); err != nil {
			return results.Cell{}, err
		}
		row.filled()
	}

	c.pace = s.pace(c.n, c.trials)
	for round := range c.trials {
		for range c.pace.stretches {
			if err := c.stretch(ctx, s, round); err != nil {
				return results.Cell{}, err
			}
		}
	}
	if err := c.rest(ctx, s); err != nil {
		return results.Cell{}, err
	}
	return c.result(), nil
}

// fill makes the structure of a row and brings it to where the blocks begin.
func (c *cellRun) fill(ctx context.Context, s source, row *contender) error {
	row.begin(s.keys())
	return s.populate(func(b *script.Block) error { return c.proveOn(ctx, row, b) })
}

// proveOn replays a block on a row without timing it, and checks what came of it.
func (c *cellRun) proveOn(ctx context.Context, row *contender, b *script.Block) error {
	row.whole(b)
	return errors.Join(ctx.Err(), c.check(row, b))
}

// proveOnAll is proveOn for all rows. The block is the last one so far.
func (c *cellRun) proveOnAll(ctx context.Context, b *script.Block) error {
	c.last = b.Want
	for _, row := range c.rows {
		if err := c.proveOn(ctx, row, b); err != nil {
			return err
		}
	}
	return nil
}

// prove replays the cell without timing it: all contenders must agree with the
// generator on its seed. It goes as far as the blocks that run times whole.
func (c *cellRun) prove(ctx context.Context, entries []catalog.Entry) (results.SeedProof, error) {
	c.rows = contenders(entries, c.workload)
	defer c.stop()

	s, err := c.open()
	if err != nil {
		return results.SeedProof{}, err
	}
	defer s.close()
	for _, row := range c.rows {
		if err := c.fill(ctx, s, row); err != nil {
			return results.SeedProof{}, err
		}
	}
	var b *script.Block
	c.pace = s.pace(c.n, c.trials)
	for range c.trials {
		if b, err = s.follow(c.pace.block, b); err != nil {
			return results.SeedProof{}, err
		}
		c.timed++
		if err := c.proveOnAll(ctx, b); err != nil {
			return results.SeedProof{}, err
		}
	}
	p := results.SeedProof{Seed: c.seed, Proof: c.last, Rows: len(c.rows)}
	for _, row := range c.rows {
		if row.row.Proof == p.Proof {
			p.Agree++
		}
	}
	return p, nil
}

// open returns the source of the blocks.
func (c *cellRun) open() (source, error) {
	if c.source != nil {
		return c.source()
	}
	return &scripted{Script: c.workload.Script(c.n, c.seed), workload: c.workload}, nil
}

// stretch is a piece of one trial of each kind. Each contender in turn replays its
// blocks, the first one to fill the caches, which the contender before has filled
// with its own.
func (c *cellRun) stretch(ctx context.Context, s source, round int) error {
	modes := c.modes(round)
	for len(c.memory) < len(modes) {
		c.memory = append(c.memory, nil)
	}
	for i, m := range modes {
		size := c.pace.block
		if m == modeWarm {
			size = c.pace.warm
		}
		b, err := s.follow(size, c.memory[i])
		if err != nil {
			return err
		}
		c.memory[i], c.last = b, b.Want
		if m != modeWarm {
			c.timed++
			c.resident += b.Resident
		}
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

// rest replays what a trace has left after the last round, so that the proof is of
// all of it. A script has no end.
func (c *cellRun) rest(ctx context.Context, s source) error {
	if _, endless := s.(*scripted); endless {
		return nil
	}
	for {
		b, err := s.follow(c.pace.block, c.memory[0])
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		c.memory[0] = b
		if err := c.proveOnAll(ctx, b); err != nil {
			return err
		}
	}
}

// weight guesses at how long the cell takes, in operations a structure; those on
// large populations miss the cache.
func (c *cellRun) weight() float64 {
	const cached = 20_000
	block := blockSize(c.workload, c.n)
	ops := c.n + c.trials*(3*block+warmSize(c.n)) + c.otherSeeds*(c.n+c.trials*block)
	if workload.KindOf(c.workload.Model).Cyclic {
		ops = c.n + c.trials*5/4*max(2*c.n, block)
	}
	return float64(ops) * (1 + 3*float64(c.n)/float64(c.n+cached))
}

// replay replays a block and keeps what it took. The collector is off meanwhile, so that garbage
// of one structure is not charged to another; what each allocates is counted.
func (c *cellRun) replay(row *contender, b *script.Block, m mode, round int) {
	row.reserve(b)
	percent := debug.SetGCPercent(-1)
	defer debug.SetGCPercent(percent)
	var before, after runtime.MemStats
	trial := results.Trial{Round: round, Ops: b.Calls, Wakes: b.Pops, Units: b.Units(c.workload.CostUnit())}
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
		row.row.ByKind = addTrial(row.row.ByKind, trial)
	}
	if m == modeCost || workload.KindOf(c.workload.Model).Cyclic {
		trial.Kinds = nil
		row.row.Cost = addTrial(row.row.Cost, trial)
	}
}

// addTrial adds a trial to the others, or a further stretch to the last of them.
func addTrial(trials []results.Trial, t results.Trial) []results.Trial {
	n := len(trials)
	if n == 0 || trials[n-1].Round != t.Round {
		return append(trials, t)
	}
	sum := &trials[n-1]
	sum.NS += t.NS
	sum.Ops += t.Ops
	sum.Wakes += t.Wakes
	sum.Units += t.Units
	sum.Allocs += t.Allocs
	sum.AllocBytes += t.AllocBytes
	for _, k := range t.Kinds {
		i := slices.IndexFunc(sum.Kinds, func(old results.KindTime) bool { return old.Kind == k.Kind })
		if i < 0 {
			sum.Kinds = append(sum.Kinds, k)
			continue
		}
		sum.Kinds[i].Count += k.Count
		sum.Kinds[i].NS += k.NS
		sum.Kinds[i].ClockReads += k.ClockReads
	}
	return trials
}

// check makes sure that no number counts without its proof.
func (c *cellRun) check(row *contender, b *script.Block) error {
	proof, err := row.replayer.check(b)
	if err != nil {
		return fmt.Errorf("%s fails the proof on %s, n %d, seed %d, block %d: %w",
			row.row.Structure, c.workload.Name, c.n, c.seed, c.timed, err)
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

func (c *cellRun) result() results.Cell {
	want := c.last
	cell := results.Cell{
		Workload: c.workload.Name,
		N:        c.n,
		Resident: c.resident / float64(c.timed),
		Unit:     c.workload.CostUnit(),
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
		if g, ok := row.s.(*gotimer.Timers); ok {
			g.Stop()
		}
	}
	c.rows, c.memory = nil, nil
}
