package radixheap

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity, schedtest.FIFO(), schedtest.Levels(63))
}

func FuzzAgainstModel(f *testing.F) {
	whitebox.Fuzz(f, New[uint64], schedtest.FIFO(), schedtest.Levels(63))
}

// The base is 8, and slots 2, 1, 3, 4 and 5 hold timers due at 8, 9, 12, 13 and 100: in bucket 0, 1, 3, 3 and 7.
func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	sound := func() *base[int] {
		h := New[int]()
		h.Schedule(8, 0)
		h.Schedule(8, 0)
		h.Pop(8)
		for _, deadline := range []structures.Tick{9, 12, 13, 100} {
			h.Schedule(deadline, 0)
		}
		return &h.base
	}
	whitebox.FindsDamageToQueue(t, sound, map[string]func(*core){
		"timer unlinked":  func(c *core) { c.Remove(3) },
		"not marked":      func(c *core) { c.occupied &^= 1 << 3 },
		"marked":          func(c *core) { c.occupied |= 1 << 20 },
		"links":           func(c *core) { c.lists.PushBack(&c.buckets[7], 3) },
		"before the base": func(c *core) { c.lists.SetDeadline(5, 7) },
		"other bucket":    func(c *core) { c.lists.SetDeadline(4, 17) },
		"base too late":   func(c *core) { c.base = 99 },
		"base":            func(c *core) { c.base = 7 },
		"bound too early": func(c *core) { c.bound[3] = 11 },
		"bound too late":  func(c *core) { c.bound[3] = 13 },
	})
}
