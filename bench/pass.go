package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/parallel"
	"github.com/timerbench/timerbench/structures"
)

// pass has a fresh instance of each contender that takes part, which replays some rounds. All passes of a cell
// replay the same script. A contender that fails leaves, and the others go on.
type pass struct {
	*cellRun
	number int          // in the cell
	in     []*contender // the contenders of this pass

	source *source
	rounds []round
	plan   roundPlan
	warmUp *script.WarmUp  // nil: a cycle or a recording has none
	at     progress        // of the script
	began  progress        // at the first round
	blocks []*script.Block // of the previous segment; their memory is reused
	spare  *script.Block   // memory of a block that is not timed
}

// progress is how far a script has come since the fill.
type progress struct {
	operations int
	fired      uint64
	ticks      structures.Tick
	passed     script.Passage
}

// begin opens the source and fills a fresh instance for each contender, in their order.
func (m *cellRun) begin(ctx context.Context, number int, in []*contender) (*pass, error) {
	start := time.Now()
	s, err := m.cell.open()
	if err != nil {
		return nil, err
	}
	p := &pass{cellRun: m, number: number, in: slices.Clone(in), rounds: m.cell.roundsOf(number), source: s}
	if m.cell.period > 0 {
		p.warmUp = m.cell.workload.WarmUp(m.cell.n)
	}
	b, err := s.fill(ctx)
	p.took("scripts", start)
	if err == nil {
		err = p.fill(ctx, b)
	}
	if err != nil {
		p.end()
		return nil, err
	}
	p.plan = m.cell.plan(s, len(m.cell.roundsOf(0)), len(p.rounds[0].modes)) // the first round has the most
	return p, nil
}

func (p *pass) fill(ctx context.Context, b *script.Block) error {
	defer p.took("fill", time.Now())
	if err := p.onEach(ctx, p.in, 0, func(c *contender) error { return c.begin(b.Keys) }); err != nil {
		return err
	}
	p.at = progress{passed: b.Passed, fired: b.Want.Fired}
	if p.warmUp != nil {
		p.warmUp.Note(b)
	}
	return p.replayOnAll(ctx, b)
}

// firstBlock replays an untimed block, in which the structures grow. The first pass checks every
// answer.
func (p *pass) firstBlock(ctx context.Context) error {
	defer p.took("proof", time.Now())
	if p.number > 0 {
		return p.replayNext(ctx, p.plan.block)
	}
	b, err := p.next(ctx, p.plan.prove, nil)
	if err != nil {
		return err
	}
	return p.onEach(ctx, p.in, b.Calls+b.Pops, func(c *contender) error { return c.replay(b, true) })
}

func (p *pass) next(ctx context.Context, size int, reuse *script.Block) (*script.Block, error) {
	b, err := p.source.next(ctx, size, reuse)
	if err == nil {
		p.at.operations += b.Calls + b.Pops
		p.at.ticks += b.Ticks
		p.at.fired, p.at.passed = b.Want.Fired, b.Passed
		if p.warmUp != nil && !p.warmUp.Done() {
			p.warmUp.Note(b)
		}
	}
	return b, err
}

func (p *pass) replayNext(ctx context.Context, size int) error {
	b, err := p.next(ctx, size, p.spare)
	if err != nil {
		return err
	}
	p.spare = b
	return p.replayOnAll(ctx, b)
}

func (p *pass) replayOnAll(ctx context.Context, b *script.Block) error {
	return p.onEach(ctx, p.in, b.Calls+b.Pops, func(c *contender) error { return c.replay(b, false) })
}

// ageTo replays untimed operations until the instances have an age: first the warm-up of the
// script, after which time passes for dead entries as it does later.
func (p *pass) ageTo(ctx context.Context, age int) error {
	defer p.took("ageing", time.Now())
	// size returns the size of the next untimed block; 0: the round begins.
	size := func() int {
		if p.warmUp == nil {
			return 0
		}
		if !p.warmUp.Done() {
			return p.warmUp.Size(largestAgeing)
		}
		return min(max(0, p.warmUp.Operations()+age-p.at.operations), largestAgeing)
	}
	var replayed error
	var working sync.WaitGroup
	defer working.Wait()
	for spare := (*script.Block)(nil); ; {
		next := size()
		if next == 0 {
			break
		}
		b, err := p.next(ctx, next, spare)
		if err != nil {
			return err
		}
		working.Wait()
		if replayed != nil {
			return replayed
		}
		// The generator writes the next block during the replay.
		spare, p.spare = p.spare, b
		working.Go(func() { replayed = p.replayOnAll(ctx, b) })
	}
	working.Wait()
	return replayed
}

// largestAgeing is the largest number of operations of an untimed block. It limits the memory.
const largestAgeing = 200_000

func (p *pass) round(ctx context.Context, r round) error {
	if err := p.ageTo(ctx, r.age); err != nil {
		return err
	}
	if r.number == p.rounds[0].number {
		p.began = p.at
	}
	for range p.plan.segments {
		if err := p.runSegment(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

func (p *pass) takeProofs() {
	for _, r := range p.in {
		r.Proof = r.player.Proof()
	}
}

// removeStopped removes the contenders that have stopped, after the checks at the end of a pass.
func (p *pass) removeStopped(ctx context.Context) error {
	stays := func(c *contender) bool { return c.Stopped == results.StoppedDone }
	stopped := slices.DeleteFunc(slices.Clone(p.in), stays)
	err := p.checkEnd(ctx, stopped)
	for _, c := range stopped {
		c.stop()
	}
	p.in = slices.DeleteFunc(p.in, func(c *contender) bool { return !stays(c) })
	return err
}

// runSegment runs one segment of a round, with one block for each mode. A contender
// replays all blocks before the next contender starts. The first block fills
// the caches, which still hold the data of the previous contender. The checks run last.
func (p *pass) runSegment(ctx context.Context, r round) error {
	t, modes := results.Trial{Instance: p.number, Round: r.number}, r.modes
	for len(p.blocks) < len(modes) {
		p.blocks = append(p.blocks, nil)
	}
	start := time.Now()
	for i, m := range modes {
		size := p.plan.block
		if m == modeWarm {
			size = p.plan.warm
		}
		b, err := p.next(ctx, size, p.blocks[i])
		if err != nil {
			return err
		}
		p.blocks[i] = b
		if m != modeWarm {
			p.timedBlocks++
			p.residents += b.Resident
		}
	}
	p.took("scripts", start)
	for _, c := range parallel.Shuffled(p.order, p.in) {
		if err := p.rig.wait(); err != nil {
			return err
		}
		if err := p.onEach(ctx, []*contender{c}, 0, func(c *contender) error { return p.replaySegment(ctx, c, modes, t) }); err != nil {
			return err
		}
	}
	defer p.took("checks", time.Now())
	return p.onEach(ctx, p.in, p.plan.block, func(c *contender) error { return c.player.Check(nil) })
}

func (p *pass) replaySegment(ctx context.Context, c *contender, modes []mode, t results.Trial) error {
	if err := c.player.Load(p.blocks[:len(modes)]...); err != nil {
		return err
	}
	for i, m := range modes {
		if err := ctx.Err(); err != nil {
			return err
		}
		start := time.Now()
		if err := p.trial(c, p.blocks[i], m, t); err != nil {
			return err
		}
		p.took(m.String(), start)
	}
	return nil
}

// finish replays the rest of a recording, so that the proof covers all of it, and makes the checks at the end of a pass.
func (p *pass) finish(ctx context.Context) error {
	start := time.Now()
	for p.source.recording != nil {
		if err := p.replayNext(ctx, largestBlock); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
	}
	p.took("ageing", start)
	return p.checkEnd(ctx, p.in)
}

// checkEnd checks the bindings of IDs to values and the number of allocations.
func (p *pass) checkEnd(ctx context.Context, rows []*contender) error {
	defer p.took("checks", time.Now())
	floor := uint64(0)
	for _, c := range p.rows {
		if c.Structure == FloorName {
			floor, _ = c.allocations(p.number)
		}
	}
	return p.onEach(ctx, rows, p.cell.n, func(c *contender) error {
		if err := c.player.Check(p.source.Pending); err != nil {
			return err
		}
		return c.checkAllocations(p.number, floor, p.cell.workload.Category == workload.Recorded)
	})
}

// onEach calls do for each row. do takes about that number of untimed operations; enough of them run on all processors.
func (p *pass) onEach(ctx context.Context, rows []*contender, operations int, do func(*contender) error) error {
	const few = 5_000 // of about 50 ns, not worth a goroutine
	rows = slices.Clone(rows)
	var errs []error
	if operations >= few {
		errs = parallel.Each(ctx, rows, do)
	} else {
		for _, c := range rows {
			errs = append(errs, parallel.Try(ctx, func() error { return do(c) }))
		}
	}
	for i, err := range errs {
		if err := p.removeFailed(ctx, rows[i], err); err != nil {
			return err
		}
	}
	return nil
}

// removeFailed removes a contender if err is not nil. It returns an error that is not a fault of a
// structure, which ends the pass.
func (p *pass) removeFailed(ctx context.Context, c *contender, err error) error {
	where := p.cell.where()
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return ctx.Err()
	case c.ofHarness():
		return fmt.Errorf("%s: the harness fails its own proof on %s: %w", where, c.Structure, err)
	default:
		p.fail(results.Failure{
			Structure: c.Structure, Reason: err.Error(),
			Where: fmt.Sprintf("%s, block %d of pass %d", where, p.timedBlocks, p.number),
		})
		c.stop()
		p.in = slices.DeleteFunc(p.in, func(r *contender) bool { return r == c })
	}
	return nil
}

// end stops the source and drops the references to all structures, so that the garbage collector frees them before the
// next pass.
func (p *pass) end() {
	p.source.close()
	for _, c := range p.in {
		c.stop()
	}
	p.blocks, p.spare = nil, nil
	runtime.GC()
}
