// Package empty is an intrusive structure without an order. It fires the timers that the caller names beforehand. So its
// time is the cost of the calling loops.
package empty

import "github.com/timerbench/timerbench/structures"

// Timer is only its value.
type Timer[T any] struct{ Value T }

// Deadline returns 0, as a timer does not know when it fired.
func (t *Timer[T]) Deadline() structures.Tick { return 0 }

// Wheel counts the pending timers.
type Wheel[T any] struct {
	Idle *Timer[T] // the only timer that is not pending

	due           []due[T]
	next, pending int
}

type due[T any] struct {
	at structures.Tick
	t  Timer[T]
}

// New returns a Wheel that expects no timers to fire.
func New[T any]() *Wheel[T] { return &Wheel[T]{} }

// Expect appends a timer to the list of timers to fire.
func (w *Wheel[T]) Expect(value T, at structures.Tick) {
	w.due = append(w.due, due[T]{at, Timer[T]{value}})
}

// ExpectNone forgets the expected timers.
func (w *Wheel[T]) ExpectNone() { w.due, w.next = w.due[:0], 0 }

// Schedule counts a timer.
func (w *Wheel[T]) Schedule(*Timer[T], structures.Tick) { w.pending++ }

// Reschedule reports whether the timer is pending.
func (w *Wheel[T]) Reschedule(t *Timer[T], _ structures.Tick) bool { return t != w.Idle }

// Cancel reports whether the timer was pending.
func (w *Wheel[T]) Cancel(t *Timer[T]) bool {
	if t == w.Idle {
		return false
	}
	w.pending--
	return true
}

// Pop returns a copy of the next expected timer that fires at or before a tick.
func (w *Wheel[T]) Pop(now structures.Tick) *Timer[T] {
	if w.next == len(w.due) || w.due[w.next].at > now {
		return nil
	}
	w.next++
	w.pending--
	return &w.due[w.next-1].t
}

// Next returns the tick of the next expected timer.
func (w *Wheel[T]) Next() (at structures.Tick, ok bool) {
	if w.next == len(w.due) {
		return 0, false
	}
	return w.due[w.next].at, true
}

// Len returns the number of pending timers.
func (w *Wheel[T]) Len() int { return w.pending }
