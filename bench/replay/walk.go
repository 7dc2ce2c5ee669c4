package replay

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// walker replays a script one operation at a time, without timing it. It checks the deadline and the ID of each
// timer that fires, and that the timer is neither early nor later than its bound. Exact structures
// have a bound of 0; coarse structures declare a bound for each delay.
type walker struct {
	*replayer
	maxLate  func(delay structures.Tick) structures.Tick // nil for an exact structure
	fires    []script.Fire                               // timers of the block that are not due yet
	unfired  map[uint64]expected                         // due timers that have not fired, by value
	lastWake structures.Tick                             // tick of the last wake-up
	err      error                                       // the first error

	// Fired, if not nil, is called for each timer that fires. The delay is the one of its last Schedule or
	// Reschedule.
	Fired func(at structures.Tick, t structures.Timer[uint64], delay structures.Tick)
}

// expected is a due timer and the ID with which it must fire.
type expected struct {
	script.Fire
	id structures.ID
}

func walkerOn(r *replayer, maxLate func(structures.Tick) structures.Tick) *walker {
	return &walker{replayer: r, maxLate: maxLate, unfired: make(map[uint64]expected)}
}

// Replay replays a block. It calls advance with the tick of each wake-up of the script. advance must call
// [walker.Wake] at each tick at which timers should fire.
func (w *walker) Replay(b *script.Block, advance func(to structures.Tick)) {
	w.begin(b)
	for kind, op := range b.All() {
		w.step(kind, op, advance)
	}
}

func (w *walker) begin(b *script.Block) {
	w.reserve(b)
	w.fires = b.Fires
}

func (w *walker) step(kind script.Kind, op script.Op, advance func(to structures.Tick)) {
	if kind != script.KindFire && kind != script.KindWake {
		w.doOne(kind, op)
		return
	}
	// Read the IDs now: later operations reuse their keys.
	for len(w.fires) > 0 && w.fires[0].At <= op.At {
		f := w.fires[0]
		value, id := w.named(f)
		w.unfired[value] = expected{f, id}
		w.fires = w.fires[1:]
	}
	advance(op.At)
}

// Wake calls Pop at a tick until nothing is due.
func (w *walker) Wake(at structures.Tick) { w.wake(at, at) }

// wake is Wake for a program that wakes at a tick other than that of the script.
func (w *walker) wake(at, programAt structures.Tick) {
	for {
		t, ok := w.Pop(at)
		if !ok {
			break
		}
		w.count(&w.outcome, programAt, t)
		w.checkFired(at, t)
	}
	w.lastWake = at
}

func (w *walker) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// checkFired compares a timer that fired with the expected one. Structures fire only at wake-ups, so a timer is
// too late only if the previous wake-up was at its bound or after it.
func (w *walker) checkFired(at structures.Tick, t structures.Timer[uint64]) {
	f, ok := w.unfired[t.Value]
	delete(w.unfired, t.Value)
	latest := f.Latest(w.maxLate)
	switch {
	case !ok:
		w.fail("timer number %d fired at tick %d, early or a second time", t.Value, at)
	case t.Deadline != f.At || t.ID != f.id:
		w.fail("timer number %d fired with deadline %d and ID %#x, want deadline %d and ID %#x",
			t.Value, t.Deadline, t.ID, f.At, f.id)
	case at < f.At:
		w.fail("a timer with deadline %d fired early, at tick %d", f.At, at)
	case at > latest && w.lastWake >= latest:
		w.fail("a timer with deadline %d and delay %d fired at tick %d, later than its bound %d",
			f.At, f.Delay, at, latest)
	}
	if w.Fired != nil {
		w.Fired(at, t, f.Delay)
	}
}

// Check compares the outcome after a block with that of the generator. A late timer within its bound counts as
// pending.
func (w *walker) Check(b *script.Block) error {
	want := b.Want
	for _, f := range w.unfired {
		if limit := f.Latest(w.maxLate); w.lastWake >= limit {
			w.fail("a timer with deadline %d and delay %d has not fired by tick %d, %d after its bound",
				f.At, f.Delay, w.lastWake, w.lastWake-limit)
		}
		want.Fired--
		want.Pending++
		want.Checksum -= script.Checksum(f.At, f.Value)
	}
	o := w.now()
	if err := o.checkAnswers(); err != nil {
		return err
	}
	if w.err != nil {
		return w.err
	}
	return o.done.Check(want)
}
