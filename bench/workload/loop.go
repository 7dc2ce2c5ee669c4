package workload

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/internal/eventqueue"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// loop takes a process from event to event, however far they lie apart: those
// that it has planned, such as a message that arrives, and the timers that it has
// set. E says what either of them means to the process.
type loop[E any] struct {
	plans  eventqueue.Queue[E]
	owners []E // by key
	fired  []E // scratch of step
}

// alarm is a timer that its owner holds on to. It can be set again once it has
// fired or been stopped. The zero alarm is not set.
type alarm struct {
	key    uint32
	number uint64 // one more than the value of its timer
}

func (a alarm) pending(w *script.Writer) bool { return a.number > 0 && w.PendingAs(a.key, a.number-1) }

// plan makes e happen at a tick.
func (l *loop[E]) plan(at structures.Tick, e E) { l.plans.Push(at, e) }

// start schedules a timer that nobody will touch again.
func (l *loop[E]) start(w *script.Writer, at structures.Tick, e E) uint32 {
	key := w.Schedule(at)
	for int(key) >= len(l.owners) {
		l.owners = append(l.owners, e)
	}
	l.owners[key] = e
	return key
}

// set schedules the timer of an alarm, or moves it if it is pending.
func (l *loop[E]) set(w *script.Writer, a *alarm, at structures.Tick, e E) {
	if a.pending(w) {
		w.Reschedule(a.key, at)
		l.owners[a.key] = e
		return
	}
	key := l.start(w, at, e)
	*a = alarm{key, w.ValueOf(key) + 1}
}

// stop cancels the timer of an alarm if it is pending.
func (l *loop[E]) stop(w *script.Writer, a *alarm) {
	if a.pending(w) {
		w.Cancel(a.key)
	}
}

// step goes to the next tick on which something happens, pops what is due there
// as an event loop does, and hands over what has fired, then what was planned.
func (l *loop[E]) step(w *script.Writer, handle func(E)) {
	to, ok := w.NextDeadline()
	if l.plans.Len() > 0 {
		if at, _ := l.plans.First(); !ok || at < to {
			to, ok = at, true
		}
	}
	if !ok {
		panic(fmt.Sprintf("bench: nothing left to happen at tick %d", w.Now()))
	}
	// Keys are used again as soon as something is scheduled.
	l.fired = l.fired[:0]
	for _, key := range w.Advance(to) {
		l.fired = append(l.fired, l.owners[key])
	}
	for _, e := range l.fired {
		handle(e)
	}
	for l.plans.Len() > 0 {
		at, e := l.plans.First()
		if at > to {
			break
		}
		l.plans.Pop()
		handle(e)
	}
}
