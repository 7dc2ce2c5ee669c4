package trace

import (
	"math"
	"sync"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/quadheap"
)

// deadlines records timers that another component runs. It keeps their deadlines in a heap of its
// own, so that the trace can name the timers that fire at each tick.
//
// In the trace a timer fires at the first tick at or after its deadline, and every tick at which
// timers fire is an advance. Other advances are few, because they count as operations in a
// replay. One is recorded only if the clock of the trace would otherwise be behind by more than
// 1/100 of the delay of the timer that is scheduled, moved or stopped, or by more than 10 ms. So
// deadlines are exact, and recorded delays are at most 1/100 and at most 10 ms too long.
type deadlines struct {
	w     *Writer // nil: nothing is recorded
	tick  time.Duration
	lag   structures.Tick // how far the clock may be behind
	clock structures.Tick
	heap  *quadheap.Heap[uint32] // the keys of the pending timers
	fired []uint32               // scratch
}

// recorded is the state of a recorded timer.
type recorded struct {
	id    structures.ID // in the heap
	key   uint32
	delay structures.Tick // the last one
}

// maxLag and lagShare bound how far the clock of the trace is behind, in time and as a share of a
// delay. They are chosen: nothing fires on 18, 13 and 3 % of the operations that
// examples/httpserver makes for 5, 50 and 500 connections. With 1/16 of a delay it is 16, 10 and 2 %.
const (
	maxLag   = 10 * time.Millisecond
	lagShare = 100
)

func newDeadlines(w *Writer) deadlines {
	d := deadlines{w: w, tick: w.header.Tick, heap: quadheap.New[uint32]()}
	d.lag = structures.Tick(maxLag / d.tick)
	d.pop(0) // the first advance: the trace covers the time from here on
	return d
}

// stop records that a timer, active or not, is stopped. Times are since tick 0.
func (d *deadlines) stop(timer *recorded, now time.Duration, active bool) {
	if d.w.err != nil {
		return
	}
	d.advance(now, timer.delay)
	if active && d.heap.Cancel(timer.id) {
		d.w.Cancel(timer.key)
	} else { // even if the timer fires later in this tick of the trace
		d.w.Refused(Cancel)
	}
}

// reset records that a timer, active or not, gets a delay.
func (d *deadlines) reset(timer *recorded, now, delay time.Duration, active bool) {
	if d.w.err != nil {
		return
	}
	deadline := d.firstTick(now, delay)
	timer.delay = deadline - structures.Tick(now/d.tick)
	d.advance(now, timer.delay)
	deadline = max(deadline, d.clock+1)
	if active {
		if d.heap.Reschedule(timer.id, deadline) {
			d.w.Reschedule(timer.key, deadline)
			return
		}
		d.w.Refused(Reschedule)
	}
	timer.key = d.w.Schedule(deadline)
	timer.id = d.heap.Schedule(deadline, timer.key)
}

// advance fires the due timers in the trace, each at its own tick, as a tickless driver does. It
// then advances to the present if the clock would be too far behind for a timer with this delay.
func (d *deadlines) advance(now time.Duration, delay structures.Tick) {
	tick := structures.Tick(now / d.tick)
	for at, ok := d.heap.Next(); ok && at <= tick; at, ok = d.heap.Next() {
		d.pop(at)
	}
	if tick-d.clock > min(delay/lagShare, d.lag) {
		d.pop(tick)
	}
}

// pop advances to a tick.
func (d *deadlines) pop(to structures.Tick) {
	d.fired = d.fired[:0]
	for timer := range structures.Due(d.heap, to) {
		d.fired = append(d.fired, timer.Value)
	}
	d.w.Advance(to, d.fired...)
	d.clock = to
}

// firstTick returns the first tick at or after the time that is delay after now.
func (d *deadlines) firstTick(now, delay time.Duration) structures.Tick {
	end := time.Duration(math.MaxInt64)
	if delay < end-now {
		end = now + max(delay, 0)
	}
	tick := structures.Tick(end / d.tick)
	if end%d.tick > 0 {
		tick++
	}
	return tick
}

// Timers is time.AfterFunc with a recording, for a program that keeps its timers in Go's runtime.
// Go's timers do the work. The zero Timers records nothing.
//
// AfterFunc records a schedule. Stop records a cancel. Reset records a reschedule, or a schedule
// if the timer is not pending. Any goroutine may call them at any time. Deadlines are exact to
// the tick, and recorded delays are at most 1/100 and at most 10 ms too long.
//
// Go's runtime can run a function late. If the program stops or resets the timer shortly before,
// the timer has already fired in the trace. The trace then holds a refused cancel, or a schedule
// instead of a reschedule.
//
// Without a recording, a timer takes 32 bytes more than one of Go, and a call about 5 ns more. A
// recording adds about 80 ns to a call.
type Timers struct {
	mu    sync.Mutex // guards d, and recorded in each Timer
	d     deadlines
	start time.Time // tick 0
}

// NewTimers returns Timers that record to w. Tick 0 is the present. Closing the Timers closes w.
func NewTimers(w *Writer) *Timers { return &Timers{d: newDeadlines(w), start: time.Now()} }

// AfterFunc does what time.AfterFunc does, and records it.
func (t *Timers) AfterFunc(d time.Duration, f func()) *Timer {
	timer := &Timer{of: t}
	if t.d.w == nil {
		timer.timer = time.AfterFunc(d, f)
		return timer
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	timer.timer = time.AfterFunc(d, f)
	t.d.reset(&timer.recorded, time.Since(t.start), d, false)
	return timer
}

// Close completes the trace and returns the first error of the recording. The timers go on, and
// their operations are no longer recorded.
func (t *Timers) Close() error {
	if t.d.w == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.d.w.err == nil {
		t.d.advance(time.Since(t.start), 0)
	}
	return t.d.w.Close()
}

// Timer is a timer that [Timers.AfterFunc] has returned.
type Timer struct {
	recorded
	of    *Timers
	timer *time.Timer
}

// Stop does what Stop of time.Timer does, and records it.
func (t *Timer) Stop() bool {
	if t.of.d.w == nil {
		return t.timer.Stop()
	}
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	active := t.timer.Stop()
	t.of.d.stop(&t.recorded, time.Since(t.of.start), active)
	return active
}

// Reset does what Reset of time.Timer does, and records it.
func (t *Timer) Reset(d time.Duration) bool {
	if t.of.d.w == nil {
		return t.timer.Reset(d)
	}
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	active := t.timer.Reset(d)
	t.of.d.reset(&t.recorded, time.Since(t.of.start), d, active)
	return active
}
