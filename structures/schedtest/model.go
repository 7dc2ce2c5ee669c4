package schedtest

import (
	"math"
	"slices"

	"github.com/timerbench/timerbench/structures"
)

// Model is the reference for every structure. It is a slice of the pending timers in the order of their last
// Schedule or Reschedule, and every operation scans it, so each costs O(Len). Ties are FIFO. The zero Model
// is empty and ready for use.
type Model[T any] struct {
	clock   structures.Tick
	issued  structures.ID
	pending []entry[T]
}

type entry[T any] struct {
	structures.Timer[T]
	since structures.Tick // the clock when it was last scheduled or rescheduled
}

var _ structures.Scheduler[int] = (*Model[int])(nil)

// NewModel returns an empty Model.
func NewModel[T any]() *Model[T] { return new(Model[T]) }

// Schedule adds a pending timer and returns its ID. No ID is issued twice.
func (m *Model[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	m.issued++
	m.admit(m.issued, deadline, value)
	return m.issued
}

// Reschedule moves a pending timer to deadline, after all timers with the same deadline.
func (m *Model[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	i := m.find(id)
	if i < 0 {
		return false
	}
	m.admit(id, deadline, m.remove(i).Value)
	return true
}

// Cancel removes a pending timer.
func (m *Model[T]) Cancel(id structures.ID) bool {
	i := m.find(id)
	if i < 0 {
		return false
	}
	m.remove(i)
	return true
}

// Pop moves the clock to now and removes and returns the earliest due timer.
func (m *Model[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	m.advance(now)
	i := m.earliest()
	if i < 0 || m.pending[i].Deadline > m.clock {
		return t, false
	}
	return m.remove(i).Timer, true
}

// Next returns the earliest deadline.
func (m *Model[T]) Next() (at structures.Tick, ok bool) {
	i := m.earliest()
	if i < 0 {
		return 0, false
	}
	return m.pending[i].Deadline, true
}

// Len returns the number of pending timers.
func (m *Model[T]) Len() int { return len(m.pending) }

// admit puts a timer with the given ID behind all others.
func (m *Model[T]) admit(id structures.ID, deadline structures.Tick, value T) {
	t := structures.Timer[T]{ID: id, Deadline: m.clamp(deadline), Value: value}
	m.pending = append(m.pending, entry[T]{Timer: t, since: m.clock})
}

// clamp applies the rule for deadlines in the past.
func (m *Model[T]) clamp(deadline structures.Tick) structures.Tick {
	if deadline > m.clock {
		return deadline
	}
	if m.clock == math.MaxInt64 {
		return math.MaxInt64
	}
	return m.clock + 1
}

func (m *Model[T]) advance(now structures.Tick) { m.clock = max(m.clock, now) }

// find returns the index of the pending timer that id names, or -1.
func (m *Model[T]) find(id structures.ID) int {
	return slices.IndexFunc(m.pending, func(e entry[T]) bool { return e.ID == id })
}

// earliest returns the index of the first timer of the earliest deadline, or -1.
func (m *Model[T]) earliest() int {
	first := -1
	for i := range m.pending {
		if first < 0 || m.pending[i].Deadline < m.pending[first].Deadline {
			first = i
		}
	}
	return first
}

// remove takes out the timer at index i and keeps the order of the others.
func (m *Model[T]) remove(i int) entry[T] {
	e := m.pending[i]
	m.pending = slices.Delete(m.pending, i, i+1) // which clears the place it frees
	return e
}
