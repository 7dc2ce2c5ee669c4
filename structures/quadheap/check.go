package quadheap

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/quad"
)

// Check walks the heap. As pos names the index of each entry, no slot has two.
func (c *core) Check(_ structures.Tick, size int, inUse func(slot uint32) bool) error {
	if n := len(c.heap) - quad.Root; n != size {
		return fmt.Errorf("quadheap: %d entries, want %d", n, size)
	}
	for i := quad.Root; i < len(c.heap); i++ {
		e := c.heap[i]
		if e.slot == 0 || !inUse(e.slot) || int(e.slot) >= len(c.pos) {
			return fmt.Errorf("quadheap: entry %d is of slot %d, which is not in use", i, e.slot)
		}
		if at := c.pos[e.slot]; int(at) != i {
			return fmt.Errorf("quadheap: slot %d has entry %d, its position says %d", e.slot, i, at)
		}
		if p := quad.Parent(i); i > quad.Root && e.deadline < c.heap[p].deadline {
			return fmt.Errorf("quadheap: entry %d, deadline %d, is below entry %d, deadline %d",
				i, e.deadline, p, c.heap[p].deadline)
		}
	}
	return nil
}
