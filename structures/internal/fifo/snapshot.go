package fifo

import (
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Entries returns the entries of l for a snapshot, first to last.
func (ls *Lists) Entries(l List, show snapshot.Show) []shape.Entry {
	var out []shape.Entry
	for slot, deadline := range ls.All(l) {
		out = append(out, show(slot, deadline))
	}
	return out
}

// Entries returns the entries of the slots held for a snapshot, in the order in which
// they came.
func (a *Arrivals) Entries(ls *Lists, show snapshot.Show) []shape.Entry {
	var out []shape.Entry
	for _, slot := range a.slots[:a.n] {
		if slot != none {
			out = append(out, show(slot, ls.Deadline(slot)))
		}
	}
	return out
}
