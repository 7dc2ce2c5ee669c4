package wheel

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Parts returns the occupied buckets, each with the next tick at which the clock passes
// it, and the due list.
func (r *ring) Parts(nodes *fifo.Lists, clock structures.Tick, show snapshot.Show) []shape.Part {
	p := shape.Part{Name: "wheel", Kind: shape.Slots, Size: len(r.buckets), Width: 1, Now: r.index(clock)}
	after := r.index(r.cursor)
	for i := r.occupied.First(); i >= 0; i = r.occupied.Next(i + 1) {
		ahead := i - after
		if ahead <= 0 {
			ahead += len(r.buckets)
		}
		tick := r.cursor + structures.Tick(ahead)
		p.Cells = append(p.Cells, shape.Cell{Index: i, From: tick, To: tick, Entries: nodes.Entries(r.buckets[i].list, show)})
	}
	parts := []shape.Part{p}
	if !r.due.Empty() {
		parts = append(parts, snapshot.List("due", nodes.Entries(r.due, show)))
	}
	return parts
}
