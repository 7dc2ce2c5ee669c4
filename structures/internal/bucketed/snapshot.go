package bucketed

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Parts returns the shape of the order, each bucket with all its timers, and the bucket
// that is firing. It returns none if the order does not show its shape.
func (q *Queue) Parts(_ structures.Tick, show snapshot.Show) []shape.Part {
	order, ok := q.order.(shape.Shown)
	if !ok {
		return nil
	}
	timers := make(map[structures.ID][]shape.Entry) // by ID of the bucket in the order
	for i, b := range q.buckets {
		if !b.list.Empty() && uint32(i) != q.firing {
			timers[b.id] = q.lists.Entries(b.list, show)
		}
	}
	parts := order.Snapshot().Parts
	for _, p := range parts {
		for i := range p.Cells {
			p.Cells[i].Entries = timers[p.Cells[i].Entries[0].ID]
		}
	}
	if q.firing != 0 {
		parts = append(parts, snapshot.List("the bucket that fires", q.lists.Entries(q.buckets[q.firing].list, show)))
	}
	return parts
}
