package auto

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// FewLimit is the number of timers up to which they are in lists.
const FewLimit = fewLimit

// NewFew returns an empty set of timers with another limit for the lists, which is no pile.
func NewFew[T any](limit int) *Timers[T] {
	t := newTimers[T](limit)
	t.lists.Spread(&t.records)
	return t
}

// Shifting is Timers that move from the pile to lists and back often.
type Shifting[T any] struct {
	*Timers[T]
	calls int
}

// NewShifting is NewInRuns for Shifting.
func NewShifting[T any](limit int) *Shifting[T] { return &Shifting[T]{Timers: NewInRuns[T](limit)} }

// Schedule is Schedule of Timers, after a move in some calls.
func (s *Shifting[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	if s.calls++; s.mode == few && s.calls%5 == 0 {
		if s.lists.InPile() {
			s.lists.Spread(&s.records)
		} else {
			s.lists.Gather(&s.records)
		}
	}
	return s.Timers.Schedule(deadline, value)
}

// InPile reports whether the timers are a pile.
func (t *Timers[T]) InPile() bool { return t.mode == few && t.lists.InPile() }

// NewInRuns is NewFew with runs that open for any two timers in order.
func NewInRuns[T any](limit int) *Timers[T] {
	t := newTimers[T](limit)
	t.runs.OpenAfter = 1
	return t
}

// Many reports whether the timers are in the wheel, or on their way to it.
func (t *Timers[T]) Many() bool { return t.mode != few }

// Changing reports whether timers may be in lists while others are in the wheel.
func (t *Timers[T]) Changing() bool { return t.mode == changing }

// UseUp leaves so many generations to each of the next 32 records, as if all others had
// been used. There must be no timers.
func (t *Timers[T]) UseUp(left uint32) {
	var taken [32]uint32
	for i := range taken {
		taken[i] = t.records.Take()
	}
	for _, index := range taken {
		r := t.records.At(index)
		r.Generation, r.Where = math.MaxUint32-2*(left-1)-1, records.Nowhere
		t.records.Release(index, r)
	}
}
