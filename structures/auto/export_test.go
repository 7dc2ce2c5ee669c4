package auto

import "math"

// MaxTimers is the limit of Capacity.
const MaxTimers = maxTimers

// Levels is the number of levels.
const Levels = levelCount

// TimersPerTick is how many timers of a level are moved at a tick where they are few.
const TimersPerTick = chunksPerTick * chunkLen

// UseUp leaves so many generations to each record of the arrival buffer, as if all others
// had been used.
func (t *Timers[T]) UseUp(left uint32) {
	b := t.begin()
	for position, id := range b.ids {
		r := t.records.At(uint32(id))
		r.generation = math.MaxUint32 - 2*(left-1)
		b.ids[position] = idOf(uint32(id), r.generation)
	}
}
