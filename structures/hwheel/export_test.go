package hwheel

import (
	"math"

	"github.com/timerbench/timerbench/structures"
)

// MaxTimers is the limit of Capacity.
const MaxTimers = maxTimers

// NewShape returns a wheel with other levels than those of New.
func NewShape[T any](levelBits, ringBits uint) *Wheel[T] {
	return newWheel[T](newGeometry(levelBits, ringBits))
}

// Levels returns the number of levels of a wheel.
func (w *Wheel[T]) Levels() int { return w.levels }

// UseUp leaves so many generations to each record of the arrival buffer, as if all
// others had been used. It returns the indexes of the records.
func (w *Wheel[T]) UseUp(left uint32) map[uint32]bool {
	a := &w.arrivals
	if a.open == 0 {
		w.makeArrivalRoom()
	}
	used := make(map[uint32]bool)
	for position, r := range a.records {
		index := uint32(a.ids[position])
		r.state |= math.MaxUint32
		r.state -= 2 * nextGeneration * state(left-1)
		a.ids[position] = idOf(index, r.state)
		used[index] = true
	}
	return used
}

// RepeatVersion takes back a version of a timer. The next change gives it the version
// of its entry again, as the 65,536th change would, so that the dead entry passes for
// a live one.
func (w *Wheel[T]) RepeatVersion(id structures.ID) {
	if r := w.records.at(uint32(id)); r.state.pendingInSlot() {
		r.state -= nextVersion
	}
}
