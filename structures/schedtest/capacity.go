package schedtest

import (
	"fmt"
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
)

// Capacity checks the option of that name. The constructor of package pkg must refuse a number that is not
// from 0 to limit. With room for n timers, the first n must not allocate, unless Allocates is given.
func Capacity(
	t *testing.T, pkg string, limit int, newScheduler func(n int) structures.Scheduler[uint64], opts ...Option,
) {
	t.Run("Refused", func(t *testing.T) { capacityRefused(t, pkg, limit, newScheduler) })
	if newConfig(nil, opts).bounded() {
		t.Run("Reserved", func(t *testing.T) { capacityReserved(t, newScheduler) })
	}
}

func capacityRefused(r reporter, pkg string, limit int, newScheduler func(n int) structures.Scheduler[uint64]) {
	for _, n := range []int{-1, math.MinInt, limit + 1, math.MaxInt} {
		checking.Panics(r, fmt.Sprintf("%s: Capacity(%d): want a number from 0 to %d",
			pkg, n, limit), func() { newScheduler(n) })
	}
	newScheduler(0)
}

func capacityReserved(r reporter, newScheduler func(n int) structures.Scheduler[uint64]) {
	for _, n := range []int{1, 2, 10, 16, 17, 100, 1021, 1024, 5000, 17_000} {
		s := []structures.Scheduler[uint64]{newScheduler(n), newScheduler(n)} // AllocsPerRun runs twice
		if allocs := testing.AllocsPerRun(1, func() {
			for i := range n {
				s[0].Schedule(structures.Tick(i^0x155), uint64(i)) // nearly in order: some search from the end
			}
			s = s[1:]
		}); allocs != 0 {
			r.Errorf("Capacity(%d): %v allocations for %d timers, want none", n, allocs, n)
		}
	}
}
