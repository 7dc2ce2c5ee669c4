// Package model has what the checks of structures and of programs of other languages share: the reference for what a
// timer must do, operations, a generator of them, and a shrinker that finds the fewest that fail.
package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/timerbench/timerbench/structures"
)

// Model is the reference for every structure. It is a slice of the pending timers in the order of their last
// Schedule or Reschedule, and every operation scans it, so each costs O(Len). Ties are FIFO. The zero Model
// is empty and ready for use.
type Model[T any] struct {
	Clock   structures.Tick
	Issued  structures.ID // the last ID of Schedule
	Pending []Entry[T]
}

// Entry is a pending timer.
type Entry[T any] struct {
	structures.Timer[T]
	Since structures.Tick // the clock when it was last scheduled or rescheduled
}

var _ structures.Scheduler[int] = (*Model[int])(nil)

// Schedule adds a pending timer and returns its ID. No ID is issued twice.
func (m *Model[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	m.Issued++
	m.Admit(m.Issued, deadline, value)
	return m.Issued
}

// Reschedule moves a pending timer to deadline, after all timers with the same deadline.
func (m *Model[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	i := m.Find(id)
	if i < 0 {
		return false
	}
	m.Admit(id, deadline, m.Remove(i).Value)
	return true
}

// Cancel removes a pending timer.
func (m *Model[T]) Cancel(id structures.ID) bool {
	i := m.Find(id)
	if i < 0 {
		return false
	}
	m.Remove(i)
	return true
}

// Pop moves the clock to now and removes and returns the earliest due timer.
func (m *Model[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	m.Advance(now)
	i := m.Earliest()
	if i < 0 || m.Pending[i].Deadline > m.Clock {
		return t, false
	}
	return m.Remove(i).Timer, true
}

// PopAll moves the clock to now, and removes and returns all due timers in the order in which Pop returns them.
func (m *Model[T]) PopAll(now structures.Tick) (due []Entry[T]) {
	m.Advance(now)
	m.Pending = slices.DeleteFunc(m.Pending, func(e Entry[T]) bool {
		isDue := e.Deadline <= m.Clock
		if isDue {
			due = append(due, e)
		}
		return isDue
	})
	slices.SortStableFunc(due, func(a, b Entry[T]) int { return cmp.Compare(a.Deadline, b.Deadline) })
	return due
}

// Next returns the earliest deadline.
func (m *Model[T]) Next() (at structures.Tick, ok bool) {
	i := m.Earliest()
	if i < 0 {
		return 0, false
	}
	return m.Pending[i].Deadline, true
}

// Len returns the number of pending timers.
func (m *Model[T]) Len() int { return len(m.Pending) }

// Admit puts a timer with the given ID behind all others.
func (m *Model[T]) Admit(id structures.ID, deadline structures.Tick, value T) {
	t := structures.Timer[T]{ID: id, Deadline: m.Clamp(deadline), Value: value}
	m.Pending = append(m.Pending, Entry[T]{Timer: t, Since: m.Clock})
}

// Clamp applies the rule for deadlines in the past.
func (m *Model[T]) Clamp(deadline structures.Tick) structures.Tick {
	if deadline > m.Clock {
		return deadline
	}
	if m.Clock == math.MaxInt64 {
		return math.MaxInt64
	}
	return m.Clock + 1
}

// Advance moves the clock to now if now is later.
func (m *Model[T]) Advance(now structures.Tick) { m.Clock = max(m.Clock, now) }

// Find returns the index of the pending timer that id names, or -1.
func (m *Model[T]) Find(id structures.ID) int {
	return slices.IndexFunc(m.Pending, func(e Entry[T]) bool { return e.ID == id })
}

// Earliest returns the index of the first timer of the earliest deadline, or -1.
func (m *Model[T]) Earliest() int {
	first := -1
	for i := range m.Pending {
		if first < 0 || m.Pending[i].Deadline < m.Pending[first].Deadline {
			first = i
		}
	}
	return first
}

// Remove takes out the timer at index i and keeps the order of the others.
func (m *Model[T]) Remove(i int) Entry[T] {
	e := m.Pending[i]
	m.Pending = slices.Delete(m.Pending, i, i+1) // which clears the place it frees
	return e
}
