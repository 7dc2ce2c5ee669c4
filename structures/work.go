package structures

// Work counts the work of a structure since it was made. The counts are exact, and the same on any
// machine. A structure offers them through an optional method, found by a type assertion:
//
//	Work() structures.Work
//
// A counter that does not apply to a structure stays 0.
type Work struct {
	SlotsVisited uint64 // slots or buckets examined as the clock moves, including empty ones
	EmptySlots   uint64 // visited slots without any timer
	Moved        uint64 // timers examined or moved without firing: in cascades, or before their revolution
	Dropped      uint64 // entries that lazy structures drop long after their timer was cancelled or moved
	Comparisons  uint64 // comparisons of two deadlines to keep the order
}

// Sub returns the work between an earlier reading and w.
func (w Work) Sub(earlier Work) Work {
	return Work{
		SlotsVisited: w.SlotsVisited - earlier.SlotsVisited,
		EmptySlots:   w.EmptySlots - earlier.EmptySlots,
		Moved:        w.Moved - earlier.Moved,
		Dropped:      w.Dropped - earlier.Dropped,
		Comparisons:  w.Comparisons - earlier.Comparisons,
	}
}
