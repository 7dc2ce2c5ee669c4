package hwheel

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// vacancies is the buffer for timers in slots that were cancelled. The next new timer
// takes over the record of the one that was cancelled first, as if that one had been
// moved to the new deadline, with a new ID (see move). So it often keeps the place, and
// nothing has to be cleared or added.
//
// The records are nowhere. They are not free. The buffer is a ring: first and end count
// the timers that ever left it and came to it.
type vacancies struct {
	first, end uint32
	vacant     [vacantLen]vacancy
}

// vacancy is a record, the place that it has in a slot, and the deadline that it had.
type vacancy struct {
	departure
	deadline structures.Tick
}

// The length is twice the number of places that are cleared together. So some vacancies are
// left for the timers that follow.
const (
	vacantLen  = 2 * bufferLen
	vacantMask = vacantLen - 1
)

func (v *vacancies) noVacancies() bool { return v.first == v.end }

// vacate adds a vacancy. It reports whether the buffer is full.
func (v *vacancies) vacate(index uint32, from records.Where, deadline structures.Tick) (full bool) {
	v.vacant[v.end&vacantMask] = vacancy{departure{index, from}, deadline}
	v.end++
	return v.end-v.first == vacantLen
}

// occupy returns the first vacancy and removes it. There must be one.
func (v *vacancies) occupy() vacancy {
	v.first++
	return v.vacant[(v.first-1)&vacantMask]
}

// ClearVacancies clears the places of the first vacancies, up to bufferLen, and makes their
// records free.
func (w *Wheel) ClearVacancies(rs *records.Set) {
	var left [bufferLen]departure
	n := min(w.end-w.first, bufferLen)
	for i := range left[:n] {
		left[i] = w.occupy().departure
	}
	w.clearPlaces(rs, left[:n])
}
