package list

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// check walks the list, which must hold size slots, all of them in use. As place names
// the place of each entry, no slot has two.
func (c *core) check(size int, inUse func(slot uint32) bool) error {
	if len(c.deadlines) != size || len(c.slots) != size {
		return fmt.Errorf("list: %d deadlines of %d slots, want %d", len(c.deadlines), len(c.slots), size)
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
		return fmt.Errorf("list: the earliest of %d entries is number %d", size, c.earliest)
	}
	if got, want := c.deadlines[c.earliest], slices.Min(c.deadlines); got != want {
		return fmt.Errorf("list: the earliest deadline is %d, that of the earliest entry %d", want, got)
	}
	return nil
}

// Snapshot returns the list, in the order of the array. It costs O(n), and is not for
// hot paths.
func (l *List[T]) Snapshot() shape.Snapshot {
	b := snapshot.Builder{Entry: l.table.Entry}
	b.List("list, unsorted", func(yield func(uint32, structures.Tick) bool) {
		for i, slot := range l.core.slots {
			if !yield(slot, l.core.deadlines[i]) {
				return
			}
		}
	})
	return shape.Snapshot{Parts: b.Parts}
}
