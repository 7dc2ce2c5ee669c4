package skiplist

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// Every invariant is broken once, in a list of three timers, due at 10, 20 and
// 30, with towers at 32, 33 and 35, of heights 1, 2 and 1.
func TestCheckInvariantsNamesTheBrokenOne(t *testing.T) {
	for want, breakIt := range map[string]func(list *List[int]){
		"deadline 20 stands behind 21":                              func(list *List[int]) { list.core.links[head].deadline = 21 },
		"latest deadline is 30, remembered is 31":                   func(list *List[int]) { list.core.last = 31 },
		"on level 0, 33 stands behind 32, its link back says 0":     func(list *List[int]) { list.core.links[33].prev = head },
		"on level 0, 0 stands behind 35, its link back says 33":     func(list *List[int]) { list.core.links[head].prev = 33 },
		"on level 0, 35 is followed by 0, due at 5, want 0, due at": func(list *List[int]) { list.core.links[35].deadline = 5 },
		"on level 1, 33 stands behind 0, its link back says 32":     func(list *List[int]) { list.core.links[34].prev = 32 },
		"on level 1, 0 is followed by 33, due at 19":                func(list *List[int]) { list.core.links[head+1].deadline = 19 },
		"on level 2, 0 is followed by 33":                           func(list *List[int]) { list.core.links[head+2].next = 33 },
		"3 levels in use, the last of them is empty":                func(list *List[int]) { list.core.levels = 3 },
		"a timer on level 1, 1 levels in use":                       func(list *List[int]) { list.core.levels = 1 },
		"2 slots in the list, want 3":                               func(list *List[int]) { list.core.links[33].next = head },
		"more than 3 slots in the list":                             func(list *List[int]) { list.core.links[35] = link{deadline: 30, next: 35} },
		"leads to 34, in slot 2, not a tower in use":                func(list *List[int]) { list.core.links[35].next = 34; list.core.links[35].deadline = 40 },
		"leads to 99 of 36":                                         func(list *List[int]) { list.core.links[35] = link{deadline: 40, next: 99} },
		"leads to 33, in slot 2, not a tower in use":                func(list *List[int]) { list.table.Free(2) },
		"35 owners beside 36 links":                                 func(list *List[int]) { list.core.owner = list.core.owner[:35] },
		"link 34 of the tower of slot 2 is owned by 1":              func(list *List[int]) { list.core.owner[34] = 1 },
		"tower of slot 2, at 33, ends at 33":                        func(list *List[int]) { list.core.towers[3] = 33 },
		"tower of slot 0 begins at 1, want 0":                       func(list *List[int]) { list.core.towers[0] = 1 },
		"towers end at 35 of 36 links":                              func(list *List[int]) { list.core.towers = list.core.towers[:4] },
		"slab: slot 0":                                              func(list *List[int]) { list.table.Free(0) },
	} {
		list := New[int]()
		for _, height := range []int{1, 2, 1} {
			list.core.raise(height)
		}
		for i := range 3 {
			list.Schedule(structures.Tick(10*(i+1)), i)
		}
		if err := list.CheckInvariants(); err != nil {
			t.Fatal(err)
		}
		breakIt(list)
		if err := list.CheckInvariants(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
