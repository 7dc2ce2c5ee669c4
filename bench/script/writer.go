package script

import (
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
)

// Writer records a script. A process calls it like a scheduler. The Writer records each
// call, and Advance returns the timers that fire.
//
// The Writer keeps its own model of the pending timers and their deadlines. It shares
// no code with the structures, so a fault of theirs cannot change the expected outcome.
type Writer struct {
	block *Block
	known bool // of the blocks

	now        structures.Tick
	started    structures.Tick // first tick of the block
	timerTicks float64         // sum of pending timers x ticks in the block

	timers      []modelTimer // by key
	free        []uint32     // keys to reuse, a stack
	pendingKeys []uint32     // keys of pending timers, in no order
	deadlines   Queue[dueEntry]
	fired       []uint32
	total       Proof
	late        uint64 // sum of LateChecksum
	tally       Tally  // its queue holds the dead entries that left deadlines before they were due
	filled      bool   // the first block is written
	operations  int    // since then

	interrupted func() error // why to stop writing, or nil
	callCount   uint         // calls of checkInterrupted
}

// modelTimer is the state of the timer of one key.
type modelTimer struct {
	delay   structures.Tick
	value   uint64
	index   uint32 // in pendingKeys
	version uint32
}

// dueEntry is an entry of the event queue. It is valid while its version is that of the
// timer. Moving, cancelling or firing a timer changes the version.
type dueEntry struct{ key, version uint32 }

// KnowAhead says that the program knows which timers it cancels and moves next.
func (w *Writer) KnowAhead() { w.known = true }

// Now returns the tick that the script has reached.
func (w *Writer) Now() structures.Tick { return w.now }

// Pending returns the number of pending timers.
func (w *Writer) Pending() int { return len(w.pendingKeys) }

// AnyPending returns the key of a pending timer, each with equal probability. There must be one.
func (w *Writer) AnyPending(r *Rand) uint32 { return w.pendingKeys[r.IntN(len(w.pendingKeys))] }

// NextDeadline returns the tick at which the next timer fires; ok is false when none is pending.
func (w *Writer) NextDeadline() (at structures.Tick, ok bool) {
	for w.deadlines.Len() > 0 {
		at, e := w.deadlines.First()
		if w.timers[e.key].version == e.version {
			return at, true
		}
		w.deadlines.Pop()
		if at > w.now {
			w.tally.dead.Push(at, struct{}{})
		} else {
			w.tally.Due++
		}
	}
	return 0, false
}

// Advance moves the clock to a tick and returns the keys of the timers that fire there. The slice is valid until the
// next call. Advance panics if the tick is before the current one or after the next deadline. So every exact
// structure fires at the same ticks under any driver.
func (w *Writer) Advance(to structures.Tick) []uint32 {
	if at, ok := w.NextDeadline(); ok && at < to {
		panic(fmt.Sprintf("script: Advance(%d) passes the deadline %d", to, at))
	}
	return w.Wake(to)
}

// Wake is Advance for a program that wakes late: it may pass deadlines.
func (w *Writer) Wake(to structures.Tick) []uint32 {
	if to < w.now {
		panic(fmt.Sprintf("script: Wake(%d) at tick %d", to, w.now))
	}
	w.checkInterrupted()
	w.timerTicks += float64(float64(len(w.pendingKeys)) * float64(to-w.now))
	w.now = to
	w.tally.Reach(to)
	w.fired = w.fired[:0]
	for at, ok := w.NextDeadline(); ok && at <= to; at, ok = w.NextDeadline() {
		_, e := w.deadlines.First()
		w.deadlines.Pop()
		t := w.timers[e.key]
		w.removePending(e.key)
		w.fired = append(w.fired, e.key)
		w.block.Fires = append(w.block.Fires, Fire{At: at, Value: t.value, Delay: t.delay, Key: e.key})
		sum := Checksum(at, t.value)
		w.total.Fired++
		w.total.Checksum += sum
		w.late += LateChecksum(to, at, sum)
	}
	kind := KindWake
	if len(w.fired) > 0 {
		kind = KindFire
	}
	w.block.Add(kind, Op{At: to})
	w.block.Pops++
	w.block.Calls += len(w.fired)
	return w.fired
}

// WakeFires is Wake for a caller that wants the timers: the earliest deadline first, and FIFO.
func (w *Writer) WakeFires(to structures.Tick) []Fire {
	n := len(w.Wake(to))
	return w.block.Fires[len(w.block.Fires)-n:]
}

// Schedule adds a timer and returns its key. It panics unless the deadline is in the
// future. The value of a timer is its number in the script, from 0.
func (w *Writer) Schedule(deadline structures.Tick) uint32 {
	key := uint32(len(w.timers))
	if n := len(w.free); n > 0 {
		key = w.free[n-1]
		w.free = w.free[:n-1]
	}
	w.ScheduleAs(key, deadline)
	return key
}

// ScheduleAs is Schedule with a key of the caller, which no pending timer has. A script has keys of one kind.
func (w *Writer) ScheduleAs(key uint32, deadline structures.Tick) {
	w.mustBeFuture("Schedule", deadline)
	w.checkInterrupted()
	for uint32(len(w.timers)) <= key {
		w.timers = append(w.timers, modelTimer{})
	}
	t := &w.timers[key]
	t.delay, t.value, t.index = deadline-w.now, w.total.Scheduled, uint32(len(w.pendingKeys))
	w.pendingKeys = append(w.pendingKeys, key)
	w.deadlines.Push(deadline, dueEntry{key, t.version})
	w.tally.Set(t.delay)
	w.total.Scheduled++
	w.block.Add(KindSchedule, Op{At: deadline, Key: key})
	w.block.Calls++
}

// Reschedule moves a pending timer to a deadline. It panics unless the deadline is in the future.
func (w *Writer) Reschedule(key uint32, deadline structures.Tick) {
	w.mustBeFuture("Reschedule", deadline)
	w.checkInterrupted()
	t := &w.timers[key]
	t.version++
	t.delay = deadline - w.now
	w.deadlines.Push(deadline, dueEntry{key, t.version})
	w.tally.Set(t.delay)
	w.tally.Made++
	w.block.Add(KindReschedule, Op{At: deadline, Key: key})
	w.block.Calls++
}

// Cancel removes a pending timer.
func (w *Writer) Cancel(key uint32) {
	w.removePending(key)
	w.tally.Made++
	w.total.Cancelled++
	w.block.Add(KindCancel, Op{Key: key, Number: uint32(w.timers[key].value)})
	w.block.Calls++
}

// Refuse cancels a timer that is not pending, or moves it to a tick if that is not 0.
func (w *Writer) Refuse(at structures.Tick) {
	w.block.Add(KindRefused, Op{At: at})
	w.block.Calls++
}

// stopped is the value of the panic of Stop.
type stopped struct{ err error }

// Stop stops the writing of a block, which returns the error. With io.EOF the script ends after that block.
func (w *Writer) Stop(err error) { panic(stopped{err}) }

// checkInterrupted stops if the context is done. A fill may take seconds, and processes do not check a context.
func (w *Writer) checkInterrupted() {
	const every = 1 << 12
	if w.callCount++; w.callCount%every == 0 {
		if err := w.interrupted(); err != nil {
			w.Stop(err)
		}
	}
}

// IsPending reports whether the timer of a key is pending.
func (w *Writer) IsPending(key uint32) bool {
	if int(key) >= len(w.timers) {
		return false
	}
	t := &w.timers[key]
	return int(t.index) < len(w.pendingKeys) && w.pendingKeys[t.index] == key
}

// PendingAs reports whether the timer with that value is still pending. Its key may
// belong to a later timer now: keys are reused, values are not.
func (w *Writer) PendingAs(key uint32, value uint64) bool {
	return w.IsPending(key) && w.timers[key].value == value
}

// ValueOf returns the value of the pending timer of a key.
func (w *Writer) ValueOf(key uint32) uint64 { return w.timers[key].value }

func (w *Writer) mustBeFuture(call string, deadline structures.Tick) {
	if deadline <= w.now && deadline < math.MaxInt64 {
		panic(fmt.Sprintf("script: %s(%d) at tick %d", call, deadline, w.now))
	}
}

func (w *Writer) removePending(key uint32) {
	t := &w.timers[key]
	t.version++
	last := w.pendingKeys[len(w.pendingKeys)-1]
	w.pendingKeys[t.index] = last
	w.timers[last].index = t.index
	w.pendingKeys = w.pendingKeys[:len(w.pendingKeys)-1]
	w.free = append(w.free, key)
}

func (w *Writer) begin(reuse *Block) {
	w.block, w.started, w.timerTicks = Reuse(reuse), w.now, 0
}

func (w *Writer) end() *Block {
	b := w.block
	w.block = nil
	w.total.Pending = uint64(len(w.pendingKeys))
	if w.filled {
		w.operations += b.Calls + b.Pops
	}
	w.filled = true
	b.Keys, b.Want, b.Late, b.Known = len(w.timers), w.total, w.late, w.known
	b.End = Moment{w.operations, w.now, w.total.Fired, w.tally.Passage}
	b.Resident = float64(len(w.pendingKeys))
	if ticks := w.now - w.started; ticks > 0 {
		b.Resident = w.timerTicks / float64(ticks)
	}
	return b
}
