package soonlater

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures"
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

// CheckInvariants notices a moving timer of a wrong half, one that is not counted, and one before which nobody asks to be called.
func TestWrongMovesAreNoticed(t *testing.T) {
	for name, change := range map[string]func(*core){
		"":                       func(*core) {},
		"a half too far":         func(c *core) { c.nodes.At(c.moving.Front()).Deadline += c.start(1) },
		"fewer are left":         func(c *core) { c.left-- },
		"after the half started": func(c *core) { c.next++ },
	} {
		w := newWheels[int](16, 16, 0)
		for at := range structures.Tick(3) {
			w.Schedule(25+at, 0)
		}
		w.Pop(16) // the half before that of all three
		change((*core)(reflect.ValueOf(w).Elem().FieldByName("queue").Elem().UnsafePointer()))
		if err := w.CheckInvariants(); (err == nil) != (name == "") || err != nil && !strings.Contains(err.Error(), " moves in half ") {
			t.Errorf("%q: %v", name, err)
		}
	}
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
