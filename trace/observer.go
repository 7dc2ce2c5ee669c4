package trace

import "time"

// An Event is what somebody else did to one of his timers. Times are in nanoseconds, on his
// clock.
type Event struct {
	Kind    EventKind
	Timer   uint64 // names the timer, as its address does; a later timer may have the same name
	Now     int64
	When    int64  // the deadline after the event; 0: none
	Pending bool   // the timer was pending before
	Site    string // set: where in the program; "": where the pending timer was set, or not known
}

// EventKind says what was done to a timer.
type EventKind uint8

// The kinds of events, as the runtime of a program built by "trace build" numbers them.
const (
	EventSet  EventKind = iota // a timer gets a deadline
	EventStop                  // a timer is stopped
	EventFire                  // a timer fires, and perhaps gets its next deadline
)

// Observer records the timers of Go's runtime or of another program from their events. The trace holds what was asked for: a timer is
// pending until its deadline, even if it fires late or was taken out of a heap before, and it
// fires at its deadline, rounded up to a tick.
//
// An Observer is for one goroutine at a time. It needs 80 bytes for each timer that is pending.
type Observer struct {
	d       deadlines
	epoch   int64 // tick 0 on the clock of the events
	pending map[uint64]*observed
}

type observed struct {
	recorded
	site string
}

// NewObserver returns an Observer that records to w. Tick 0 is now, on the clock of the events.
func NewObserver(w *Writer, now int64) *Observer {
	return &Observer{newDeadlines(w), now, map[uint64]*observed{}}
}

// Observe records an event. The clock of the events must not go back.
func (o *Observer) Observe(e Event) {
	now, delay := time.Duration(e.Now-o.epoch), time.Duration(e.When-e.Now)
	timer := o.pending[e.Timer]
	if timer == nil {
		timer = new(observed)
		if e.When > 0 {
			o.pending[e.Timer] = timer
		}
	} else if e.When == 0 {
		delete(o.pending, e.Timer)
	}
	switch e.Kind {
	case EventStop:
		o.d.stop(&timer.recorded, now, e.Pending)
	case EventSet:
		if e.Site != "" {
			timer.site = e.Site
		}
		o.d.w.From(timer.site)
		o.d.reset(&timer.recorded, now, delay, e.Pending)
	case EventFire:
		o.d.advance(now, timer.delay)
		if e.When > 0 { // a ticker
			o.d.w.From(timer.site)
			o.d.reset(&timer.recorded, now, delay, false)
		}
	}
}

// Lose notes events that are not known.
func (o *Observer) Lose(events uint64) { o.d.w.totals.Lost += events }

// Err returns the error that ended the recording, or nil while it goes on.
func (o *Observer) Err() error { return o.d.w.err }

// Close completes the trace, with the tick in which the program ends: what fired in this tick
// is due at its end. It closes the Writer.
func (o *Observer) Close(now int64) error {
	if o.Err() == nil {
		o.d.advance(time.Duration(now-o.epoch)+o.d.tick, 0)
	}
	return o.d.w.Close()
}
