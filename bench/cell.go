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

// cellConfig describes a cell: one workload at one size.
type cellConfig struct {
	workload workload.Workload
	n        int
	seed     uint64
	trials   int
	clock    Clock
	proveOps int // minimum number of operations whose every answer is checked
	open     func(context.Context, cellConfig) (source, error)
}

// cellRun runs a cell on all contenders, interleaved.
// A contender that fails is removed from rows and added to failed.
// A contender that fails is removed from rows and added to failed.
type cellRun struct {
	cellConfig
	source source
	plan   roundPlan
	rows   []*contender
	failed []results.Failure
	order  *script.Rand    // shuffles the contenders of a round
	blocks []*script.Block // of the previous segment; their memory is reused

	hardware hardware // counts in the cost trials

	residentSum float64      // sum of the mean resident timers of the timed blocks
	timedBlocks int          // number of timed blocks so far
	wanted      script.Proof // expected outcome after the last block
}

// begin opens the source and fills the structure of each row.
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
	err = r.forEach(ctx, r.rows, func(row *contender) error { return row.fill(s) })
	r.plan = s.plan(c.trials)
	return r, err
}

// measure runs the cell. Each trial is a block of the script. In one round all
// contenders replay the same blocks, in random order. The outcome of each is compared
// with the expected one before its time counts. A contender that fails is removed, and
// the others continue.
func (c cellConfig) measure(ctx context.Context, entries []catalog.Entry) (results.Cell, []results.Failure, error) {
	r, err := c.begin(ctx, entries)
	if err != nil {
		return results.Cell{}, nil, err
	}
	defer r.end()
	r.hardware = openHardware()
	defer r.hardware.close()
	if err := r.prove(ctx); err != nil {
		return results.Cell{}, r.failed, err
	}
	for round := range c.trials {
		for range r.plan.segments {
			if err := r.runSegment(ctx, round); err != nil {
				return results.Cell{}, r.failed, err
			}
		}
	}
	if err := r.finish(ctx); err != nil {
		return results.Cell{}, r.failed, err
	}
	return r.result(), r.failed, nil
}

// proveSeed replays the cell without timing it. All contenders must agree with the
// generator on the seed of c. The number of blocks is that of the modeCost blocks of
// measure.
func (c cellConfig) proveSeed(ctx context.Context, entries []catalog.Entry) (results.SeedProof, []results.Failure, error) {
	r, err := c.begin(ctx, entries)
	if err != nil {
		return results.SeedProof{}, nil, err
	}
	defer r.end()
	var b *script.Block
	for range c.trials {
		if b, err = r.nextBlock(r.plan.block, b); err != nil {
			return results.SeedProof{}, r.failed, err
		}
		if err := r.replayOnAll(ctx, b); err != nil {
			return results.SeedProof{}, r.failed, err
		}
	}
	p := results.SeedProof{Seed: c.seed, Proof: r.wanted, Rows: len(r.rows)}
	for _, row := range r.rows {
		if row.row.Proof == p.Proof {
			p.Agree++
		}
	}
	return p, r.failed, nil
}

// nextBlock returns the next block of the source and updates the expected outcome.
func (c *cellRun) nextBlock(size int, reuse *script.Block) (*script.Block, error) {
	b, err := c.source.nextBlock(size, reuse)
	if err == nil {
		c.wanted = b.Want
	}
	return b, err
}

// prove replays a first block on all rows and checks every answer.
func (c *cellRun) prove(ctx context.Context) error {
	b, err := c.nextBlock(c.plan.prove, nil)
	if err != nil {
		return err
	}
	return c.forEach(ctx, c.rows, func(row *contender) error { return row.prove(b) })
}

// replayOnAll replays a block on all rows without timing it and checks the outcomes.
func (c *cellRun) replayOnAll(ctx context.Context, b *script.Block) error {
	c.wanted = b.Want
	return c.forEach(ctx, c.rows, func(row *contender) error {
		row.replayWhole(b)
		return row.check(b, row.snapshot())
	})
}

// runSegment runs one segment of a round: one block for each mode. Each contender
// replays all of these blocks before the next contender starts. The first block fills
// the caches, which still hold the data of the previous contender.
func (c *cellRun) runSegment(ctx context.Context, round int) error {
	modes := c.modes(round)
	for len(c.blocks) < len(modes) {
		c.blocks = append(c.blocks, nil)
	}
	for i, m := range modes {
		size := c.plan.block
		if m == modeWarm {
			size = c.plan.warm
		}
		b, err := c.nextBlock(size, c.blocks[i])
		if err != nil {
			return err
		}
		c.blocks[i] = b
		if m != modeWarm {
			c.timedBlocks++
			c.residentSum += b.Resident
		}
	}
	return c.forEach(ctx, c.shuffled(), func(row *contender) error {
		// The checks run last, because they bring other data into the caches.
		outcomes := make([]outcome, len(modes))
		for i, m := range modes {
			if err := ctx.Err(); err != nil {
				return err
			}
			c.trial(row, c.blocks[i], m, round)
			outcomes[i] = row.snapshot()
		}
		for i, o := range outcomes {
			if err := row.check(c.blocks[i], o); err != nil {
				return err
			}
		}
		return nil
	})
}

// finish replays the remaining blocks of the source and makes the final checks.
func (c *cellRun) finish(ctx context.Context) error {
	if err := c.source.remaining(func(b *script.Block) error { return c.replayOnAll(ctx, b) }); err != nil {
		return err
	}
	floorAllocs := uint64(0)
	for _, row := range c.rows {
		if row.row.Role == results.RoleFloor {
			floorAllocs, _ = row.allocations()
		}
	}
	return c.forEach(ctx, c.rows, func(row *contender) error { return row.finish(c.source.pending, floorAllocs) })
}

// forEach calls do with each of the rows. It removes a structure that fails or panics
// from the cell. Any other error ends the cell.
func (c *cellRun) forEach(ctx context.Context, rows []*contender, do func(*contender) error) error {
	for _, row := range slices.Clone(rows) {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := catchPanic(func() error { return do(row) })
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case row.row.Role == results.RoleFloor || row.row.Role == results.RoleBaseline:
			return fmt.Errorf("%s, n %d, seed %d: the harness fails its own proof on %s: %w", c.workload.Name, c.n, c.seed, row.row.Structure, err)
		default:
			c.failed = append(c.failed, results.Failure{
				Structure: row.row.Structure, Where: fmt.Sprintf("%s, n %d, seed %d, block %d", c.workload.Name, c.n, c.seed, c.timedBlocks), Reason: err.Error(),
			})
			c.rows = slices.DeleteFunc(c.rows, func(r *contender) bool { return r == row })
		}
	}
	return nil
}

// catchPanic calls do and returns a panic of a structure as an error.
func catchPanic(do func() error) (err error) {
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
		Resident: c.residentSum / float64(c.timedBlocks),
		Unit:     c.workload.CostUnit(),
		TickNS:   int64(c.workload.Tick),
	}
	if g := c.workload.Grid; g != nil {
		cell.Grid = &results.Grid{Delays: g.Delays, CancelPercent: g.CancelPercent}
	}
	if done := c.wanted.Cancelled + c.wanted.Fired; done > 0 {
		cell.CancelRate = float64(c.wanted.Cancelled) / float64(done)
	}
	for _, row := range c.rows {
		row.row.Latency = row.samples.summary()
		row.row.Counters = row.counted.perUnit()
		cell.Rows = append(cell.Rows, row.row)
	}
	return cell
}

// end stops the source and the timers of the runtime, and drops the references to all
// structures, so that the garbage collector does not scan them during the next cell.
func (c *cellRun) end() {
	c.source.close()
	for _, row := range c.rows {
		row.stop()
	}
	c.rows, c.blocks = nil, nil
}
