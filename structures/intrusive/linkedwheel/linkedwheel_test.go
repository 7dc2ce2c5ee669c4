package linkedwheel

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/intrusive"
	"github.com/timerbench/timerbench/structures/intrusive/internal/links"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func withIDs[T any]() structures.Scheduler[T] {
	return intrusive.WithIDs(New[intrusive.Item[T]](), func(t *Timer[intrusive.Item[T]]) *intrusive.Item[T] { return &t.Value })
}

func TestConformance(t *testing.T) {
	schedtest.Run(t, withIDs[uint64], schedtest.FIFO(), schedtest.Levels(8))
}
func TestRelease(t *testing.T) { schedtest.Releases(t, withIDs[*schedtest.Payload]) }
func FuzzModel(f *testing.F) {
	schedtest.Fuzz(f, withIDs[uint64], schedtest.FIFO(), schedtest.Levels(8))
}

// sample is a wheel with its timers.
type sample struct {
	*Wheel[int]
	timers [5]Timer[int]
}

func TestCheckInvariantsFindsDamage(t *testing.T) {
	sound := func() *sample {
		s := &sample{Wheel: New[int]()}
		for i, at := range []structures.Tick{290, 300, 310, 310, 5000} {
			s.Schedule(&s.timers[i], at)
		}
		s.Pop(300)
		return s
	}
	whitebox.FindsDamage(t, sound, map[string]func(*sample){
		"a timer is not counted":         func(s *sample) { s.count-- },
		"the cursor is after the clock":  func(s *sample) { s.cursor = 301 },
		"a timer is in another slot":     func(s *sample) { s.timers[4].node.Deadline = 20 << links.Digit },
		"a timer is on another level":    func(s *sample) { s.timers[4].node.Deadline = 1<<links.Digit + 5000>>links.Digit },
		"a slot is not marked":           func(s *sample) { l, slot := links.Place(5000, s.cursor); s.occupied[l].Unmark(slot) },
		"a timer was overwritten":        func(s *sample) { s.timers[4] = Timer[int]{} },
		"a link back is wrong":           func(s *sample) { s.timers[3].node.Prev = &s.timers[4].node.Link },
		"a timer has the seal of others": func(s *sample) { links.NewKey().Seal(&s.timers[4].node) },
	})
}

// Next passes over a slot whose timers were all cancelled.
func TestNextNamesNoEmptySlot(t *testing.T) {
	w, timers := New[int](), make([]Timer[int], 2)
	w.Schedule(&timers[0], 1000)
	w.Schedule(&timers[1], 100_000)
	w.Cancel(&timers[0])
	if at, ok := w.Next(); at != 1<<16 || !ok {
		t.Errorf("Next() = %d, %t, want %d, the start of the slot of the only timer", at, ok, 1<<16)
	}
}
