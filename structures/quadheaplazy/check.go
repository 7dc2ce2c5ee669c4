package quadheaplazy

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// walk adds the heap, dead entries included.
func (c *core) walk(b *snapshot.Builder) error {
	entryOf := b.Entry
	b.Entry = func(slot uint32, filed structures.Tick) shape.Entry {
		e := entryOf(slot, filed)
		if c.marks[slot]&state == early {
			e.Deadline = c.times[slot].deadline
		}
		return e
	}
	newest := make([]bool, len(c.marks)) // per slot: whether its newest entry is in the heap
	dead := 0
	for i, e := range c.heap[dary.Root:] {
		slot := e.ref.slot()
		if slot == 0 || int(slot) >= len(c.marks) || e.ref.mark()&state != exact {
			return fmt.Errorf("quadheaplazy: entry %d is of slot %d, mark %#x", i, slot, e.ref.mark())
		}
		if c.marks[slot].with(exact) == e.ref.mark() {
			if filed := c.times[slot].filed; newest[slot] || filed != e.deadline {
				return fmt.Errorf("quadheaplazy: entry %d of slot %d has deadline %d, want %d; there is "+
					"another one: %t", i, slot, e.deadline, filed, newest[slot])
			}
			newest[slot] = true
		}
		if c.isDead(e) {
			dead++
		}
	}
	for slot := 1; slot < len(c.marks); slot++ {
		s, t := c.marks[slot]&state, c.times[slot]
		if newest[slot] != (s != absent) || s == early && t.deadline <= t.filed ||
			s != absent && t.filed < 1 || b.Holds != nil && b.Holds(uint32(slot)) != (s == exact || s == early) {
			return fmt.Errorf("quadheaplazy: slot %d: state %d, newest entry in the heap is %t, deadline %d, "+
				"filed under %d, or in use and not", slot, s, newest[slot], t.deadline, t.filed)
		}
	}
	if dead != c.dead || dead > len(c.heap)/4+slack || c.cursor > len(c.heap) {
		return fmt.Errorf("quadheaplazy: %d of %d entries are dead, want %d; the cursor is %d",
			dead, len(c.heap)-dary.Root, c.dead, c.cursor)
	}
	dary.AddTo(b, "4-ary heap", 4, len(c.heap)-dary.Root, func(i int) (uint32, structures.Tick) {
		e := c.heap[dary.Root+i]
		if c.isDead(e) {
			return snapshot.Stale, e.deadline
		}
		return e.ref.slot(), e.deadline
	})
	return nil
}

// CheckInvariants walks the heap and returns the first broken invariant. It costs O(n).
func (h *Heap[T]) CheckInvariants() error { return h.table.Check(h.clock, h.core.walk) }

// Snapshot returns the heap, dead entries included. It costs O(n).
func (h *Heap[T]) Snapshot() shape.Snapshot { return h.table.Snapshot(h.clock, h.core.walk) }
