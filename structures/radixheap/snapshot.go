package radixheap

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Parts returns the buckets. Bucket 0 is for the base itself, bucket i for the ticks
// that differ from it in bit i-1 and in none above.
func (c *core) Parts(_ structures.Tick, show snapshot.Show) []shape.Part {
	p := shape.Part{Name: "buckets by the highest bit that differs from the base", Kind: shape.Slots, Size: buckets, Now: -1}
	for i, l := range c.buckets {
		if l.Empty() {
			continue
		}
		from, to := c.base, c.base
		if i > 0 {
			low := structures.Tick(1)<<(i-1) - 1
			from = (c.base ^ (low + 1)) &^ low
			to = from | low
		}
		p.Cells = append(p.Cells, shape.Cell{Index: i, From: from, To: to, Entries: c.lists.Entries(l, show)})
	}
	return []shape.Part{p}
}
