package bench

import (
	"context"
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

// cellConfig is what a cell is made of: one workload at one size.
type cellConfig struct {
	workload workload.Workload
	n        int
	seed     uint64
	trials   int
	clock    Clock
	proof    int // operations of which every answer is checked, at least
	open     func(context.Context, cellConfig) (source, error)
}

// cellRun runs a cell on all contenders, interleaved.
type cellRun struct {
	cellConfig
	source source
	pace   pace
	rows   []*contender
	failed []results.Failure
	order  *script.Rand    // of the contenders within a round
	memory []*script.Block // of the round before, to be used again

	resident float64      // sum over the timed blocks
	timed    int          // blocks that count, so far
	last     script.Proof // what must have come of all blocks
}

// begin opens the source, and fills the structure of each row.
func (c cellConfig) begin(ctx context.Context, entries []catalog.Entry) (*cellRun, error) {
	s, err := c.open(ctx, c)
	if err != nil {
		return nil, err
	}
	r := &cellRun{
		cellConfig: c, source: s,
		rows:  contenders(entries, c.workload),
		order: dist.NewRand(c.seed, ^workload.StreamOf(c.workload.Name, c.n)),
	}
	err = r.each(ctx, r.rows, func(row *contender) error { return row.fill(s) })
	r.pace = s.pace(c.trials)
	return r, err
}

// measure runs the cell. Each trial is a block of the script; within a round the
// contenders replay the very same blocks, in random order, and each is held
// against the generator's account before its time counts. A contender that fails is
// out, and the others go on.
func (c cellConfig) measure(ctx context.Context, entries []catalog.Entry) (results.Cell, []results.Failure, error) {
	r, err := c.begin(ctx, entries)
	if err != nil {
		return results.Cell{}, nil, err
	}
	defer r.end()
	if err := r.prove(ctx); err != nil {
		return results.Cell{}, r.failed, err
	}
	for round := range c.trials {
		for range r.pace.stretches {
			if err := r.stretch(ctx, round); err != nil {
				return results.Cell{}, r.failed, err
			}
		}
	}
	if err := r.finish(ctx); err != nil {
		return results.Cell{}, r.failed, err
	}
	return r.result(), r.failed, nil
}

// proveSeed replays the cell without timing it: all contenders must agree with the
// generator on its seed. It goes as far as the blocks that measure times whole.
func (c cellConfig) proveSeed(ctx context.Context, entries []catalog.Entry) (results.SeedProof, []results.Failure, error) {
	r, err := c.begin(ctx, entries)
	if err != nil {
		return results.SeedProof{}, nil, err
	}
	defer r.end()
	var b *script.Block
	for range c.trials {
		if b, err = r.follow(r.pace.block, b); err != nil {
			return results.SeedProof{}, r.failed, err
		}
		if err := r.replayOnAll(ctx, b); err != nil {
			return results.SeedProof{}, r.failed, err
		}
	}
	p := results.SeedProof{Seed: c.seed, Proof: r.last, Rows: len(r.rows)}
	for _, row := range r.rows {
		if row.row.Proof == p.Proof {
			p.Agree++
		}
	}
	return p, r.failed, nil
}

// follow returns the next block, the last one so far.
func (c *cellRun) follow(size int, reuse *script.Block) (*script.Block, error) {
	b, err := c.source.follow(size, reuse)
	if err == nil {
		c.last = b.Want
	}
	return b, err
}

// prove replays a first block on all rows and checks every answer.
func (c *cellRun) prove(ctx context.Context) error {
	b, err := c.follow(c.pace.prove, nil)
	if err != nil {
		return err
	}
	return c.each(ctx, c.rows, func(row *contender) error { return row.prove(b) })
}

// replayOnAll replays a block on all rows without timing it, and checks what came of
// it.
func (c *cellRun) replayOnAll(ctx context.Context, b *script.Block) error {
	c.last = b.Want
	return c.each(ctx, c.rows, func(row *contender) error {
		row.whole(b)
		return row.check(b, row.taken())
	})
}

// stretch is a piece of one trial of each kind. Each contender in turn replays its
// blocks, the first one to fill the caches, which the contender before has filled
// with its own.
func (c *cellRun) stretch(ctx context.Context, round int) error {
	modes := c.modes(round)
	for len(c.memory) < len(modes) {
		c.memory = append(c.memory, nil)
	}
	for i, m := range modes {
		size := c.pace.block
		if m == modeWarm {
			size = c.pace.warm
		}
		b, err := c.follow(size, c.memory[i])
		if err != nil {
			return err
		}
		c.memory[i] = b
		if m != modeWarm {
			c.timed++
			c.resident += b.Resident
		}
	}
	return c.each(ctx, c.shuffled(), func(row *contender) error {
		// The checks come last: what they touch would be in the caches otherwise.
		accounts := make([]account, len(modes))
		for i, m := range modes {
			if err := ctx.Err(); err != nil {
				return err
			}
			c.trial(row, c.memory[i], m, round)
			accounts[i] = row.taken()
		}
		for i, a := range accounts {
			if err := row.check(c.memory[i], a); err != nil {
				return err
			}
		}
		return nil
	})
}

// finish replays what the source has left, and makes the checks that come last.
func (c *cellRun) finish(ctx context.Context) error {
	if err := c.source.rest(func(b *script.Block) error { return c.replayOnAll(ctx, b) }); err != nil {
		return err
	}
	quiet := uint64(0)
	for _, row := range c.rows {
		if row.row.Role == results.RoleFloor {
			quiet, _ = row.allocations()
		}
	}
	return c.each(ctx, c.rows, func(row *contender) error { return row.finish(c.source.pending, quiet) })
}

// each does something with each of the rows. A structure that fails, or panics, is
// taken out of the cell. What else goes wrong ends the cell.
func (c *cellRun) each(ctx context.Context, rows []*contender, do func(*contender) error) error {
	for _, row := range slices.Clone(rows) {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := sheltered(func() error { return do(row) })
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case row.row.Role == results.RoleFloor || row.row.Role == results.RoleBaseline:
			return fmt.Errorf("%s, n %d, seed %d: the harness fails its own proof on %s: %w", c.workload.Name, c.n, c.seed, row.row.Structure, err)
		default:
			c.failed = append(c.failed, results.Failure{
				Structure: row.row.Structure, Where: fmt.Sprintf("%s, n %d, seed %d, block %d", c.workload.Name, c.n, c.seed, c.timed), Reason: err.Error(),
			})
			c.rows = slices.DeleteFunc(c.rows, func(r *contender) bool { return r == row })
		}
	}
	return nil
}

// sheltered turns a panic of a structure into an error.
func sheltered(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panics: %v", p)
		}
	}()
	return do()
}

// shuffled returns the rows in random order.
func (c *cellRun) shuffled() []*contender {
	order := slices.Clone(c.rows)
	for i := range order {
		j := c.order.IntN(i + 1)
		order[i], order[j] = order[j], order[i]
	}
	return order
}

func (c *cellRun) result() results.Cell {
	cell := results.Cell{
		Workload: c.workload.Name,
		Category: string(c.workload.Category),
		N:        c.n,
		Resident: c.resident / float64(c.timed),
		Unit:     c.workload.CostUnit(),
		TickNS:   int64(c.workload.Tick),
	}
	if g := c.workload.Grid; g != nil {
		cell.Grid = &results.Grid{Delays: g.Delays, CancelPercent: g.CancelPercent}
	}
	if done := c.last.Cancelled + c.last.Fired; done > 0 {
		cell.CancelRate = float64(c.last.Cancelled) / float64(done)
	}
	for _, row := range c.rows {
		row.row.Latency = row.samples.summary()
		cell.Rows = append(cell.Rows, row.row)
	}
	return cell
}

// end ends what would outlive the cell, and lets go of all structures: the
// collector goes through what is left of one cell while the next is measured.
func (c *cellRun) end() {
	c.source.close()
	for _, row := range c.rows {
		row.stop()
	}
	c.rows, c.memory = nil, nil
}
