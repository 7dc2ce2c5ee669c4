package quadheaplazy

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// check walks the heap and looks at each slot. There must be size timers, in the slots in use.
func (c *core) check(size int, inUse func(slot uint32) bool) error {
	newest := make([]bool, len(c.marks)) // per slot: whether its newest entry is in the heap
	live, dead := 0, 0
	for i := dary.Root; i < len(c.heap); i++ {
		e := c.heap[i]
		if p := dary.Parent(dary.Root+1, i); i > dary.Root && e.deadline < c.heap[p].deadline {
			return fmt.Errorf("quadheaplazy: entry %d, deadline %d, is below entry %d, deadline %d",
				i, e.deadline, p, c.heap[p].deadline)
		}
		slot := e.ref.slot()
		if slot == 0 || int(slot) >= len(c.marks) || e.ref.mark()&state != exact {
			return fmt.Errorf("quadheaplazy: entry %d is of slot %d, mark %#x", i, slot, e.ref.mark())
		}
		if c.marks[slot].with(exact) == e.ref.mark() {
			if filed := c.times[slot].filed; newest[slot] || filed != e.deadline {
				return fmt.Errorf("quadheaplazy: entry %d of slot %d has deadline %d, want %d; there is "+
					"another one: %t",
					i, slot, e.deadline, filed, newest[slot])
			}
			newest[slot] = true
		}
		if c.isDead(e) {
			dead++
		} else {
			live++
		}
	}
	for slot := 1; slot < len(c.marks); slot++ {
		if err := c.checkSlot(c.marks[slot]&state, c.times[slot], newest[slot], inUse(uint32(slot))); err != nil {
			return fmt.Errorf("quadheaplazy: slot %d: %w", slot, err)
		}
	}
	if live != size || dead != c.dead {
		return fmt.Errorf("quadheaplazy: %d live and %d dead entries, want %d and %d",
			live, dead, size, c.dead)
	}
	if dead > len(c.heap)/4+slack {
		return fmt.Errorf("quadheaplazy: %d of %d entries are dead", dead, live+dead)
	}
	if c.cursor > len(c.heap) {
		return fmt.Errorf("quadheaplazy: cursor %d, beyond the end at %d", c.cursor, len(c.heap))
	}
	return nil
}

// checkSlot compares the state of a slot with whether its entry is in the heap, and it in use.
func (c *core) checkSlot(s mark, t times, inHeap, inUse bool) error {
	switch {
	case inHeap != (s != absent):
		return fmt.Errorf("state %d, newest entry in the heap is %t", s, inHeap)
	case inUse != (s == exact || s == early):
		return fmt.Errorf("state %d, in use is %t", s, inUse)
	case s == early && t.deadline <= t.filed, s != absent && t.filed < structures.Tick(1):
		return fmt.Errorf("state %d, deadline %d, filed under %d", s, t.deadline, t.filed)
	}
	return nil
}

// Snapshot returns the heap, dead entries included. It costs O(n), and is not for hot paths.
func (h *Heap[T]) Snapshot() shape.Snapshot {
	held := h.core.heap[dary.Root:]
	b := snapshot.Builder{Entry: func(place uint32, _ structures.Tick) shape.Entry {
		return h.entry(held[place])
	}}
	b.Heap("4-ary heap", 4, func(yield func(uint32, structures.Tick) bool) {
		for place, e := range held {
			if !yield(uint32(place), e.deadline) {
				return
			}
		}
	})
	return shape.Snapshot{Parts: b.Parts}
}

func (h *Heap[T]) entry(e entry) shape.Entry {
	slot := e.ref.slot()
	if h.core.isDead(e) {
		return shape.Entry{Deadline: e.deadline, Filed: e.deadline}
	}
	out := h.table.Entry(slot, e.deadline)
	if h.core.marks[slot] == e.ref.mark().with(early) {
		out.Deadline = h.core.times[slot].deadline
	}
	return out
}
