package workload

import (
	"fmt"
	"math"
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// event is something that happens: what was planned, such as a message that arrives, or a timer that fires.
type event struct {
	owner, kind int32           // whose it is, such as a connection; the kind of the timer, or another one
	tick        structures.Tick // data of the process
}

// of returns an event of a kind, or the timer of that kind, of an owner.
func of(owner, kind int) event { return event{owner: int32(owner), kind: int32(kind)} }

// eventLoop runs a process from event to event. Each owner has a timer of each kind, which
// can be moved and cancelled, and set again after it has fired or was cancelled.
type eventLoop struct {
	tick    time.Duration
	kinds   int
	timers  []timerRef // by owner and kind
	planned script.Queue[event]
	fires   []event // what happens when a timer fires, by key
	fired   []event // buffer of advance
	arrival float64 // when the next one of a stream of arrivals comes
}

// timerRef refers to a timer of the script. The zero timerRef is not set.
type timerRef struct {
	key        uint32
	valuePlus1 uint64 // 1 + the value of the timer; 0: never set
}

func newEventLoop(tick time.Duration, owners, kinds int) eventLoop {
	return eventLoop{tick: tick, kinds: kinds, timers: make([]timerRef, owners*kinds)}
}

// in returns a parameter in ticks.
func (l *eventLoop) in(d Duration) structures.Tick { return d.ticks(l.tick) }

func (l *eventLoop) timer(e event) *timerRef { return &l.timers[int(e.owner)*l.kinds+int(e.kind)] }

func (l *eventLoop) pending(w *script.Writer, e event) bool {
	t := l.timer(e)
	return t.valuePlus1 > 0 && w.PendingAs(t.key, t.valuePlus1-1)
}

func (l *eventLoop) plan(at structures.Tick, e event) { l.planned.Push(at, e) }

// planArrival plans the next arrival, which comes that many ticks after the one before.
func (l *eventLoop) planArrival(w *script.Writer, after float64, e event) {
	l.arrival += after
	l.plan(max(w.Now(), structures.Tick(math.Ceil(l.arrival))), e)
}

// schedule schedules a timer that fires the event e. It is neither moved nor cancelled.
func (l *eventLoop) schedule(w *script.Writer, at structures.Tick, e event) uint32 {
	key := w.Schedule(at)
	for int(key) >= len(l.fires) {
		l.fires = append(l.fires, e)
	}
	l.fires[key] = e
	return key
}

// set moves that timer if it is pending, and schedules a new one otherwise. When it fires, e happens.
func (l *eventLoop) set(w *script.Writer, at structures.Tick, e event) {
	t := l.timer(e)
	if l.pending(w, e) {
		w.Reschedule(t.key, at)
		l.fires[t.key] = e
		return
	}
	key := l.schedule(w, at, e)
	*t = timerRef{key, w.ValueOf(key) + 1}
}

func (l *eventLoop) cancel(w *script.Writer, e event) {
	if l.pending(w, e) {
		w.Cancel(l.timer(e).key)
	}
}

// forget leaves the pending timers of an owner to themselves.
func (l *eventLoop) forget(owner int) { clear(l.timers[owner*l.kinds:][:l.kinds]) }

// next returns the tick of the next event; ok is false if there is none.
func (l *eventLoop) next(w *script.Writer) (at structures.Tick, ok bool) {
	at, ok = w.NextDeadline()
	if l.planned.Len() > 0 {
		if planned, _ := l.planned.First(); !ok || planned < at {
			return planned, true
		}
	}
	return at, ok
}

// nextOrArrival returns the tick of the next event, or of the next arrival if rate of them come in a tick, at random.
func (l *eventLoop) nextOrArrival(w *script.Writer, r *script.Rand, rate float64) structures.Tick {
	if l.arrival == 0 { // with a rate of 0 the first arrival is at +Inf
		l.arrival = float64(w.Now()) + r.Exp()/rate
	}
	next := structures.Tick(math.Ceil(math.Min(l.arrival, math.MaxInt64/2)))
	if at, ok := l.next(w); ok {
		next = min(next, at)
	}
	return max(next, w.Now())
}

// advance advances to a tick and returns what happens as timers fire there.
func (l *eventLoop) advance(w *script.Writer, to structures.Tick) []event {
	l.fired = l.fired[:0] // copied, because timers that are scheduled now reuse the keys
	for _, key := range w.Advance(to) {
		l.fired = append(l.fired, l.fires[key])
	}
	return l.fired
}

// happen calls handle for the events that are planned up to a tick.
func (l *eventLoop) happen(to structures.Tick, handle func(event)) {
	for l.planned.Len() > 0 {
		at, e := l.planned.First()
		if at > to {
			break
		}
		l.planned.Pop()
		handle(e)
	}
}

// nextTick advances to the tick of the next event. It calls handle for the timers that
// fire there, then for the planned events.
func (l *eventLoop) nextTick(w *script.Writer, handle func(event)) {
	to, ok := l.next(w)
	if !ok {
		panic(fmt.Sprintf("bench: nothing left to happen at tick %d", w.Now()))
	}
	for _, e := range l.advance(w, to) {
		handle(e)
	}
	l.happen(to, handle)
}
