package micro

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/timerbench/timerbench/structures/catalog"
)

// thirdParty is the largest size for containers of others, which take seconds to fill
// beyond.
const thirdParty = 100_000

// BenchmarkMicro measures one structure after the other. It reports the median of the
// blocks, in ns per unit of the workload. The time of the benchmark, which -benchtime
// bounds, holds the filling as well.
func BenchmarkMicro(b *testing.B) {
	sizes := []int{100_000, 1_000_000}
	if testing.Short() {
		sizes = []int{1000}
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("floor/n=%d", n), func(b *testing.B) {
			var f Floor
			for b.Loop() {
				f = MeasureFloor(n)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(f.Touch, "ns/touch")
			b.ReportMetric(f.Chase, "ns/chase")
		})
	}
	for _, w := range Workloads() {
		for _, n := range sizes {
			sequence := sync.OnceValues(func() (*Sequence, error) {
				return NewSequence(b.Context(), w, n, 10, BlockSize)
			})
			beside := (&Sequence{Workload: w}).references()
			for _, e := range append(beside, catalog.All()...) {
				if e.Limit > 0 && n > e.Limit || e.ThirdParty != "" && n > thirdParty {
					continue
				}
				b.Run(fmt.Sprintf("workload=%s/n=%d/structure=%s", w.Name, n, e.Name), func(b *testing.B) {
					q, err := sequence()
					if err != nil {
						b.Fatal(err)
					}
					benchmark(b, q, e)
				})
			}
		}
	}
}

// benchmark goes through the blocks of a sequence, and begins again at its end.
func benchmark(b *testing.B, q *Sequence, e catalog.Entry) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var r *runner
	var took []float64
	for i := 0; b.Loop(); i++ {
		block := i % len(q.blocks)
		if block == 0 {
			if r != nil {
				r.stop()
			}
			var err error
			if r, err = q.start(e); err != nil {
				b.Fatal(err)
			}
			runtime.GC()
		}
		ns, err := r.time(block)
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, ns)
	}
	b.ReportMetric(median(took), "ns/op")
	r.stop()
}
