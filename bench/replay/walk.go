package replay

import (
	"cmp"
	"fmt"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// walker replays a script one operation at a time, without timing it. It checks the deadline and the ID of each
// timer that fires, and that the timer is neither early nor later than its bound. Exact structures
// have a bound of 0; coarse structures declare a bound for each delay.
type walker struct {
	*replayer
	fires []script.Fire             // timers of the block that are not due yet
	due   script.Due[structures.ID] // by value, each with its ID
	err   error                     // the first error

	// Fired, if not nil, is called for each timer that fires. The delay is the one of its last Schedule or
	// Reschedule.
	Fired func(at structures.Tick, t structures.Timer[uint64], delay structures.Tick)
}

func walkerOn(r *replayer, maxLate func(structures.Tick) structures.Tick) *walker {
	return &walker{replayer: r, due: script.NewDue[structures.ID](maxLate)}
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
		value, id := w.named(w.fires[0])
		w.due.Add(value, w.fires[0], id)
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
	w.due.Wake(at)
}

func (w *walker) fail(format string, args ...any) { w.note(fmt.Errorf(format, args...)) }

func (w *walker) note(err error) { w.err = cmp.Or(w.err, err) }

// checkFired compares a timer that fired with the expected one.
func (w *walker) checkFired(at structures.Tick, t structures.Timer[uint64]) {
	f, id, err := w.due.Fired(t.Value, at)
	if w.note(err); err == nil && (t.Deadline != f.At || t.ID != id) {
		w.fail("timer number %d fired with deadline %d and ID %#x, want deadline %d and ID %#x", t.Value, t.Deadline, t.ID, f.At, id)
	}
	if w.Fired != nil {
		w.Fired(at, t, f.Delay)
	}
}

// Check compares the outcome after a block with that of the generator. A late timer within its bound counts as
// pending.
func (w *walker) Check(b *script.Block) error {
	_, lost := w.due.Lost()
	w.note(lost)
	o := w.now()
	if err := o.checkAnswers(); err != nil {
		return err
	}
	if w.err != nil {
		return w.err
	}
	return o.done.Check(w.due.Without(b.Want))
}
