package linkedwheel

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/intrusive/internal/links"
)

func TestCheckInvariantsFindsDamage(t *testing.T) {
	for name, harm := range map[string]func(w *Wheel[int], timers []Timer[int]){
		"a timer is not counted":         func(w *Wheel[int], _ []Timer[int]) { w.count-- },
		"the cursor is after the clock":  func(w *Wheel[int], _ []Timer[int]) { w.cursor = 301 },
		"a timer is in another slot":     func(_ *Wheel[int], timers []Timer[int]) { timers[4].node.Deadline = 301 },
		"a slot is not marked":           func(w *Wheel[int], _ []Timer[int]) { l, s := links.Place(5000, w.cursor); w.occupied[l].Unmark(s) },
		"a timer was overwritten":        func(_ *Wheel[int], timers []Timer[int]) { timers[4] = Timer[int]{} },
		"a link back is wrong":           func(_ *Wheel[int], timers []Timer[int]) { timers[3].node.Prev = &timers[4].node.Link },
		"a timer has the seal of others": func(_ *Wheel[int], timers []Timer[int]) { links.NewKey().Seal(&timers[4].node) },
	} {
		w, timers := New[int](), make([]Timer[int], 5)
		for i, at := range []structures.Tick{290, 300, 310, 310, 5000} {
			w.Schedule(&timers[i], at)
		}
		w.Pop(300)
		if err := w.CheckInvariants(); err != nil {
			t.Fatal(err)
		}
		if harm(w, timers); w.CheckInvariants() == nil {
			t.Errorf("%s: CheckInvariants finds nothing", name)
		}
	}
}
