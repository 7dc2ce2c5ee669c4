package heap

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
)

func TestCheckInvariantsFindsDamage(t *testing.T) {
	for name, harm := range map[string]func(h *Heap[int], timers []Timer[int]){
		"a place is wrong":              func(_ *Heap[int], timers []Timer[int]) { timers[5].node.place-- },
		"a deadline is not the entry's": func(_ *Heap[int], timers []Timer[int]) { timers[5].node.deadline = 99 },
		"an entry is before its parent": func(h *Heap[int], timers []Timer[int]) {
			h.entries[0].deadline, timers[0].node.deadline = 99, 99
		},
		"a timer was overwritten":      func(_ *Heap[int], timers []Timer[int]) { timers[5] = Timer[int]{} },
		"a vacant entry keeps a timer": func(h *Heap[int], _ []Timer[int]) { h.entries = h.entries[:7] },
	} {
		h, timers := New[int](), make([]Timer[int], 8)
		for i := range timers {
			h.Schedule(&timers[i], structures.Tick(10+10*i))
		}
		if err := h.CheckInvariants(); err != nil {
			t.Fatal(err)
		}
		if harm(h, timers); h.CheckInvariants() == nil {
			t.Errorf("%s: CheckInvariants finds nothing", name)
		}
	}
}
