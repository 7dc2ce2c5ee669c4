package trace

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
// One goroutine at a time may use an Observer. It needs 80 bytes for each pending timer.
type Observer struct {
	d       deadlines
	epoch   int64 // time of tick 0
	pending map[uint64]*observed
}

type observed struct {
	recorded
	site Site
}

// NewObserver returns an Observer that records to w. Tick 0 is now, by the clock of the events.
func NewObserver(w *Writer, now int64) *Observer {
	return &Observer{newDeadlines(w), now, map[uint64]*observed{}}
}

// Observe records an event. If the clock of the events goes back, as it may between events of
// several threads, the event counts as one at the latest time so far.
func (o *Observer) Observe(e Event) {
	now, delay := minus(e.Now, o.epoch), minus(e.When, e.Now)
	timer := o.pending[e.Timer]
	if timer == nil {
		if e.Pending && e.Kind == EventStop {
			o.Lose(EventStop, 1)
			return
		}
		e.Pending = false
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
		if e.Site != (Site{}) {
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

// Lose records that n events of a kind were lost.
func (o *Observer) Lose(kind EventKind, n uint64) {
	o.d.w.totals.Lost += n
	o.d.w.totals.LostBy[kind] += n
}

// Err returns the error that ended the recording, or nil while it goes on.
func (o *Observer) Err() error { return o.d.w.err }

// Close completes the trace with the tick in which the program ends, at whose end the timers of
// this tick fire. It closes the Writer and returns the first error of the recording.
func (o *Observer) Close(now int64) error {
	o.endTick(now)
	return o.d.w.Close()
}

func (o *Observer) endTick(now int64) {
	if o.Err() == nil {
		o.d.advance(minus(minus(now, o.epoch), -o.d.tick), 0)
	}
}
