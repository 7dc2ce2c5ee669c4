package script

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

func TestEntriesLeaveByTickThenByArrival(t *testing.T) {
	type entry struct {
		at    structures.Tick
		order int
	}
	rng := rand.New(rand.NewPCG(3, 4))
	var q Queue[entry]
	var want []entry
	for i := range 5000 {
		e := entry{structures.Tick(rng.IntN(300)), i}
		q.Push(e.at, e)
		want = append(want, e)
		if rng.IntN(3) == 0 {
			slices.SortStableFunc(want, func(a, b entry) int { return int(a.at - b.at) })
			if at, got := q.First(); got != want[0] || at != got.at {
				t.Fatalf("first is %v at %d, want %v", got, at, want[0])
			}
			q.Pop()
			want = want[1:]
		}
	}
	slices.SortStableFunc(want, func(a, b entry) int { return int(a.at - b.at) })
	for _, w := range want {
		if _, got := q.First(); got != w {
			t.Fatalf("got %v, want %v", got, w)
		}
		q.Pop()
	}
	if q.Len() != 0 {
		t.Fatalf("%d entries left", q.Len())
	}
}
