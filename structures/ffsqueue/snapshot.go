package ffsqueue

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Parts returns the occupied buckets, and the heap if it holds a timer.
func (c *core) Parts(nodes *fifo.Lists, clock structures.Tick, show snapshot.Show) []shape.Part {
	p := shape.Part{Name: "buckets", Kind: shape.Slots, Size: len(c.buckets), Width: 1, Now: c.bucket(clock)}
	for i := c.occupied.First(); i >= 0; i = c.occupied.Next(i + 1) {
		tick := c.cursor + structures.Tick((uint64(i)-uint64(c.cursor))&c.mask)
		p.Cells = append(p.Cells, shape.Cell{Index: i, From: tick, To: tick, Entries: nodes.Entries(c.buckets[i], show)})
	}
	return append([]shape.Part{p}, c.far.PartsIfAny(clock, show)...)
}
