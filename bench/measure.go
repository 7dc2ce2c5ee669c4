package bench

import (
	"context"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/internal/parallel"
)

// measuring makes the rounds of a cell. A contender that fails is removed from rows, and failed gets the failure; the others go
// on.
type measuring struct {
	*runner
	cell    *Cell
	rows    []*contender
	leftOut []string // structures and programs, see leaveOut
	failed  []results.Failure
	stored  int // failures that are in the results

	last time.Duration // of the last step

	timedBlocks int
	residents   float64        // sum of the mean resident timers of the timed blocks
	operations  int            // of all scripts so far
	passed      results.Passed // of the timed rounds

	now    Round     // on the list
	script *stream   // of the instances
	aged   time.Time // when their first timed round was over
	late   bool      // the budget takes the other timed rounds of these instances off the list
}

// measuring returns the state of a cell whose contenders have not begun. Names of contenders may be left out.
func (r *runner) measuring(c *Cell, leftOut ...string) *measuring {
	return &measuring{runner: r, cell: c, leftOut: leftOut, rows: c.rows(r.programs, leftOut...)}
}

// play makes rounds. The instances end with them.
func (m *measuring) play(ctx context.Context, rounds []Round) error {
	started := time.Now()
	defer m.dropSamples()
	defer m.end()
	for i, r := range rounds {
		if r.Fresh {
			m.end()
			if err := m.begin(ctx, r); err != nil {
				return err
			}
		}
		if r.Number >= 0 && m.late {
			continue
		}
		if err := m.round(ctx, r); err != nil {
			return err
		}
		if r.Proved {
			for _, c := range m.in() {
				c.Proof = c.player.Proof()
			}
		}
		last := i+1 == len(rounds) || rounds[i+1].Fresh
		if r.Number >= 0 {
			if err := m.drop(ctx); err != nil {
				return err
			}
			if last || rounds[i+1].Number < 0 || m.late {
				m.addRegion()
			}
		}
		if last {
			if err := m.checkEnd(ctx, m.in()); err != nil {
				return err
			}
		}
	}
	m.last = time.Since(started)
	return nil
}

// begin fills fresh instances of the contenders of a round.
func (m *measuring) begin(ctx context.Context, r Round) error {
	s, err := m.cell.open(r.Seed)
	if err != nil {
		return err
	}
	m.now, m.script, m.late, m.aged = r, s, false, time.Time{}
	b, err := s.fill(ctx)
	if err != nil {
		return err
	}
	fresh := m.ofRound(func(c *contender) bool { return c.Stopped == results.StoppedDone })
	if err := m.onEach(ctx, fresh, 0, func(c *contender) error { return c.begin(b.Keys) }); err != nil {
		return err
	}
	return m.replay(ctx, b, false)
}

// in returns the contenders that have an instance, in the order of the round.
func (m *measuring) in() []*contender {
	return m.ofRound(func(c *contender) bool { return c.player != nil })
}

func (m *measuring) ofRound(wanted func(*contender) bool) (list []*contender) {
	for _, name := range m.now.Contenders {
		for _, c := range m.rows {
			if c.Structure == name && wanted(c) {
				list = append(list, c)
			}
		}
	}
	return list
}

// end stops the script and drops the references to all instances, so that the garbage collector frees them before the
// next ones.
func (m *measuring) end() {
	if m.script == nil {
		return
	}
	m.operations += m.script.at.Operations
	m.script.close()
	for _, c := range m.rows {
		if c.stop(); c.samples != nil {
			c.samples.EndInstance()
			c.Latency = c.samples.Summary()
		}
	}
	m.script = nil
	runtime.GC()
}

// dropSamples frees the memory of single calls, which takes 1.4 MB for each contender, unless a later step adds some.
func (m *measuring) dropSamples() {
	for _, c := range m.rows {
		if !m.cell.again || m.now.Instance != 0 || !slices.Contains(always, c.Structure) {
			c.samples = nil
		}
	}
}

// replay replays a block on all instances without timing it.
func (m *measuring) replay(ctx context.Context, b *script.Block, every bool) error {
	return m.onEach(ctx, m.in(), b.Calls+b.Pops, func(c *contender) error { return c.replay(b, every) })
}

func (m *measuring) round(ctx context.Context, r Round) error {
	m.now = r
	if err := m.ageTo(ctx, r.Age); err != nil {
		return err
	}
	if r.Number >= 0 {
		return m.timed(ctx, r)
	}
	for _, b := range r.Blocks {
		if b.Operations == ToTheEnd {
			return m.script.rest(ctx, func(b *script.Block) error { return m.replay(ctx, b, false) })
		}
		reuse := m.script.spare
		if b.Timing == Checked {
			reuse = nil // the block may be long
		}
		block, err := m.script.next(ctx, b.Operations, reuse)
		if err != nil {
			return err
		}
		if b.Timing != Checked {
			m.script.spare = block
		}
		if err := m.replay(ctx, block, b.Timing == Checked); err != nil {
			return err
		}
	}
	return nil
}

// ageTo replays untimed operations until the instances have an age. The generator writes the next block during the replay.
func (m *measuring) ageTo(ctx context.Context, age int) error {
	s := m.script
	var replayed error
	var working sync.WaitGroup
	defer working.Wait()
	for spare := (*script.Block)(nil); ; {
		size := s.ageing(age)
		if size == 0 {
			break
		}
		b, err := s.next(ctx, size, spare)
		if err != nil {
			return err
		}
		working.Wait()
		if replayed != nil {
			return replayed
		}
		spare, s.spare = s.spare, b
		working.Go(func() { replayed = m.replay(ctx, b, false) })
	}
	working.Wait()
	return replayed
}

// timed makes a timed round. A contender
// replays all blocks before the next contender starts. The first block fills
// the caches, which still hold the data of the previous contender. The checks run last.
func (m *measuring) timed(ctx context.Context, r Round) error {
	s := m.script
	if !s.timed {
		s.began, s.timed = s.at, true
	}
	s.blocks = append(s.blocks, make([]*script.Block, max(0, len(r.Blocks)-len(s.blocks)))...)
	for i, of := range r.Blocks {
		b, err := s.next(ctx, of.Operations, s.blocks[i])
		if err != nil {
			return err
		}
		s.blocks[i] = b
		if of.Timing != Warm {
			m.timedBlocks++
			m.residents += b.Resident
		}
	}
	for _, c := range m.in() {
		if err := m.Turn(); err != nil {
			return err
		}
		if err := m.onEach(ctx, []*contender{c}, 0, func(c *contender) error { return m.trials(ctx, c, r) }); err != nil {
			return err
		}
	}
	return m.onEach(ctx, m.in(), s.blocks[len(r.Blocks)-1].Calls, func(c *contender) error { return c.player.Check(nil) })
}

// trials replays the blocks of a round on a contender.
func (m *measuring) trials(ctx context.Context, c *contender, r Round) error {
	blocks := m.script.blocks[:len(r.Blocks)]
	if err := c.player.Load(blocks...); err != nil {
		return err
	}
	for i, of := range r.Blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := m.trial(c, blocks[i], of.Timing, r); err != nil {
			return err
		}
	}
	return nil
}

// trial replays a block and records its time and its allocations. The garbage collector is off during the replay, so that the
// garbage of one structure does not cost another one time.
func (m *measuring) trial(c *contender, b *script.Block, how Timing, r Round) error {
	cyclic := m.cell.cyclic()
	switch {
	case c.program && how == ByKind && cyclic: // a program times whole blocks only
		how = AsAWhole
	case c.program && (how == ByKind || how == CallByCall):
		how = Untimed
	case how == CallByCall && c.samples == nil && c.Latency != nil: // only some contenders sample in a later step
		how = Untimed
	case how == CallByCall && c.samples == nil:
		c.samples = replay.NewLatencies()
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	unit := m.cell.workload.CostUnit()
	t := results.Trial{Instance: r.Instance, Round: r.Number, Ops: b.Calls, Wakes: b.Pops, Units: b.Units(unit)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	switch how {
	case ByKind:
		t.Kinds = c.player.(*replay.Instance).TimeByKind(b, m.plan.cfg.Environment.ClockNS)
		for _, k := range t.Kinds {
			t.NS += k.NS
		}
	case CallByCall:
		c.player.(*replay.Instance).Sample(b, c.samples)
		return nil
	default:
		took, err := c.player.Replay(b, false)
		if t.NS = float64(took); err != nil || how != AsAWhole {
			return err
		}
	}
	runtime.ReadMemStats(&after)
	t.Allocs = after.Mallocs - before.Mallocs
	t.AllocBytes = after.TotalAlloc - before.TotalAlloc
	if how == ByKind {
		c.ByKind = append(c.ByKind, t)
	}
	if t.Kinds = nil; how == AsAWhole || cyclic {
		c.Cost = append(c.Cost, t)
	}
	return nil
}

// rounds returns the number of timed rounds so far.
func (m *measuring) rounds() int { return len(m.rows[0].Cost) }

// drop takes contenders that are far behind off the rounds that are left, and all timed rounds of these instances if the budget
// says so.
func (m *measuring) drop(ctx context.Context) error {
	if m.aged.IsZero() {
		m.aged = time.Now() // further rounds cost little
	}
	if !m.now.Drops {
		return nil
	}
	dropBehind(m.in())
	stopped := slices.DeleteFunc(m.in(), func(c *contender) bool { return c.Stopped == results.StoppedDone })
	err := m.checkEnd(ctx, stopped)
	for _, c := range stopped {
		c.stop()
	}
	m.late = m.budget.late(m.aged)
	return err
}

// addRegion adds what has passed in the timed rounds of these instances.
func (m *measuring) addRegion() {
	s, t := m.script, &m.passed
	region := s.at.Since(s.began.Passage)
	t.WarmUp = max(t.WarmUp, s.began.Operations)
	t.Made, t.Due = t.Made+region.Made, t.Due+region.Due
	t.Fired += s.at.Fired - s.began.Fired
	if median := s.MedianDelay(); median > 0 {
		t.Delays += float64(s.at.Now-s.began.Now) / float64(median)
	}
}

// checkEnd checks the bindings of IDs to values.
func (m *measuring) checkEnd(ctx context.Context, rows []*contender) error {
	return m.onEach(ctx, rows, m.cell.n, func(c *contender) error { return c.player.Check(m.script.Pending) })
}

// onEach calls do for each row. do takes about that number of untimed operations; enough of them run on all processors.
func (m *measuring) onEach(ctx context.Context, rows []*contender, operations int, do func(*contender) error) error {
	const few = 5_000 // of about 50 ns, not worth a goroutine
	var errs []error
	if operations >= few {
		errs = parallel.Each(ctx, rows, do)
	} else {
		for _, c := range rows {
			errs = append(errs, parallel.Try(ctx, func() error { return do(c) }))
		}
	}
	for i, err := range errs {
		if err := m.removeFailed(ctx, rows[i], err); err != nil {
			return err
		}
	}
	return nil
}
