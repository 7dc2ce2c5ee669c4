// Package empty is an intrusive structure without an order. It fires the timers that the caller names beforehand. So its
// time is the cost of the calling loops.
package empty

import "github.com/timerbench/timerbench/structures"

// Timer is a timer that knows whether it is pending.
type Timer[T any] struct {
	deadline structures.Tick // of the last time that it fired
	pending  bool
	Value    T
}

// Deadline returns the tick at which the timer fired.
func (t *Timer[T]) Deadline() structures.Tick { return t.deadline }

// Wheel counts the pending timers.
type Wheel[T any] struct {
	due           []due[T]
	next, pending int
}

type due[T any] struct {
	at structures.Tick
	t  *Timer[T]
}

// New returns a Wheel that expects no timers to fire.
func New[T any]() *Wheel[T] { return &Wheel[T]{} }

// Expect appends a timer to the list of timers to fire.
func (w *Wheel[T]) Expect(t *Timer[T], at structures.Tick) { w.due = append(w.due, due[T]{at, t}) }

// ExpectNone forgets the expected timers.
func (w *Wheel[T]) ExpectNone() { w.due, w.next = w.due[:0], 0 }

// Schedule marks the timer as pending.
func (w *Wheel[T]) Schedule(t *Timer[T], _ structures.Tick) {
	t.pending = true
	w.pending++
}

// Reschedule reports whether the timer is pending.
func (w *Wheel[T]) Reschedule(t *Timer[T], _ structures.Tick) bool { return t.pending }

// Cancel removes the mark, and reports whether there was one.
func (w *Wheel[T]) Cancel(t *Timer[T]) bool {
	if !t.pending {
		return false
	}
	t.pending = false
	w.pending--
	return true
}

// Pop returns the next expected timer that fires at or before a tick.
func (w *Wheel[T]) Pop(now structures.Tick) *Timer[T] {
	if w.next == len(w.due) || w.due[w.next].at > now {
		return nil
	}
	d := w.due[w.next]
	d.t.deadline, d.t.pending = d.at, false
	w.next++
	w.pending--
	return d.t
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
