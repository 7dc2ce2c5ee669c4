package calendar

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Parts returns the buckets that hold a timer. The span of a bucket is the day of its
// first timer; the others may be due on the day that has this bucket in another year.
func (c *core) Parts(clock structures.Tick, show snapshot.Show) []shape.Part {
	p := shape.Part{Name: "year", Kind: shape.Slots, Size: len(c.buckets), Width: 1 << c.shift, Now: -1}
	now := c.bucket(c.day(clock))
	for i := range c.buckets {
		l := &c.buckets[i]
		if l == now {
			p.Now = i
		}
		if l.head == none {
			continue
		}
		from := structures.Tick(c.day(c.nodes[l.head].deadline) << c.shift)
		cell := shape.Cell{Index: i, From: from, To: from + (p.Width - 1)}
		for slot := l.head; slot != none; slot = c.nodes[slot].next {
			cell.Entries = append(cell.Entries, show(slot, c.nodes[slot].deadline))
		}
		p.Cells = append(p.Cells, cell)
	}
	return []shape.Part{p}
}
