package radixheap

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
)

// The base is 8, and slots 2, 1, 3, 4 and 5 hold timers due at 8, 9, 12, 13 and 100: in
// bucket 0, 1, 3, 3 and 7.
func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	sound := func() *scheduler[int] {
		h := New[int]()
		h.Schedule(8, 0)
		h.Schedule(8, 0)
		h.Pop(8)
		for _, deadline := range []structures.Tick{9, 12, 13, 100} {
			h.Schedule(deadline, 0)
		}
		return &h.scheduler
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

// A timer that is cancelled or moved before it fires costs no search, whether it is
// the earliest one or not: what it costs does not grow with the number of timers.
func TestCancellingTheEarliestCostsTheSameAmongAny(t *testing.T) {
	const timeout = 30_000
	for name, operate := range map[string]func(h *Heap[int], oldest structures.ID, now structures.Tick) structures.ID{
		"cancel, schedule, Pop": func(h *Heap[int], oldest structures.ID, now structures.Tick) structures.ID {
			h.Cancel(oldest)
			id := h.Schedule(now+timeout, 0)
			h.Pop(now)
			return id
		},
		"cancel, schedule, Next": func(h *Heap[int], oldest structures.ID, now structures.Tick) structures.ID {
			h.Pop(now)
			h.Cancel(oldest)
			h.Next()
			return h.Schedule(now+timeout, 0)
		},
		"reschedule, Pop, Next": func(h *Heap[int], oldest structures.ID, now structures.Tick) structures.ID {
			h.Reschedule(oldest, now+timeout)
			h.Pop(now)
			h.Next()
			return oldest
		},
	} {
		for _, n := range []int{1_000, 10_000, 100_000} {
			for _, life := range []structures.Tick{100, timeout - 1} { // of a timer, in ticks
				h := New[int]()
				ids := make([]structures.ID, n)
				for i := range ids {
					ids[i] = h.Schedule(structures.Tick(i)*life/structures.Tick(n)+timeout, 0)
				}
				steps := uint64(0)
				for i := range 2 * n {
					before := h.Work()
					ids[i%n] = operate(h, ids[i%n], structures.Tick(n+i)*life/structures.Tick(n))
					w := h.Work().Sub(before)
					steps += w.SlotsVisited + w.Moved + w.Comparisons
					// The first operations may spread the n timers that were there before.
					if most := uint64(20*(n+i) + 100); steps > most {
						t.Fatalf("%s: %d timers cancelled after %d ticks: %d steps in %d operations", name, n, life, steps, i+1)
					}
				}
				t.Logf("%s: %d timers cancelled after %d ticks: %.1f steps an operation", name, n, life, float64(steps)/float64(2*n))
				if h.Len() != n {
					t.Fatalf("%s: %d timers pending, want %d", name, h.Len(), n)
				}
			}
		}
	}
}
