package quad

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Parts returns the heap for a snapshot.
func (h *Heap) Parts(_ structures.Tick, show snapshot.Show) []shape.Part {
	held := h.entries[Root:]
	return []shape.Part{snapshot.Heap("4-ary heap", Arity, len(held), func(i int) shape.Entry {
		return show(held[i].slot, held[i].deadline)
	})}
}

// PartsIfAny returns the heap as Parts does, or nothing if it is empty: for structures that
// seldom use it.
func (h *Heap) PartsIfAny(clock structures.Tick, show snapshot.Show) []shape.Part {
	if h.Len() == 0 {
		return nil
	}
	return h.Parts(clock, show)
}
