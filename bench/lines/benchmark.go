package lines

import (
	"fmt"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// Benchmark is the body of a structure's benchmark: every line among 10^5 and 10^6
// timers, or up to most if that is not 0, with the floor and Go's own timers beside
// it.
func Benchmark(b *testing.B, most int, newScheduler func() structures.Scheduler[uint64]) {
	sizes := []int{100_000, 1_000_000}
	if most > 0 {
		sizes = []int{most}
	}
	if testing.Short() {
		sizes = []int{1000}
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("line=floor/n=%d", n), func(b *testing.B) {
			floor := MeasureFloor(n)
			b.ReportMetric(floor.Touch, "ns/op")
			b.ReportMetric(floor.Chase, "ns/chase")
		})
		m := newNumbers(n)
		for _, line := range All() {
			for _, c := range []Contender{{"this", newScheduler}, Time()} {
				if c.Name == "time" && !line.Still() {
					continue
				}
				b.Run(fmt.Sprintf("line=%s/n=%d/by=%s", line, n, c.Name), func(b *testing.B) {
					benchmark(b, newRun(c.New(), n, m), line)
				})
			}
		}
	}
}

func benchmark(b *testing.B, r *run, line Line) {
	operations := b.N
	rounds := 1
	if line == FillDrain {
		rounds = (b.N + r.n - 1) / r.n // per timer, of whole cycles
	} else {
		r.fill()
	}
	b.ResetTimer()
	total := 0.0
	for range rounds {
		ns, err := r.measure(line, operations)
		if err != nil {
			b.Fatal(err)
		}
		total += ns
	}
	b.StopTimer()
	b.ReportMetric(total/float64(rounds), "ns/op")
	r.stop()
}
