package auto

import (
	"math"

	"github.com/timerbench/timerbench/structures/internal/records"
)

// MovesPerCall is how many timers move from the lists to the wheel in a call.
const MovesPerCall = movesPerCall

// FewLimit is the number of timers up to which they are in lists.
const FewLimit = fewLimit

// NewFew returns an empty set of timers with another limit for the lists.
func NewFew[T any](limit int) *Timers[T] { return newTimers[T](limit) }

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

// Lose counts a timer less than there are.
func (t *Timers[T]) Lose() { t.lists.Leave() }

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
