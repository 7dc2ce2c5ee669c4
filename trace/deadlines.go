package trace

import (
	"container/heap"
	"math"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// deadlines records timers that another component runs. It keeps their deadlines in a heap of its
// own, so that the trace can name the timers that fire at each tick.
//
// In the trace a timer fires at the first tick at or after its deadline, and every tick at which timers fire is an
// advance. Other advances are few, because they count as operations in a replay. One is recorded only if the clock of
// the trace would otherwise be behind by more than 1/100 of the delay of the timer that is scheduled, moved or stopped,
// or by more than 10 ms. So deadlines are exact, and recorded delays are at most 1/100 and at most 10 ms too long.
type deadlines struct {
	w     *Writer // nil: nothing is recorded
	tick  time.Duration
	lag   structures.Tick // how far the clock may be behind
	clock structures.Tick
	heap  byDeadline // the pending timers
	seq   uint64     // schedules and moves so far
	fired []uint32   // scratch
}

type recorded struct {
	node  *pendingTimer   // the last one; nil: it was never scheduled
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
	d := deadlines{w: w, tick: w.header.Tick}
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
	if active && timer.pending() {
		heap.Remove(&d.heap, timer.node.place-1)
		d.w.Cancel(timer.node.key)
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
	d.seq++
	if active {
		if timer.pending() {
			timer.node.deadline, timer.node.seq = deadline, d.seq
			heap.Fix(&d.heap, timer.node.place-1)
			d.w.Reschedule(timer.node.key, deadline)
			return
		}
		d.w.Refused(Reschedule)
	}
	if timer.node == nil || timer.pending() { // a ticker may get its next deadline before the tick of the last one
		timer.node = new(pendingTimer)
	}
	timer.node.key, timer.node.deadline, timer.node.seq = d.w.Schedule(deadline), deadline, d.seq
	heap.Push(&d.heap, timer.node)
}

func (r *recorded) pending() bool { return r.node != nil && r.node.place > 0 }

// advance fires the due timers in the trace, each at its own tick, as a tickless driver does. It
// then advances to the present if the clock would be too far behind for a timer with this delay.
func (d *deadlines) advance(now time.Duration, delay structures.Tick) {
	tick := structures.Tick(now / d.tick)
	for len(d.heap) > 0 && d.heap[0].deadline <= tick {
		d.pop(d.heap[0].deadline)
	}
	if tick-d.clock > min(delay/lagShare, d.lag) {
		d.pop(tick)
	}
}

func (d *deadlines) pop(to structures.Tick) {
	d.fired = d.fired[:0]
	for len(d.heap) > 0 && d.heap[0].deadline <= to {
		d.fired = append(d.fired, heap.Pop(&d.heap).(*pendingTimer).key)
	}
	d.w.Advance(to, d.fired...)
	d.clock = to
}

// firstTick returns the first tick at or after the time that is delay after now.
func (d *deadlines) firstTick(now, delay time.Duration) structures.Tick {
	end := minus(now, -max(delay, 0))
	tick := structures.Tick(end / d.tick)
	if end%d.tick > 0 && tick < math.MaxInt64 {
		tick++
	}
	return tick
}

// minus returns the time from b to a, or the nearest duration.
func minus[T int64 | time.Duration](a, b T) time.Duration {
	return time.Unix(0, int64(a)).Sub(time.Unix(0, int64(b)))
}
