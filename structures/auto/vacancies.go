package auto

import "github.com/timerbench/timerbench/structures"

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

func (v *vacancies) empty() bool { return v.first == v.end }

// vacate adds a vacancy. It reports whether the buffer is full.
func (v *vacancies) vacate(index uint32, from where, deadline structures.Tick) (full bool) {
	v.vacant[v.end&vacantMask] = vacancy{departure{index, from}, deadline}
	v.end++
	return v.end-v.first == vacantLen
}

// occupy returns the first vacancy and removes it. There must be one.
func (v *vacancies) occupy() vacancy {
	v.first++
	return v.vacant[(v.first-1)&vacantMask]
}

// takeOver is Schedule if there are vacancies.
func (t *Timers[T]) takeOver(deadline structures.Tick, value T) structures.ID {
	v := t.buffers.occupy()
	r := t.records.At(v.index)
	if r.generation == 0 { // all are used
		t.clearPlaces([]departure{v.departure})
		return t.Schedule(deadline, value)
	}
	r.value = value
	r.generation++
	t.settled++
	id := idOf(v.index, r.generation)
	if t.buffers.move(r, v, deadline) {
		t.clearDepartures()
	}
	return id
}

// endVacancies clears the places of half of a full buffer, and goes back to lists if few
// timers are left.
func (t *Timers[T]) endVacancies() {
	t.clearVacancies()
	t.endIfFew()
}

// clearVacancies clears the places of the first vacancies, up to bufferLen, and makes their
// records free.
func (t *Timers[T]) clearVacancies() {
	v := &t.buffers.vacancies
	var left [bufferLen]departure
	n := min(v.end-v.first, bufferLen)
	for i := range left[:n] {
		left[i] = v.occupy().departure
	}
	t.clearPlaces(left[:n])
}
