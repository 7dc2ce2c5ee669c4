package quadheap

import (
	"fmt"

	"github.com/timerbench/timerbench/structures/internal/quad"
)

// check walks the heap, which must hold size slots, all of them in use. As each
// entry stands where pos says its slot is, no slot has two entries.
func (c *core) check(size int, inUse func(slot uint32) bool) error {
	if c.len() != size {
		return fmt.Errorf("quadheap: %d entries, want %d", c.len(), size)
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
