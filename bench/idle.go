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

// idlePopulations are the numbers of timers in the idle analysis: few, as idle
// time is a matter of few timers.
var idlePopulations = []int{10, 1000}

// idleCase is one script of the idle analysis: the hold model with one
// distribution of delays. What it counts is not timed, and what it times not counted.
type idleCase struct {
	delay string // kind
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
			if err := sheltered(func() (err error) {
				if idle, err = c.count(e, d, blocks); err == nil {
					idle.NS = c.cost(e, d, blocks)
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
	w := newWaker(e, d)
	for _, b := range blocks {
		w.replay(b)
	}
	if err := w.check(blocks[len(blocks)-1]); err != nil {
		return results.Idle{}, err
	}
	w.idle.Workload, w.idle.Distribution, w.idle.N = workload.HoldWith(c.delay).Name, c.delay, c.n
	w.idle.Structure, w.idle.Driver = e.Name, d
	w.idle.Ticks, w.idle.Fired = uint64(w.now), w.done.Fired
	if w.work != nil {
		w.idle.Work = w.work.Work()
	}
	if w.coarse != nil && d == results.Ticking {
		w.idle.Lateness = w.coarse.lateness()
	}
	return w.idle, nil
}

// waker replays a script under a driver of its own: the script says what is
// scheduled and cancelled when, the driver when the structure is woken.
type waker struct {
	*replayer
	driver results.Driver
	coarse *coarseReplayer // the replayer of a coarse structure; nil: exact
	work   interface{ Work() structures.Work }
	now    structures.Tick
	idle   results.Idle
}

func newWaker(e catalog.Entry, d results.Driver) *waker {
	w := &waker{driver: d}
	if e.Exact() {
		w.replayer = &replayer{s: e.New()}
	} else {
		w.coarse = newCoarseReplayer(e.New(), e.MaxLate)
		w.coarse.keep = d == results.Ticking
		w.replayer = w.coarse.replayer
	}
	w.work, _ = w.s.(interface{ Work() structures.Work })
	return w
}

func (w *waker) check(b *script.Block) error {
	if w.coarse != nil {
		return w.coarse.check(b)
	}
	return w.taken().check(b)
}

func (w *waker) replay(b *script.Block) {
	if w.coarse != nil {
		w.coarse.reserve(b)
	} else {
		w.reserve(b)
	}
	ops := b.Ops
	for _, batch := range b.Batches {
		if batch.Kind != script.KindFire && batch.Kind != script.KindWake {
			w.do([]script.Batch{batch}, ops)
		} else {
			for _, op := range ops[:batch.Len] {
				w.advance(op.At)
			}
		}
		ops = ops[batch.Len:]
	}
}

// advance moves time to a tick, with the wake-ups that the driver makes on the
// way.
func (w *waker) advance(to structures.Tick) {
	if w.coarse != nil {
		w.coarse.expectUntil(to)
	}
	if w.driver == results.Ticking {
		for w.now < to {
			w.now++
			w.wake(w.now)
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
	w.now = to
	if w.coarse != nil {
		// What a coarse structure rounds by goes by the delay from its clock, so its
		// caller brings that up to date before it schedules. The caller is awake
		// then: it counts as no wake-up. Nothing is due, or Next was wrong.
		w.coarse.wake(to)
	}
}

// wake pops what is due and, where that is nothing, finds out what the wake-up
// was spent on.
func (w *waker) wake(at structures.Tick) {
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
