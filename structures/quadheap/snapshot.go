package quadheap

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/quad"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
)

// Parts returns the heap.
func (c *core) Parts(_ structures.Tick, show snapshot.Show) []structures.Part {
	held := c.heap[quad.Root:]
	return []structures.Part{snapshot.Heap("4-ary heap", quad.Arity, len(held), func(i int) structures.Entry {
		return show(held[i].slot, held[i].deadline)
	})}
}
