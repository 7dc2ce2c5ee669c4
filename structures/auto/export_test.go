package auto

import "math"

// MaxTimers is the limit of Capacity.
const MaxTimers = maxTimers

// Levels is the number of levels.
const Levels = levelCount

// TimersPerTick is how many timers of a level are moved at a tick where they are few.
const TimersPerTick = chunksPerTick * chunkLen

// ListLevels is the number of levels of lists.
const ListLevels = listLevels

// MovesPerCall is how many timers move from the lists to the wheel in a call.
const MovesPerCall = movesPerCall

// FewLimit is the number of timers up to which they are in lists.
const FewLimit = fewLimit

// NewFew returns an empty set of timers with another limit for the lists.
func NewFew[T any](limit int) *Timers[T] {
	t := New[T]()
	t.fewLimit = limit
	return t
}

// NewWheel returns an empty set of timers that does not use lists.
func NewWheel[T any]() *Timers[T] { return NewFew[T](0) }

// Many reports whether the timers are in the wheel, or on their way to it.
func (t *Timers[T]) Many() bool { return t.mode != few }

// Changing reports whether timers may be in lists while others are in the wheel.
func (t *Timers[T]) Changing() bool { return t.mode == changing }

// Lose counts a timer that is nowhere.
func (t *Timers[T]) Lose() { t.settled++ }

// UseUp leaves so many generations to each of the next 32 records, as if all others had
// been used.
func (t *Timers[T]) UseUp(left uint32) {
	last := math.MaxUint32 - 2*(left-1)
	if t.fewLimit > 0 {
		var taken [bufferLen]uint32
		for i := range taken {
			taken[i] = t.records.take()
		}
		for _, index := range taken {
			r := t.records.At(index)
			r.generation = last - 1
			t.records.release(index, r)
		}
		return
	}
	t.beginWheel()
	t.change()
	b := t.buffers
	for position, id := range b.ids {
		r := t.records.At(uint32(id))
		r.generation = last
		b.ids[position] = idOf(uint32(id), r.generation)
	}
}
