package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/timerbench/timerbench/bench/internal/heap"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

// pass is one instance of each contender that is in the race, and the rounds that these
// instances replay. All passes of a cell replay the same script. It ends with the pass.
type pass struct {
	*cellRun
	number  int // of the pass in the cell
	collect bool
	source  source
	plan    roundPlan
	rows    []*contender
	blocks  []*script.Block // of the previous segment; their memory is reused
	runs    [][]leanRun     // of these blocks, if the cell has lean loops
	spare   *script.Block   // memory of a block that is not timed
	aged    int             // operations since the fill

	hardware hardware // counts in the cost trials
}

// begin opens the source and fills a fresh instance for each of the rows, in their order.
func (c *cellRun) begin(ctx context.Context, rows []*contender) (*pass, error) {
	s, err := c.open(ctx, c.cellConfig)
	if err != nil {
		return nil, err
	}
	p := &pass{cellRun: c, number: c.done, source: s, rows: slices.Clone(rows)}
	if p.number == 0 && c.memory {
		err = p.fillMeasured(ctx)
	} else {
		err = p.fill(ctx)
	}
	if err != nil {
		p.end()
		return nil, err
	}
	p.plan = s.plan(min(c.perPass, c.trials))
	return p, nil
}

// fill fills all instances.
func (p *pass) fill(ctx context.Context) error {
	for _, row := range p.rows {
		row.reserveIDs(p.source)
		row.create()
		row.createSecond()
	}
	return p.source.populate(func(b *script.Block) error { return p.replayOnAll(ctx, b) })
}

// fillMeasured fills the instances one after the other and measures their memory.
func (p *pass) fillMeasured(ctx context.Context) error {
	for _, row := range p.rows {
		row.reserveIDs(p.source)
	}
	before := heap.Measure()
	return p.forEach(ctx, p.rows, func(row *contender) error {
		after, err := row.fillMeasured(p.source)
		if err != nil {
			return err
		}
		row.recordMemory(before, after)
		if before = after; row.second != nil {
			before = heap.Measure()
		}
		return nil
	})
}

// firstBlock replays a block that is not timed: the structures get the room that they
// need. In the first pass every answer is checked.
func (p *pass) firstBlock(ctx context.Context) error {
	if p.number > 0 {
		return p.replayNext(ctx, p.plan.block)
	}
	return p.prove(ctx)
}

// prove replays a block on all rows and checks every answer.
func (p *pass) prove(ctx context.Context) error {
	b, err := p.next(p.plan.prove, nil)
	if err != nil {
		return err
	}
	return p.sideBySide(ctx, func(row *contender) error { return row.prove(b) })
}

// next returns the next block of the source.
func (p *pass) next(size int, reuse *script.Block) (*script.Block, error) {
	b, err := p.source.nextBlock(size, reuse)
	if err == nil {
		p.aged += b.Calls + b.Pops
	}
	return b, err
}

// replayNext replays a block on all rows without timing it.
func (p *pass) replayNext(ctx context.Context, size int) error {
	b, err := p.next(size, p.spare)
	if err != nil {
		return err
	}
	p.spare = b
	return p.replayOnAll(ctx, b)
}

// replayOnAll replays a block on all rows without timing it and checks the outcomes.
func (p *pass) replayOnAll(ctx context.Context, b *script.Block) error {
	return p.sideBySide(ctx, func(row *contender) error { return row.replayChecked(b) })
}

// ageTo replays operations that are not timed until the instances are old enough for a
// round of the pass.
//
// What a structure puts off (cascades, sweeps of stale entries) comes due while its
// population is replaced. So the rounds of a cell are spread evenly over one such
// period: in each pass the rounds are apart by the same share of it, and each pass
// begins a little later than the pass before.
func (p *pass) ageTo(ctx context.Context, round int) error {
	passes := p.passes()
	age := p.plan.period * (round*passes + p.number%passes) / (passes * p.perPass)
	var replayed error
	var working sync.WaitGroup
	defer working.Wait()
	for spare := (*script.Block)(nil); p.aged < age; {
		b, err := p.next(min(age-p.aged, largestAgeing), spare)
		if err != nil {
			return err
		}
		working.Wait()
		if replayed != nil {
			return replayed
		}
		// The next block is written while this one is replayed.
		spare, p.spare = p.spare, b
		working.Go(func() { replayed = p.replayOnAll(ctx, b) })
	}
	working.Wait()
	return replayed
}

// largestAgeing limits the memory of a block that is not timed.
const largestAgeing = 200_000

// run runs one round: one trial of each contender.
func (p *pass) run(ctx context.Context, round int) error {
	if err := p.ageTo(ctx, round); err != nil {
		return err
	}
	for range p.plan.segments {
		if err := p.runSegment(ctx, round); err != nil {
			return err
		}
	}
	return nil
}

// runSegment runs one segment of a round: one block for each mode. Each contender
// replays all of these blocks before the next contender starts. The first block fills
// the caches, which still hold the data of the previous contender.
func (p *pass) runSegment(ctx context.Context, round int) error {
	t := results.Trial{Layout: p.layout, Instance: p.number, Round: p.number*p.perPass + round}
	modes := p.modes(t.Round)
	for len(p.blocks) < len(modes) {
		p.blocks, p.runs = append(p.blocks, nil), append(p.runs, nil)
	}
	for i, m := range modes {
		size := p.plan.block
		if m == modeWarm {
			size = p.plan.warm
		}
		b, err := p.next(size, p.blocks[i])
		if err != nil {
			return err
		}
		p.blocks[i] = b
		if p.lean {
			p.runs[i] = leanRuns(b, p.workload.Kind().FiresOnly)
		}
		if m != modeWarm {
			p.timedBlocks++
			p.residentSum += b.Resident
		}
	}
	for _, row := range p.shuffled() {
		if err := p.turns.wait(); err != nil {
			return err
		}
		if err := p.replaySegment(ctx, row, modes, t); err != nil {
			return err
		}
	}
	return nil
}

// replaySegment replays the blocks of a segment on one contender.
func (p *pass) replaySegment(ctx context.Context, row *contender, modes []mode, t results.Trial) error {
	return p.forEach(ctx, []*contender{row}, func(row *contender) error {
		// The checks run last, because they bring other data into the caches.
		outcomes := make([]outcome, len(modes))
		for i, m := range modes {
			if err := ctx.Err(); err != nil {
				return err
			}
			p.trial(row, i, m, t)
			outcomes[i] = row.snapshot()
		}
		check := row.check
		if p.lean {
			check = row.checkLean
		}
		for i, o := range outcomes {
			if err := check(p.blocks[i], o); err != nil {
				return err
			}
		}
		return nil
	})
}

// finish replays the remaining blocks of the source and makes the final checks.
func (p *pass) finish(ctx context.Context) error {
	if err := p.source.remaining(func(b *script.Block) error { return p.replayOnAll(ctx, b) }); err != nil {
		return err
	}
	pending := p.source.pending
	if p.lean {
		pending = nil
	}
	floorAllocs := uint64(0)
	for _, row := range p.rows {
		if row.row.Role == results.RoleFloor {
			floorAllocs, _ = row.allocations(p.number)
		}
	}
	return p.forEach(ctx, p.rows, func(row *contender) error { return row.finish(pending, p.number, floorAllocs) })
}

// shuffled returns the rows in random order.
func (p *pass) shuffled() []*contender {
	order := slices.Clone(p.rows)
	for i := range order {
		j := p.order.IntN(i + 1)
		order[i], order[j] = order[j], order[i]
	}
	return order
}

// forEach calls do with each of the rows, one after the other.
func (p *pass) forEach(ctx context.Context, rows []*contender, do func(*contender) error) error {
	for _, row := range slices.Clone(rows) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.settle(ctx, row, catchPanic(func() error { return do(row) })); err != nil {
			return err
		}
	}
	return nil
}

// sideBySide calls do with each of the rows, on all processors. It is for what is not
// timed. Few timers are not worth a goroutine.
func (p *pass) sideBySide(ctx context.Context, do func(*contender) error) error {
	const fewTimers = 10_000
	workers := runtime.GOMAXPROCS(0)
	if p.n < fewTimers || workers < 2 {
		return p.forEach(ctx, p.rows, do)
	}
	rows := slices.Clone(p.rows)
	errs := make([]error, len(rows))
	queue := make(chan int)
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			for i := range queue {
				if errs[i] = ctx.Err(); errs[i] == nil {
					errs[i] = catchPanic(func() error { return do(rows[i]) })
				}
			}
		})
	}
	for i := range rows {
		queue <- i
	}
	close(queue)
	working.Wait()
	for i, row := range rows {
		if err := p.settle(ctx, row, errs[i]); err != nil {
			return err
		}
	}
	return nil
}

// settle removes a structure that has failed from the cell. Any other error ends the
// cell.
func (p *pass) settle(ctx context.Context, row *contender, err error) error {
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return ctx.Err()
	case row.row.Role == results.RoleFloor || row.row.Role == results.RoleBaseline:
		return fmt.Errorf("%s, seed %d: the harness fails its own proof on %s: %w", p.name(), p.seed, row.row.Structure, err)
	default:
		p.remove(row, err)
		row.stop()
		p.rows = slices.DeleteFunc(p.rows, func(r *contender) bool { return r == row })
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

// end stops the source and the timers of the runtime, and drops the references to all
// structures, so that the garbage collector frees them before the next pass.
func (p *pass) end() {
	p.source.close()
	for _, row := range p.rows {
		row.stop()
	}
	p.rows, p.blocks, p.runs, p.spare = nil, nil, nil, nil
	runtime.GC()
}
