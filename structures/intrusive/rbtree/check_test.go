package rbtree

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
)

func TestCheckInvariantsFindsDamage(t *testing.T) {
	for name, harm := range map[string]func(r *Tree[int], timers []Timer[int]){
		"a timer is not counted":     func(r *Tree[int], _ []Timer[int]) { r.count-- },
		"the root is red":            func(r *Tree[int], _ []Timer[int]) { r.root.red = true },
		"a color is wrong":           func(_ *Tree[int], timers []Timer[int]) { timers[7].node.red = !timers[7].node.red },
		"the first is forgotten":     func(r *Tree[int], timers []Timer[int]) { r.first = &timers[3].node },
		"a deadline is out of order": func(_ *Tree[int], timers []Timer[int]) { timers[4].node.deadline = 90 },
		"a parent is wrong":          func(_ *Tree[int], timers []Timer[int]) { timers[0].node.parent = &timers[7].node },
		"a timer was overwritten":    func(_ *Tree[int], timers []Timer[int]) { timers[0] = Timer[int]{} },
	} {
		r, timers := New[int](), make([]Timer[int], 8)
		for i := range timers {
			r.Schedule(&timers[i], structures.Tick(10+10*i))
		}
		if err := r.CheckInvariants(); err != nil {
			t.Fatal(err)
		}
		if harm(r, timers); r.CheckInvariants() == nil {
			t.Errorf("%s: CheckInvariants finds nothing", name)
		}
	}
}
