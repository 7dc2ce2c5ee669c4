package minheap

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
)

// Parts returns the heap.
func (c *core) Parts(_ structures.Tick, show snapshot.Show) []structures.Part {
	held := c.heap[root:]
	return []structures.Part{snapshot.Heap("binary heap", 2, len(held), func(i int) structures.Entry {
		return show(held[i].slot, held[i].deadline)
	})}
}
