// Package measure compares an example that uses a driver with the same example on package time.
package measure

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/timerbench/timerbench/driver"
)

// N is the number of pending timers.
const N = 100_000

// Side is an example on one kind of timers. Start makes N items, such as sessions. op uses item
// number i.
type Side struct {
	Of    string
	Start func(b *testing.B) (op func(i int))
}

// Run measures the sides: the time and the processor time of an op on a random item, the bytes
// per item, and the processor time of a full garbage collection while all items exist. The side
// on package time comes last and Run is called once per process, because its timers stay pending.
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

// Driver returns a driver that is closed at the end of the test.
func Driver(t testing.TB) *driver.Driver {
	d, err := driver.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// heap returns the number of bytes in use.
func heap() int64 {
	runtime.GC()
	runtime.GC() // frees what finalizers and pools have kept
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
