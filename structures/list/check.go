package list

import (
	"fmt"
	"slices"
)

// check walks the list, which must hold size slots, all of them in use. As each
// entry stands where place says its slot is, no slot has two entries.
func (c *core) check(size int, inUse func(slot uint32) bool) error {
	if c.len() != size || len(c.slots) != size {
		return fmt.Errorf("list: %d deadlines of %d slots, want %d", c.len(), len(c.slots), size)
	}
	for i, slot := range c.slots {
		if slot == 0 || !inUse(slot) || int(slot) >= len(c.place) {
			return fmt.Errorf("list: entry %d is of slot %d, which is not in use", i, slot)
		}
		if at := c.place[slot]; int(at) != i {
			return fmt.Errorf("list: slot %d has entry %d, its place says %d", slot, i, at)
		}
	}
	if c.earliest == unknown {
		return nil
	}
	if c.earliest < 0 || c.earliest >= size {
		return fmt.Errorf("list: the earliest of %d entries is said to be number %d", size, c.earliest)
	}
	if got, want := c.deadlines[c.earliest], slices.Min(c.deadlines); got != want {
		return fmt.Errorf("list: the earliest deadline is %d, that of the earliest entry %d", want, got)
	}
	return nil
}
