package skiplist

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// Every invariant is broken once, in a list of three timers, due at 10, 20 and
// 30, with towers at 16, 17 and 19, of heights 1, 2 and 1.
func TestCheckInvariantsNamesTheBrokenOne(t *testing.T) {
	for want, breakIt := range map[string]func(list *List[int]){
		"deadline 20 stands behind 21":                              func(list *List[int]) { list.core.links[head].deadline = 21 },
		"latest deadline is 30, remembered is 31":                   func(list *List[int]) { list.core.last = 31 },
		"on level 0, 17 stands behind 16, its link back says 0":     func(list *List[int]) { list.core.links[17].prev = head },
		"on level 0, 0 stands behind 19, its link back says 17":     func(list *List[int]) { list.core.links[head].prev = 17 },
		"on level 0, 19 is followed by 0, due at 5, want 0, due at": func(list *List[int]) { list.core.links[19].deadline = 5 },
		"on level 1, 17 stands behind 0, its link back says 16":     func(list *List[int]) { list.core.links[18].prev = 16 },
		"on level 1, 0 is followed by 17, due at 19":                func(list *List[int]) { list.core.links[head+1].deadline = 19 },
		"on level 2, 0 is followed by 17":                           func(list *List[int]) { list.core.links[head+2].next = 17 },
		"3 levels in use, the last of them is empty":                func(list *List[int]) { list.core.levels = 3 },
		"a timer on level 1, 1 levels in use":                       func(list *List[int]) { list.core.levels = 1 },
		"2 slots in the list, want 3":                               func(list *List[int]) { list.core.links[17].next = head },
		"more than 3 slots in the list":                             func(list *List[int]) { list.core.links[19] = link{deadline: 30, next: 19} },
		"leads to 18, in slot 2, not a tower in use":                func(list *List[int]) { list.core.links[19].next = 18; list.core.links[19].deadline = 40 },
		"leads to 99 of 20":                                         func(list *List[int]) { list.core.links[19] = link{deadline: 40, next: 99} },
		"leads to 17, in slot 2, not a tower in use":                func(list *List[int]) { list.table.Free(2) },
		"19 owners beside 20 links":                                 func(list *List[int]) { list.core.owner = list.core.owner[:19] },
		"link 18 of the tower of slot 2 is owned by 1":              func(list *List[int]) { list.core.owner[18] = 1 },
		"tower of slot 2, at 17, ends at 17":                        func(list *List[int]) { list.core.towers[3] = 17 },
		"tower of slot 0 begins at 1, want 0":                       func(list *List[int]) { list.core.towers[0] = 1 },
		"towers end at 19 of 20 links":                              func(list *List[int]) { list.core.towers = list.core.towers[:4] },
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
