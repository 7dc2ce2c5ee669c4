package soonlater

import (
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity, schedtest.Levels(1))
	whitebox.Variants(t, [][2]int{{8, 8}, {2, 4}, {64, 16}}, sized, schedtest.Levels(1))
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return sized([2]int{32, 8}) }, schedtest.Levels(1))
}

func sized(slots [2]int) structures.Scheduler[uint64] {
	return newWheels[uint64](slots[0], slots[1], 0)
}

// The bound that the package's doc states, for drivers with steps of all widths, while timers come and go.
func TestAPopMovesItsShareOnly(t *testing.T) {
	const soon, half, n = 256, 128, 10_000
	for _, step := range []structures.Tick{1, 2, 3, 7, 16, 64, 127} {
		rng := rand.New(rand.NewPCG(1, uint64(step)))
		w := newWheels[int](soon, 16, 0)
		var ids [n]structures.ID
		at := [n]structures.Tick{}
		schedule := func(i int, now structures.Tick) {
			at[i] = now + 1 + structures.Tick(rng.IntN(7*soon))
			ids[i] = w.Schedule(at[i], i)
		}
		for i := range n {
			schedule(i, 0)
		}
		m, h := uint64(0), uint64(1) // timers to move in this half, and ticks that were left of it
		for now := step; now < 20*soon; now += step {
			before := w.Work().Moved
			timer, ok := w.Pop(now)
			moved := w.Work().Moved - before
			most := uint64(step)*m/h + 1
			if now > 2*half && moved > most { // a Pop that enters a half moves no more, as few are left
				t.Fatalf("step %d: a Pop at %d moves %d of %d timers, with %d ticks for them, want at most %d", step, now, moved, m, h, most)
			}
			if begins := now/half > (now-step)/half; begins {
				m, h = 0, uint64(half-now%half)
				for _, deadline := range at {
					if deadline/half == now/half+1 {
						m++
					}
				}
			}
			for ; ok; timer, ok = w.Pop(now) {
				schedule(timer.Value, now)
			}
			for range 10 {
				i := rng.IntN(n)
				w.Cancel(ids[i])
				schedule(i, now)
			}
		}
		if w.Work().Moved < n {
			t.Fatalf("step %d: only %d timers have moved", step, w.Work().Moved)
		}
	}
}

// Halves have 8 ticks and the cursor is 9. Timers 1 and 2 are due at 10 and 20, 3 to 6 at
// 16 to 19, of which three have not moved yet, 7 at 40 in the later wheel, and 8 at 1000.
func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	sound := func() *base[int] {
		w := newWheels[int](16, 8, 0)
		for _, deadline := range []structures.Tick{10, 10, 16, 17, 18, 19, 40, 1000} {
			w.Schedule(deadline, 0)
		}
		w.Pop(8)
		w.Pop(9)
		_, q := fifo.Parts(&w.base)
		c := q.(*core)
		if n, err := w.Work().Moved, w.CheckInvariants(); n != 1 || err != nil || c.moving.Empty() || w.Len() != 8 {
			t.Fatalf("%d moved, %v", n, err)
		}
		return &w.base
	}
	whitebox.FindsDamageToLists(t, sound, map[string]func(*core){
		"cursor": func(c *core) { c.cursor = 10 },
		"next":   func(c *core) { c.next = 11 },
		"next and moving": func(c *core) {
			c.soon.Remove(&c.nodes, 10, c.nodes.At(1))
			c.soon.Remove(&c.nodes, 10, c.nodes.At(2))
			c.next = 17
		},
		"soon not marked":   func(c *core) { c.soon.Occupied.Clear(10) },
		"soon marked":       func(c *core) { c.soon.Occupied.Set(11) },
		"soon, other slot":  func(c *core) { c.nodes.At(1).Deadline = 11 },
		"soon, other turn":  func(c *core) { c.nodes.At(1).Deadline = 26 },
		"soon links":        func(c *core) { c.nodes.PushBack(&c.soon.Lists[10], 7, c.nodes.At(7)) },
		"not moving":        func(c *core) { c.nodes.At(6).Deadline = 11 },
		"left":              func(c *core) { c.left = 2 },
		"moving lost":       func(c *core) { c.nodes.PopFront(&c.moving) },
		"later, other slot": func(c *core) { c.nodes.At(7).Deadline = 50 },
		"later, other turn": func(c *core) { c.nodes.At(7).Deadline = 40 + 64 },
		"later count":       func(c *core) { c.counts[5]++ },
		"later not marked":  func(c *core) { c.later.Occupied.Clear(5) },
		"later marked":      func(c *core) { c.later.Occupied.Set(6) },
		"far deadline":      func(c *core) { c.nodes.At(8).Deadline = 1001 },
		"far and past":      func(c *core) { c.nodes.At(8).Deadline = 8; c.far.Move(8, 8) },
		"far lost":          func(c *core) { c.far.Remove(8) },
	})
}
