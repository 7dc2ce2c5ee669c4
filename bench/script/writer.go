package script

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/internal/eventqueue"
	"github.com/timerbench/timerbench/structures"
)

// Writer writes a script. It keeps its own model of which timers are pending and
// when each must fire, and shares no code with the structures, so that what it
// says must happen can be held against what they do.
//
// A workload drives it like a scheduler: what it calls is written down, and
// Advance tells it what fires.
type Writer struct {
	block *Block

	now     structures.Tick
	started structures.Tick // of the block
	area    float64         // pending timers x ticks since then

	timers []modelTimer // by key
	free   []uint32     // keys done with, the last one first
	live   []uint32     // keys pending, in no order
	due    eventqueue.Queue[dueEntry]
	fired  []uint32
	total  Proof

	interrupted func() bool // asked now and then; nil: never
	calls       uint        // since the start
}

// modelTimer is what the model knows of the timer of one key.
type modelTimer struct {
	delay   structures.Tick
	value   uint64
	place   int // in live
	version uint64
}

// dueEntry is a deadline that a timer has or had: it holds if the timer's
// version is still the same.
type dueEntry struct {
	key     uint32
	version uint64
}

// Now returns the tick that the script has reached.
func (w *Writer) Now() structures.Tick { return w.now }

// Pending returns the number of pending timers.
func (w *Writer) Pending() int { return len(w.live) }

// AnyPending returns the key of a pending timer, each with equal probability.
// There must be one.
func (w *Writer) AnyPending(r *dist.Rand) uint32 { return w.live[r.IntN(len(w.live))] }

// NextDeadline returns the tick at which the next timer fires; ok is false when
// none is pending.
func (w *Writer) NextDeadline() (at structures.Tick, ok bool) {
	for w.due.Len() > 0 {
		at, e := w.due.First()
		if w.timers[e.key].version == e.version {
			return at, true
		}
		w.due.Pop() // cancelled or moved since
	}
	return 0, false
}

// Advance pops everything due at tick to and returns the keys of what fires; the
// slice holds until the next call. A script goes neither back nor past a
// deadline, so that every exact structure fires at the same ticks under any
// driver.
func (w *Writer) Advance(to structures.Tick) []uint32 {
	if to < w.now {
		panic(fmt.Sprintf("script: Advance(%d) at tick %d", to, w.now))
	}
	w.check()
	w.area += float64(float64(len(w.live)) * float64(to-w.now))
	w.now = to
	w.fired = w.fired[:0]
	for {
		at, ok := w.NextDeadline()
		if !ok || at > to {
			break
		}
		if at < to {
			panic(fmt.Sprintf("script: Advance(%d) passes the deadline %d", to, at))
		}
		_, e := w.due.First()
		w.due.Pop()
		t := w.timers[e.key]
		w.drop(e.key)
		w.fired = append(w.fired, e.key)
		w.block.Fires = append(w.block.Fires, Fire{At: to, Value: t.value, Delay: t.delay, Key: e.key})
		w.total.Fired++
		w.total.Checksum += Checksum(to, t.value)
	}
	code := KindWake
	if len(w.fired) > 0 {
		code = KindFire
	}
	w.block.Add(code, Op{At: to})
	w.block.Pops++
	w.block.Calls += len(w.fired)
	return w.fired
}

// Schedule adds a timer that is due at deadline, which must lie in the future,
// and returns its key. Its value is its number in the script, from 0.
func (w *Writer) Schedule(deadline structures.Tick) uint32 {
	w.mustBeFuture("Schedule", deadline)
	w.check()
	var key uint32
	if n := len(w.free); n > 0 {
		key = w.free[n-1]
		w.free = w.free[:n-1]
	} else {
		key = uint32(len(w.timers))
		w.timers = append(w.timers, modelTimer{})
	}
	t := &w.timers[key]
	t.delay, t.value, t.place = deadline-w.now, w.total.Scheduled, len(w.live)
	w.live = append(w.live, key)
	w.due.Push(deadline, dueEntry{key, t.version})
	w.total.Scheduled++
	w.block.Add(KindSchedule, Op{At: deadline, Key: key})
	w.block.Calls++
	return key
}

// Reschedule moves a pending timer to deadline, which must lie in the future.
func (w *Writer) Reschedule(key uint32, deadline structures.Tick) {
	w.mustBeFuture("Reschedule", deadline)
	w.check()
	t := &w.timers[key]
	t.version++
	t.delay = deadline - w.now
	w.due.Push(deadline, dueEntry{key, t.version})
	w.block.Add(KindReschedule, Op{At: deadline, Key: key})
	w.block.Calls++
}

// Cancel removes a pending timer.
func (w *Writer) Cancel(key uint32) {
	w.drop(key)
	w.total.Cancelled++
	w.block.Add(KindCancel, Op{Key: key, Number: uint32(w.timers[key].value)})
	w.block.Calls++
}

// pending calls do with each pending timer, in no order.
func (w *Writer) pending(do func(Timer)) {
	for _, key := range w.live {
		do(Timer{key, w.timers[key].value})
	}
}

// interruption is what a process panics with in the middle of a script that is no
// longer wanted.
type interruption struct{}

// check ends the script if it is interrupted. A fill may take seconds, and a process
// does not look after that itself.
func (w *Writer) check() {
	const every = 1 << 12
	if w.calls++; w.calls%every == 0 && w.interrupted != nil && w.interrupted() {
		panic(interruption{})
	}
}

// PendingAs reports whether the timer with that value is pending under key still:
// keys are used again, values are not.
func (w *Writer) PendingAs(key uint32, value uint64) bool {
	t := &w.timers[key]
	return t.place < len(w.live) && w.live[t.place] == key && t.value == value
}

// ValueOf returns the value of the pending timer of a key.
func (w *Writer) ValueOf(key uint32) uint64 { return w.timers[key].value }

func (w *Writer) mustBeFuture(call string, deadline structures.Tick) {
	if deadline <= w.now {
		panic(fmt.Sprintf("script: %s(%d) at tick %d", call, deadline, w.now))
	}
}

func (w *Writer) drop(key uint32) {
	t := &w.timers[key]
	t.version++
	last := w.live[len(w.live)-1]
	w.live[t.place] = last
	w.timers[last].place = t.place
	w.live = w.live[:len(w.live)-1]
	w.free = append(w.free, key)
}

// begin starts a block, in the memory of an earlier one if reuse is not nil.
func (w *Writer) begin(reuse *Block) {
	w.block, w.started, w.area = Reuse(reuse), w.now, 0
}

// end completes the block and returns it.
func (w *Writer) end() *Block {
	b := w.block
	w.block = nil
	w.total.Pending = uint64(len(w.live))
	b.Keys, b.Want, b.Ticks = len(w.timers), w.total, w.now-w.started
	b.Resident = float64(len(w.live))
	if b.Ticks > 0 {
		b.Resident = w.area / float64(b.Ticks)
	}
	return b
}
