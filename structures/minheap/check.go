package minheap

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
)

// Check walks the heap. As pos names the index of each entry, no slot has two.
func (c *core) Check(_ structures.Tick, size int, inUse func(slot uint32) bool) error {
	if n := len(c.heap) - root; n != size {
		return fmt.Errorf("minheap: %d entries, want %d", n, size)
	}
	for i := root; i < len(c.heap); i++ {
		e := c.heap[i]
		if e.slot == 0 || !inUse(e.slot) || int(e.slot) >= len(c.pos) {
			return fmt.Errorf("minheap: entry %d is of slot %d, which is not in use", i, e.slot)
		}
		if at := c.pos[e.slot]; int(at) != i {
			return fmt.Errorf("minheap: slot %d has entry %d, its position says %d", e.slot, i, at)
		}
		if p := parent(i); i > root && e.deadline < c.heap[p].deadline {
			return fmt.Errorf("minheap: entry %d, deadline %d, is below entry %d, deadline %d",
				i, e.deadline, p, c.heap[p].deadline)
		}
	}
	return nil
}
