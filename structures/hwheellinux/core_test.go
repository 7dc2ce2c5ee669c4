package hwheellinux

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
)

// There is one timer in each of slots 1 to 4: due at tick 5 but not popped, twice on
// level 0, on level 1.
func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	sound := func() *scheduler[int] {
		w := New[int]()
		for _, deadline := range []structures.Tick{5, 10, 10, 100} { // 100 rounds up to 104
			w.Schedule(deadline, 0)
		}
		_, c := slotted.Parts(&w.scheduler)
		c.advance(5)
		return &w.scheduler
	}
	whitebox.FindsDamageToQueue(t, sound, map[string]func(*core){
		"due too early":   func(c *core) { c.nodes.SetDeadline(1, 6) },
		"due elsewhere":   func(c *core) { c.list[1] = 5 },
		"list of timer":   func(c *core) { c.list[2] = 11 },
		"early":           func(c *core) { c.nodes.SetDeadline(4, 105) },
		"late":            func(c *core) { c.nodes.SetDeadline(4, 96) },
		"not marked":      func(c *core) { c.occupied[1] = 0 },
		"marked":          func(c *core) { c.occupied[0] |= 1 << 60 },
		"level not used":  func(c *core) { c.inUse = 1 },
		"level used":      func(c *core) { c.inUse |= 1 << 3 },
		"next is earlier": func(c *core) { c.next = 9 },
		"next is later":   func(c *core) { c.next = 11 },
		"timer unlinked":  func(c *core) { c.nodes.PopFront(&c.due) },
	})
}
