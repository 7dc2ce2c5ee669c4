package hwheellinux

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
)

// check must find what the suite relies on it to find. There is one timer in each of
// slots 1 to 4 of the slab: due at tick 5 but not popped, twice on level 0, on level 1.
func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	whitebox.FindsDamage(t, func() *Wheel[int] {
		w := New[int]()
		for _, deadline := range []structures.Tick{5, 10, 10, 100} { // 100 rounds up to 104
			w.Schedule(deadline, 0)
		}
		w.core.advance(w.clock.Advance(5))
		return w
	}, map[string]func(*Wheel[int]){
		"table":           func(w *Wheel[int]) { w.table.Put(0) },
		"timer is gone":   func(w *Wheel[int]) { w.table.Free(3) },
		"due too early":   func(w *Wheel[int]) { w.core.lists.SetDeadline(1, 6) },
		"due elsewhere":   func(w *Wheel[int]) { w.core.in[1] = 5 },
		"list of timer":   func(w *Wheel[int]) { w.core.in[2] = 11 },
		"early":           func(w *Wheel[int]) { w.core.lists.SetDeadline(4, 105) },
		"late":            func(w *Wheel[int]) { w.core.lists.SetDeadline(4, 96) },
		"not marked":      func(w *Wheel[int]) { w.core.occupied[1] = 0 },
		"marked":          func(w *Wheel[int]) { w.core.occupied[0] |= 1 << 60 },
		"level not used":  func(w *Wheel[int]) { w.core.inUse = 1 },
		"level used":      func(w *Wheel[int]) { w.core.inUse |= 1 << 3 },
		"next is earlier": func(w *Wheel[int]) { w.core.next = 9 },
		"next is later":   func(w *Wheel[int]) { w.core.next = 11 },
		"timer unlinked":  func(w *Wheel[int]) { w.core.lists.PopFront(&w.core.due) },
	})
}
