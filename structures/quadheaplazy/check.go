package quadheaplazy

import (
	"fmt"

	"github.com/timerbench/timerbench/structures/internal/quad"
)

// check walks the heap, which must hold size timers, in the slots in use.
func (c *core) check(size int, inUse func(slot uint32) bool) error {
	current := make([]bool, len(c.timers)) // whether the newest entry was met
	live, stale := 0, 0
	for i := quad.Root; i < len(c.heap); i++ {
		e := c.heap[i]
		if p := quad.Parent(i); i > quad.Root && e.deadline < c.heap[p].deadline {
			return fmt.Errorf("quadheaplazy: entry %d, deadline %d, is below entry %d, deadline %d",
				i, e.deadline, p, c.heap[p].deadline)
		}
		if e.slot == 0 || int(e.slot) >= len(c.timers) {
			return fmt.Errorf("quadheaplazy: entry %d is of slot %d, which does not exist", i, e.slot)
		}
		t := &c.timers[e.slot]
		if t.version == e.version {
			if current[e.slot] || t.filed != e.deadline {
				return fmt.Errorf("quadheaplazy: entry %d of slot %d has deadline %d, filed is %d, met before is %t",
					i, e.slot, e.deadline, t.filed, current[e.slot])
			}
			current[e.slot] = true
		}
		if t.isDead(e) {
			stale++
		} else {
			live++
		}
	}
	for slot := 1; slot < len(c.timers); slot++ {
		t := &c.timers[slot]
		switch {
		case current[slot] != (t.filed != 0):
			return fmt.Errorf("quadheaplazy: slot %d has no entry for deadline %d", slot, t.filed)
		case inUse(uint32(slot)) != (t.deadline != 0):
			return fmt.Errorf("quadheaplazy: slot %d, in use %t, has deadline %d", slot, inUse(uint32(slot)), t.deadline)
		case t.deadline != 0 && (t.filed == 0 || t.filed > t.deadline):
			return fmt.Errorf("quadheaplazy: slot %d, deadline %d, is filed under %d", slot, t.deadline, t.filed)
		}
	}
	if live != size || stale != c.dead {
		return fmt.Errorf("quadheaplazy: %d live and %d dead entries, want %d and %d", live, stale, size, c.dead)
	}
	if entries := live + stale; stale > entries/4+slack {
		return fmt.Errorf("quadheaplazy: %d of %d entries are dead", stale, entries)
	}
	if c.cursor > len(c.heap) {
		return fmt.Errorf("quadheaplazy: cursor %d, beyond the end at %d", c.cursor, len(c.heap))
	}
	return nil
}
