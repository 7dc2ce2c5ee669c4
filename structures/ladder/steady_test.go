package ladder_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/ladder"
)

// A hundred timers fire and are replaced, again and again. After a while nothing is allocated.
func TestFillAndDrainAllocatesNothing(t *testing.T) {
	s, now, random := ladder.New[int](), structures.Tick(0), uint64(1)
	cycles := func(n int) {
		for range n {
			for i := range 100 {
				random = random*6364136223846793005 + 1442695040888963407
				s.Schedule(now+1+structures.Tick(random>>33%60_000), i)
			}
			for at, ok := s.Next(); ok; at, ok = s.Next() {
				for range structures.Due(s, at) {
				}
				now = at
			}
		}
	}
	cycles(1000)
	if allocs := testing.AllocsPerRun(1, func() { cycles(1000) }); allocs > 2 {
		t.Errorf("%.0f allocations in 200,000 operations of the steady state, want none", allocs)
	}
}
