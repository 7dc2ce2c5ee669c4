package trace

import (
	"container/heap"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// Event is an operation on a timer that an Observer does not run itself. Times are in nanoseconds
// by the clock of the events.
type Event struct {
	Kind    EventKind
	Timer   uint64 // names the timer, as its address does; a later timer may have the same name
	Now     int64
	When    int64 // the deadline after the event; 0: none
	Pending bool  // the timer was pending before
	Site    Site  // set: where in the program; the zero Site: where the pending timer was set, or not known
}

// EventKind is the kind of an Event.
type EventKind uint8

// The kinds of events, as the runtime of a program built by "trace build" numbers them.
const (
	EventSet  EventKind = iota // a timer gets a deadline
	EventStop                  // a timer is stopped
	EventFire                  // a timer fires, and perhaps gets its next deadline
	eventKinds
)

// Observer records timers that it does not run, such as those of Go's runtime or of another program, from the events of
// each timer. The trace holds the timers that were asked for: a timer is pending until its deadline, even if it fires
// late or was taken out of a heap before, and it fires at its deadline, rounded up to a tick. A pending timer whose
// first event was lost is in the trace from the event on that gives it a deadline. An EventStop before counts as lost.
//
// Every tick at which timers fire is an advance. Other advances are few, because they count as operations in a replay.
// One is recorded only if the clock of the trace would otherwise be behind by more than 1/100 of the delay of the timer
// that is set or stopped, or by more than 10 ms. So deadlines are exact, and recorded delays are at most 1/100 and at
// most 10 ms too long.
//
// One goroutine at a time may use an Observer. It needs 80 bytes for each pending timer.
type Observer struct {
	w       *Writer
	epoch   int64                // time of tick 0
	timers  map[uint64]*observed // those that are pending, by the name of the events
	pending byDeadline           // in the trace
	fired   []uint32             // scratch
}

// observed is a timer of the program.
type observed struct {
	site  Site
	delay structures.Tick // the last one
	node  *pendingTimer   // the last one; nil: the timer was never scheduled
}

// maxLag and lagShare bound how far the clock of the trace is behind, in time and as a share of a delay (chosen).
const (
	maxLag   = 10 * time.Millisecond
	lagShare = 100
)

// NewObserver returns an Observer that records to w. Tick 0 is now, by the clock of the events.
func NewObserver(w *Writer, now int64) *Observer {
	w.Advance(0) // the trace covers the time from here on
	w.ran = make([]uint64, 1)
	return &Observer{w: w, epoch: now, timers: map[uint64]*observed{}}
}

// Observe records an event. If the clock of the events goes back, as it may between events of
// several threads, the event counts as one at the latest time so far.
func (o *Observer) Observe(e Event) {
	timer := o.timers[e.Timer]
	switch {
	case timer != nil:
		if e.When == 0 {
			delete(o.timers, e.Timer)
		}
	case e.Pending && e.Kind == EventStop:
		o.Lose(EventStop, 1)
		return
	default:
		e.Pending = false
		timer = new(observed)
		if e.When > 0 {
			o.timers[e.Timer] = timer
		}
	}
	if o.w.err != nil {
		return
	}
	now := minus(e.Now, o.epoch)
	switch e.Kind {
	case EventSet:
		if e.Site != (Site{}) {
			timer.site = e.Site
		}
		o.set(timer, now, e)
	case EventStop:
		o.advance(now, timer.delay)
		if e.Pending && timer.pending() {
			heap.Remove(&o.pending, timer.node.place-1)
			o.w.Cancel(timer.node.key)
		} else { // even if the timer fires later in this tick of the trace
			o.w.Refused(Cancel)
		}
	case EventFire:
		o.w.fires(timer.site)
		o.advance(now, timer.delay)
		if e.When > 0 { // a ticker
			e.Pending = false
			o.set(timer, now, e)
		}
	}
}

// set records that a timer gets a deadline: the first tick at or after that of the event.
func (o *Observer) set(timer *observed, now time.Duration, e Event) {
	tick := o.w.header.Tick
	at := minus(int64(now), -max(int64(minus(e.When, e.Now)), 0))
	deadline := structures.Tick(at / tick)
	if at%tick > 0 {
		deadline++
	}
	timer.delay = deadline - structures.Tick(now/tick)
	o.advance(now, timer.delay)
	deadline = max(deadline, o.w.totals.Last+1)
	if e.Pending {
		if timer.pending() {
			timer.node.deadline = deadline
			heap.Fix(&o.pending, timer.node.place-1)
			o.w.Reschedule(timer.node.key, deadline)
			return
		}
		o.w.Refused(Reschedule)
	}
	o.w.From(timer.site)
	if timer.node == nil || timer.pending() { // a ticker may get its next deadline before the tick of the last one
		timer.node = new(pendingTimer)
	}
	timer.node.key, timer.node.deadline = o.w.Schedule(deadline), deadline
	heap.Push(&o.pending, timer.node)
}

// advance fires the due timers in the trace, each at its own tick, as a tickless driver does. It
// then advances to the present if the clock would be too far behind for a timer with this delay.
func (o *Observer) advance(now time.Duration, delay structures.Tick) {
	tick := structures.Tick(now / o.w.header.Tick)
	for len(o.pending) > 0 && o.pending[0].deadline <= tick {
		o.fire(o.pending[0].deadline)
	}
	if lag := structures.Tick(maxLag / o.w.header.Tick); tick-o.w.totals.Last > min(delay/lagShare, lag) {
		o.fire(tick)
	}
}

// fire records that the clock moves to a tick, and that the due timers fire.
func (o *Observer) fire(to structures.Tick) {
	o.fired = o.fired[:0]
	for len(o.pending) > 0 && o.pending[0].deadline <= to {
		o.fired = append(o.fired, heap.Pop(&o.pending).(*pendingTimer).key)
	}
	o.w.Advance(to, o.fired...)
}

// Lose records that n events of a kind were lost.
func (o *Observer) Lose(kind EventKind, n uint64) {
	o.w.totals.Lost += n
	o.w.totals.LostBy[kind] += n
}

// Err returns the error that ended the recording, or nil while it goes on.
func (o *Observer) Err() error { return o.w.err }

// Close completes the trace with the tick in which the program ends, at whose end the timers of
// this tick fire. It closes the Writer and returns the first error of the recording.
func (o *Observer) Close(now int64) error {
	o.endTick(now)
	return o.w.Close()
}

func (o *Observer) endTick(now int64) {
	if o.Err() == nil {
		o.advance(minus(int64(minus(now, o.epoch)), -int64(o.w.header.Tick)), 0)
	}
}

// minus returns the time from b to a, or the nearest duration.
func minus(a, b int64) time.Duration { return time.Unix(0, a).Sub(time.Unix(0, b)) }

// pendingTimer is a timer that is pending in the trace.
type pendingTimer struct {
	deadline structures.Tick
	key      uint32
	place    int // in the heap, from 1; 0: no longer pending
}

func (t *observed) pending() bool { return t.node != nil && t.node.place > 0 }

// byDeadline is a heap for container/heap. A recorded program carries it, so it is not one of the structures.
type byDeadline []*pendingTimer

func (h byDeadline) Len() int { return len(h) }

func (h byDeadline) Less(i, j int) bool { return h[i].deadline < h[j].deadline }

func (h byDeadline) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i+1, j+1
}

// Push implements heap.Interface.
func (h *byDeadline) Push(x any) {
	t := x.(*pendingTimer)
	*h = append(*h, t)
	t.place = len(*h)
}

// Pop implements heap.Interface.
func (h *byDeadline) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last], *h = nil, (*h)[:last]
	t.place = 0
	return t
}
