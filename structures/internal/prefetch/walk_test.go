package prefetch

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// The lists of a million records of 32 bytes in random order, walked in parallel. In the busy loops a step has about a
// hundred instructions, as to move a timer has. docs/performance.md has the figures.
func BenchmarkWalk(b *testing.B) {
	type record struct {
		next uint32
		_    [7]uint32
	}
	const n = 1 << 20
	records, order := make([]record, n), rand.New(rand.NewPCG(1, 2)).Perm(n)
	for i, at := range order {
		records[at].next = uint32(order[(i+1)%n])
	}
	for _, loop := range []struct {
		name        string
		work        int
		prefetching bool
	}{{"tight", 0, false}, {"busy", 16, false}, {"prefetch", 16, true}} {
		for _, lists := range []int{1, 2, 4, 8, 16, 32} {
			b.Run(fmt.Sprintf("loop=%s/lists=%d", loop.name, lists), func(b *testing.B) {
				at := make([]uint32, lists)
				for k := range at {
					at[k] = uint32(order[k*n/lists])
				}
				var lines Batch
				work := uint64(1)
				for i := 0; i < b.N; i += lists {
					for k, r := range at {
						at[k] = records[r].next
						if loop.prefetching {
							lines.Add(unsafe.Pointer(&records[at[k]]))
						}
						for range loop.work {
							work ^= work << 13
							work ^= work >> 7
						}
					}
					lines.Issue()
				}
				if work == 0 {
					b.Error("the compiler must keep the work")
				}
			})
		}
	}
}
