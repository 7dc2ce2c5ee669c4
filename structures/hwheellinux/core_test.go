package hwheellinux

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
)

// Slots 2 to 4 hold timers on level 0 and 1, slot 5 one that is due at tick 5 but was
// not popped.
func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	sound := func() *Wheel[int] {
		w := New[int]()
		for _, deadline := range []structures.Tick{5, 10, 10, 100} { // 100 rounds up to 104
			w.Schedule(deadline, 0)
		}
		w.Schedule(5, 0)
		w.Pop(5) // one of the two
		return w
	}
	whitebox.FindsDamage(t, sound, map[string]func(*Wheel[int]){
		"table":           func(w *Wheel[int]) { w.table.Put(0) },
		"timer is gone":   func(w *Wheel[int]) { w.table.Put(0); w.table.Free(3) },
		"cursor":          func(w *Wheel[int]) { c := &w.core; c.cursor-- },
		"due too early":   func(w *Wheel[int]) { c := &w.core; c.nodes.SetDeadline(5, 6) },
		"due elsewhere":   func(w *Wheel[int]) { c := &w.core; c.list[5] = 5 },
		"list of timer":   func(w *Wheel[int]) { c := &w.core; c.list[2] = 11 },
		"early":           func(w *Wheel[int]) { c := &w.core; c.nodes.SetDeadline(4, 105) },
		"late":            func(w *Wheel[int]) { c := &w.core; c.nodes.SetDeadline(4, 96) },
		"not marked":      func(w *Wheel[int]) { c := &w.core; c.occupied[1] = 0 },
		"marked":          func(w *Wheel[int]) { c := &w.core; c.occupied[0] |= 1 << 60 },
		"level not used":  func(w *Wheel[int]) { c := &w.core; c.inUse = 1 },
		"level used":      func(w *Wheel[int]) { c := &w.core; c.inUse |= 1 << 3 },
		"next is earlier": func(w *Wheel[int]) { c := &w.core; c.next = 9 },
		"next is later":   func(w *Wheel[int]) { c := &w.core; c.next = 11 },
		"timer unlinked":  func(w *Wheel[int]) { c := &w.core; c.nodes.PopFront(&c.due) },
	})
}
