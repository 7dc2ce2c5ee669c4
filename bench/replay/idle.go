package replay

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
)

// IdlePopulations are the numbers of timers in the idle analysis. They are small because most wake-ups with many
// timers are not idle.
var IdlePopulations = []int{10, 1000}

// Idle is one script of the idle analysis: the hold model with one distribution of delays. It counts and times
// wake-ups in separate passes.
type Idle struct {
	Delays string // name of the distribution
	N      int
	Ticks  int
	Seed   uint64
}

// Name returns the name of the analysis.
func (c Idle) Name() string { return fmt.Sprintf("idle wake-ups, %s, n %d", c.Delays, c.N) }

// timedPasses is the number of timed passes of a script. Interrupts only lengthen a pass, so the shortest one counts.
const timedPasses = 3

// Seconds estimates the duration of the counts and of the timed passes with both drivers.
func (c Idle) Seconds(structures int) float64 {
	return float64(structures) * 2 * (1 + timedPasses) * 30e-9 * float64(c.Ticks)
}

// Run implements [Analysis]. It replays the script on every structure with both drivers.
func (c Idle) Run(ctx context.Context, entries []entry.Entry, out *results.Run) error {
	hold := workload.HoldWith(c.Delays)
	blocks, _ := blocksUntil(c.Ticks, hold.Script(c.N, c.Seed), 1)
	var rows [][]results.Idle
	err := each(ctx, entries, fmt.Sprintf("%s, seed %d", c.Name(), c.Seed), &rows, out, func(e entry.Entry) (both []results.Idle, err error) {
		for _, d := range []results.Driver{results.Ticking, results.Tickless} {
			w := newDriven(e, d)
			if err := w.replay(blocks); err != nil {
				return nil, err
			}
			i := w.idle
			i.Workload, i.Distribution, i.N, i.Structure, i.Driver = hold.Name, c.Delays, c.N, e.Name, d
			i.Ticks, i.Work = uint64(w.clock), w.work()
			if w.coarse && d == results.Ticking {
				i.Lateness = w.lateness()
			}
			i.NS = shortestPass(e, d, blocks)
			both = append(both, i)
		}
		return both, nil
	})
	out.Idle = append(out.Idle, slices.Concat(rows...)...)
	return err
}

// blocksUntil writes blocks of at least size operations until a tick, and returns the tick that they reach.
func blocksUntil(tick int, s *script.Script, size int) ([]*script.Block, structures.Tick) {
	blocks := []*script.Block{s.Fill()}
	for s.Now() < structures.Tick(tick) {
		blocks = append(blocks, s.Next(size, nil))
	}
	return blocks, s.Now()
}

// driven replays a script with a driver and counts the wake-ups. The script says when timers are scheduled and
// cancelled. The driver says when the structure wakes up.
type driven struct {
	*walker
	driver results.Driver
	coarse bool
	work   func() structures.Work
	clock  structures.Tick
	idle   results.Idle

	late, share []float64 // lateness of a coarse structure's timers, in ticks and as a share of the delay
}

func newDriven(e entry.Entry, d results.Driver) *driven {
	s := e.New()
	w := &driven{walker: walkerOn(&replayer{timers: newByID(s)}, e.MaxLate), driver: d, coarse: !e.Exact()}
	w.work = func() structures.Work { return structures.Work{} }
	if s, ok := s.(interface{ Work() structures.Work }); ok {
		w.work = s.Work
	}
	w.Fired = func(at structures.Tick, t structures.Timer[uint64], delay structures.Tick) {
		w.idle.Fired++
		if w.coarse {
			late := float64(at - t.Deadline)
			w.late, w.share = append(w.late, late), append(w.share, late/float64(delay))
		}
	}
	return w
}

func (w *driven) replay(blocks []*script.Block) error {
	for _, b := range blocks {
		w.Replay(b, w.advance)
	}
	if err := w.Check(blocks[len(blocks)-1]); err != nil {
		return fmt.Errorf("under the %s driver: %w", w.driver, err)
	}
	return nil
}

func (w *driven) advance(to structures.Tick) {
	if w.driver == results.Ticking {
		for w.clock < to {
			w.clock++
			w.wake(w.clock)
		}
		return
	}
	for at, ok := w.Next(); ok && at <= to; at, ok = w.Next() {
		w.wake(at)
	}
	w.clock = to
	if w.coarse {
		// A coarse structure rounds by the delay from its clock, so a caller moves the clock before it schedules.
		// The pop is no wake-up, because the caller is awake anyway. Nothing is due here unless Next was wrong.
		w.Wake(to)
	}
}

// wake pops the timers that are due. If none is, it counts the cause of the idle wake-up.
func (w *driven) wake(at structures.Tick) {
	fired, work := w.idle.Fired, w.work()
	w.Wake(at)
	w.idle.Wakeups++
	work = w.work().Sub(work)
	switch {
	case w.idle.Fired > fired:
	case work.Moved > 0:
		w.idle.Moved++
	case work.Dropped > 0:
		w.idle.Dropped++
	default:
		w.idle.Empty++
	}
}

func (w *driven) lateness() *results.Lateness {
	var l results.Lateness
	if len(w.late) > 0 {
		l.Mean, l.P99, l.Max = meanP99Max(w.late)
		l.MeanShare, l.P99Share, l.MaxShare = meanP99Max(w.share)
	}
	return &l
}

func meanP99Max(values []float64) (mean, p99, largest float64) {
	slices.Sort(values)
	p99 = stat.Quantile(0.99, stat.Empirical, values, nil)
	return stat.Mean(values, nil), p99, values[len(values)-1]
}

// shortestPass returns the nanoseconds that a structure takes for all blocks with a driver, the shortest of
// timedPasses passes. It does not count wake-ups.
func shortestPass(e entry.Entry, d results.Driver, blocks []*script.Block) float64 {
	shortest := time.Duration(math.MaxInt64)
	for range timedPasses {
		s := newByID(e.New())
		s.reserve(blocks[len(blocks)-1])
		start := time.Now()
		s.drive(blocks, d == results.Ticking, nil)
		shortest = min(shortest, time.Since(start))
	}
	return float64(shortest)
}
