package structures

// Work counts what a structure has done since it was made. The counts are exact and the
// same on any machine. A structure offers them through an optional method,
//
//	Work() structures.Work
//
// found by a type assertion. A structure that does no work of a kind leaves it 0.
type Work struct {
	SlotsVisited uint64 // slots or buckets examined as the clock moves, empty ones included
	EmptySlots   uint64 // of these, the slots in which there was no timer at all
	Moved        uint64 // timers examined or moved without firing: cascades, rounds still to go
	Dropped      uint64 // entries of cancelled or moved timers dropped late, by lazy structures
	Comparisons  uint64 // deadlines compared with one another to keep the order
}

// Sub returns the work done between an earlier reading and w.
func (w Work) Sub(earlier Work) Work {
	return Work{
		SlotsVisited: w.SlotsVisited - earlier.SlotsVisited,
		EmptySlots:   w.EmptySlots - earlier.EmptySlots,
		Moved:        w.Moved - earlier.Moved,
		Dropped:      w.Dropped - earlier.Dropped,
		Comparisons:  w.Comparisons - earlier.Comparisons,
	}
}
