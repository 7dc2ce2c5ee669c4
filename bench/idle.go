package bench

import (
	"context"
	"fmt"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
)

// idlePopulations are the numbers of timers in the idle analysis. They are small,
// because wake-ups are idle mainly when few timers are pending.
var idlePopulations = []int{10, 1000}

// idleCase is one script of the idle analysis: the hold model with one distribution
// of delays. Wake-ups are counted and timed in separate passes.
type idleCase struct {
	delay string // kind of the distribution of the distribution
	n     int
	ticks int
	seed  uint64
}

func (c idleCase) name() string { return fmt.Sprintf("idle wake-ups, %s, n %d", c.delay, c.n) }

// run replays the script on every structure under both drivers. A structure that
// fails, or panics, is left out.
func (c idleCase) run(ctx context.Context, entries []catalog.Entry) ([]results.Idle, []results.Failure, error) {
	sc := workload.HoldWith(c.delay).Script(c.n, c.seed)
	blocks := []*script.Block{sc.Fill()}
	for sc.Now() < structures.Tick(c.ticks) {
		blocks = append(blocks, sc.Next(1, nil))
	}
	var out []results.Idle
	var failed []results.Failure
	for _, e := range entries {
		for _, d := range []results.Driver{results.Ticking, results.Tickless} {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			var idle results.Idle
			if err := catchPanic(func() (err error) {
				if idle, err = c.count(e, d, blocks); err == nil {
					idle.NS = c.shortestPass(e, d, blocks)
				}
				return err
			}); err != nil {
				failed = append(failed, results.Failure{
					Structure: e.Name, Reason: err.Error(), Where: fmt.Sprintf("%s, %s driver, seed %d", c.name(), d, c.seed),
				})
				continue
			}
			out = append(out, idle)
		}
	}
	return out, failed, nil
}

// count replays blocks on one structure under one driver.
func (c idleCase) count(e catalog.Entry, d results.Driver, blocks []*script.Block) (results.Idle, error) {
	w := newIdleReplayer(e, d)
	for _, b := range blocks {
		w.replay(b)
	}
	if err := w.check(blocks[len(blocks)-1]); err != nil {
		return results.Idle{}, err
	}
	w.idle.Workload, w.idle.Distribution, w.idle.N = workload.HoldWith(c.delay).Name, c.delay, c.n
	w.idle.Structure, w.idle.Driver = e.Name, d
	w.idle.Ticks, w.idle.Fired = uint64(w.clock), w.done.Fired
	if w.work != nil {
		w.idle.Work = w.work.Work()
	}
	if w.coarse != nil && d == results.Ticking {
		w.idle.Lateness = w.coarse.lateness()
	}
	return w.idle, nil
}

// idleReplayer replays a script under a driver and counts the wake-ups. The script
// determines when timers are scheduled and cancelled. The driver determines when the
// structure is woken.
type idleReplayer struct {
	*replayer
	driver results.Driver
	coarse *coarseReplayer // the replayer of a coarse structure; nil: exact
	work   interface{ Work() structures.Work }
	clock  structures.Tick
	idle   results.Idle
}

func newIdleReplayer(e catalog.Entry, d results.Driver) *idleReplayer {
	w := &idleReplayer{driver: d}
	if e.Exact() {
		w.replayer = &replayer{s: e.New()}
	} else {
		w.coarse = newCoarseReplayer(e.New(), e.MaxLate)
		w.coarse.keepLateness = d == results.Ticking
		w.replayer = w.coarse.replayer
	}
	w.work, _ = w.s.(interface{ Work() structures.Work })
	return w
}

func (w *idleReplayer) check(b *script.Block) error {
	if w.coarse != nil {
		return w.coarse.check(b)
	}
	return w.snapshot().check(b)
}

func (w *idleReplayer) replay(b *script.Block) {
	if w.coarse != nil {
		w.coarse.reserve(b)
	} else {
		w.reserve(b)
	}
	for kind, op := range b.All() {
		if kind == script.KindFire || kind == script.KindWake {
			w.advance(op.At)
		} else {
			w.doOne(kind, op)
		}
	}
}

// advance moves the clock to a tick and makes the wake-ups of the driver until then.
func (w *idleReplayer) advance(to structures.Tick) {
	if w.coarse != nil {
		w.coarse.expectUntil(to)
	}
	if w.driver == results.Ticking {
		for w.clock < to {
			w.clock++
			w.wake(w.clock)
		}
		return
	}
	for {
		at, ok := w.s.Next()
		if !ok || at > to {
			break
		}
		w.wake(at)
	}
	w.clock = to
	if w.coarse != nil {
		// A coarse structure rounds by the delay, measured from its clock. So the
		// caller moves that clock before it schedules. This counts as no wake-up,
		// because the caller is awake anyway. Nothing is due unless Next was wrong.
		w.coarse.wake(to)
	}
}

// wake pops the timers that are due. If there are none, it counts the idle wake-up by
// its cause.
func (w *idleReplayer) wake(at structures.Tick) {
	before := w.done.Fired
	var work structures.Work
	if w.work != nil {
		work = w.work.Work()
	}
	if w.coarse != nil {
		w.coarse.wake(at)
	} else {
		w.doOne(script.KindWake, script.Op{At: at})
	}
	w.idle.Wakeups++
	if w.done.Fired > before {
		return
	}
	if w.work != nil {
		work = w.work.Work().Sub(work)
	}
	switch {
	case work.Moved > 0:
		w.idle.Moved++
	case work.Dropped > 0:
		w.idle.Dropped++
	default:
		w.idle.Empty++
	}
}
