// Package beside measures an example with a driver beside the same with package time.
package beside

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/timerbench/timerbench/driver"
)

// N is how many timers each side has pending.
const N = 100_000

// Side is an example on one kind of timers. Start makes N of what the example has; op does one
// thing with the i-th of them.
type Side struct {
	Of    string
	Start func(b *testing.B) (op func(i int))
}

// Run measures the sides: time and processor time of an op on any of N, the bytes of each, and
// the processor time of a full garbage collection with all of them. The timers of package time stay
// behind: they come last, and it is run once in a process.
func Run(b *testing.B, sides ...Side) {
	order := rand.New(rand.NewPCG(1, 1)).Perm(N)
	for _, side := range sides {
		b.Run("of="+side.Of, func(b *testing.B) {
			empty := heap()
			op := side.Start(b)
			bytes, used := heap()-empty, cpu()
			runtime.GC()
			collection := cpu() - used
			i := 0
			used = cpu()
			for b.Loop() {
				op(order[i%N])
				i++
			}
			b.ReportMetric(float64(cpu()-used)/float64(b.N), "cpu-ns/op")
			b.ReportMetric(float64(bytes)/N, "B/each")
			b.ReportMetric(float64(collection)/1e6, "gc-cpu-ms")
			runtime.KeepAlive(op)
		})
	}
}

// Driver returns a driver that ends with the test.
func Driver(t testing.TB) *driver.Driver {
	d, err := driver.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// heap returns the bytes that are in use.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what finalizers and pools have kept
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
