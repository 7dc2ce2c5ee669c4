package hwheel

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// vacancies is the queue of timers that were cancelled in slots. The next new timer gets the record of the first cancelled timer,
// as if that timer moved to the new deadline with a new ID (see move). So the record often keeps its place, and no place needs
// clearing.
//
// Where is Nowhere in the records, and they are not free. The queue is a ring: end counts all timers added so far, first all
// timers removed.
type vacancies struct {
	first, end uint32
	vacant     [vacantLen]departure
}

// The length is twice the number of places that are cleared together, so some vacancies remain for the next timers.
const (
	vacantLen  = 2 * bufferLen
	vacantMask = vacantLen - 1
)

func (v *vacancies) noVacancies() bool { return v.first == v.end }

// vacate adds a vacancy and reports whether the queue is full.
func (v *vacancies) vacate(index uint32, from records.Where, deadline structures.Tick) (full bool) {
	v.vacant[v.end&vacantMask] = departure{index, from, deadline}
	v.end++
	return v.end-v.first == vacantLen
}

// occupy removes and returns the first vacancy. There must be one.
func (v *vacancies) occupy() departure {
	v.first++
	return v.vacant[(v.first-1)&vacantMask]
}

// ClearVacancies clears the places of the first vacancies, at most bufferLen, and frees their records.
func (w *Wheel) ClearVacancies(rs *records.Set) {
	var left [bufferLen]departure
	n := min(w.end-w.first, bufferLen)
	for i := range left[:n] {
		left[i] = w.occupy()
	}
	w.clearPlaces(rs, left[:n])
}
