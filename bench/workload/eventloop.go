package workload

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/internal/eventqueue"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// eventLoop runs a process from event to event. An event is a planned one, such as a
// message that arrives, or a timer that fires. E describes an event to the process.
type eventLoop[E any] struct {
	planned     eventqueue.Queue[E]
	timerEvents []E // events of the timers, by key
	fired       []E // buffer of nextTick
}

// timerRef refers to a timer that a process can move and cancel. The timer can be set
// again after it has fired or was cancelled. The zero timerRef is not set.
type timerRef struct {
	key        uint32
	valuePlus1 uint64 // 1 + the value of the timer; 0: never set
}

func (a timerRef) pending(w *script.Writer) bool {
	return a.valuePlus1 > 0 && w.PendingAs(a.key, a.valuePlus1-1)
}

// planEvent plans the event e at a tick.
func (l *eventLoop[E]) planEvent(at structures.Tick, e E) { l.planned.Push(at, e) }

// schedule schedules a timer that fires the event e. It is neither moved nor cancelled.
func (l *eventLoop[E]) schedule(w *script.Writer, at structures.Tick, e E) uint32 {
	key := w.Schedule(at)
	for int(key) >= len(l.timerEvents) {
		l.timerEvents = append(l.timerEvents, e)
	}
	l.timerEvents[key] = e
	return key
}

// setTimer moves the timer of a if it is pending, and schedules a new one otherwise.
func (l *eventLoop[E]) setTimer(w *script.Writer, a *timerRef, at structures.Tick, e E) {
	if a.pending(w) {
		w.Reschedule(a.key, at)
		l.timerEvents[a.key] = e
		return
	}
	key := l.schedule(w, at, e)
	*a = timerRef{key, w.ValueOf(key) + 1}
}

// cancelTimer cancels the timer of a if it is pending.
func (l *eventLoop[E]) cancelTimer(w *script.Writer, a *timerRef) {
	if a.pending(w) {
		w.Cancel(a.key)
	}
}

// nextTick advances to the tick of the next event. It calls handle for the timers that
// fire there, then for the planned events.
func (l *eventLoop[E]) nextTick(w *script.Writer, handle func(E)) {
	to, ok := w.NextDeadline()
	if l.planned.Len() > 0 {
		if at, _ := l.planned.First(); !ok || at < to {
			to, ok = at, true
		}
	}
	if !ok {
		panic(fmt.Sprintf("bench: nothing left to happen at tick %d", w.Now()))
	}
	// The events are copied before handle schedules timers, which reuses the keys.
	l.fired = l.fired[:0]
	for _, key := range w.Advance(to) {
		l.fired = append(l.fired, l.timerEvents[key])
	}
	for _, e := range l.fired {
		handle(e)
	}
	for l.planned.Len() > 0 {
		at, e := l.planned.First()
		if at > to {
			break
		}
		l.planned.Pop()
		handle(e)
	}
}
