package soonlater

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Parts returns both wheels, the timers that are moving if there are any, and the heap if
// it holds a timer.
func (c *core) Parts(nodes *fifo.Lists, clock structures.Tick, show snapshot.Show) []shape.Part {
	parts := []shape.Part{
		c.soon.part(nodes, "soon", 0, c.cursor, clock, show),
		c.later.part(nodes, "later", c.width, c.cursor, clock, show),
	}
	if !c.moving.Empty() {
		parts = append(parts, snapshot.List("moving to the soon wheel", nodes.Entries(c.moving, show)))
	}
	return append(parts, c.far.PartsIfAny(clock, show)...)
}

// part returns the occupied slots of a wheel whose slots have 2^width ticks. None is before
// that of the cursor.
func (w *wheel) part(nodes *fifo.Lists, name string, width uint, cursor, clock structures.Tick, show snapshot.Show) shape.Part {
	p := shape.Part{Name: name, Kind: shape.Slots, Size: len(w.lists), Width: 1 << width, Now: w.index(clock >> width)}
	from := cursor >> width
	for i := w.occupied.First(); i >= 0; i = w.occupied.Next(i + 1) {
		first := (from + structures.Tick((uint64(i)-uint64(from))&w.mask)) << width
		p.Cells = append(p.Cells, shape.Cell{Index: i, From: first, To: first + p.Width - 1, Entries: nodes.Entries(w.lists[i], show)})
	}
	return p
}
