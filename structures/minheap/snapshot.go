package minheap

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Parts returns the heap.
func (c *core) Parts(_ structures.Tick, show snapshot.Show) []shape.Part {
	held := c.heap[root:]
	return []shape.Part{snapshot.Heap("binary heap", 2, len(held), func(i int) shape.Entry {
		return show(held[i].slot, held[i].deadline)
	})}
}
