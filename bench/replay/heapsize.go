package replay

import (
	"runtime"
	"time"
)

// Use is the size of the live objects on the heap, in bytes, and the duration of a full garbage collection.
type Use struct {
	Bytes   uint64
	Collect time.Duration
}

// Measure collects garbage twice and measures the heap.
func Measure() Use {
	runtime.GC()
	start := time.Now()
	runtime.GC()
	collect := time.Since(start)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return Use{m.HeapAlloc, collect}
}

// BytesSince returns how many bytes u is larger than before, at least 0.
func (u Use) BytesSince(before Use) float64 { return max(0, float64(u.Bytes)-float64(before.Bytes)) }

// CollectSince returns how many nanoseconds a collection takes longer than before, at least 0.
func (u Use) CollectSince(before Use) float64 { return max(0, float64(u.Collect-before.Collect)) }
