package hwheel

import (
	"fmt"
	"runtime"
	"testing"
	"unsafe"
)

// An empty wheel is small, whatever the size of a value. While it holds few timers
// it has room for three values per timer at most, beside a fixed amount.
func TestMemoryFollowsTheNumberOfTimers(t *testing.T) {
	memoryFollows[struct{}](t)
	memoryFollows[uint64](t)
	memoryFollows[[100]byte](t)
	memoryFollows[[1000]byte](t)
	memoryFollows[[65536]byte](t)
}

func memoryFollows[T any](t *testing.T) {
	const (
		empty  = 24 << 10  // bytes of a wheel without timers
		lists  = 120 << 10 // bytes of the lists of all slots
		wheels = 8
	)
	var value T
	t.Run(fmt.Sprintf("%T", value), func(t *testing.T) {
		all := make([]*Wheel[T], wheels)
		before := heapBytes()
		for i := range all {
			all[i] = New[T]()
		}
		got := (heapBytes() - before) / wheels
		t.Logf("empty: %d bytes, at most %d", got, empty)
		if got > empty {
			t.Errorf("an empty wheel takes %d bytes, want at most %d", got, empty)
		}
		size := int64(unsafe.Sizeof(value)) + 16
		for n := int64(1); n <= 40; n++ {
			for _, w := range all {
				w.Schedule(1<<(n%40), value)
			}
			if n != 1 && n != 2 && n != 10 && n != 40 {
				continue
			}
			bound := empty + lists + (3*n+1)*(size+size/8) + n*2*chunkLen*8
			got := (heapBytes() - before) / wheels
			t.Logf("%d timers: %d bytes, at most %d", n, got, bound)
			if got > bound {
				t.Errorf("a wheel with %d timers takes %d bytes, want at most %d", n, got, bound)
			}
		}
		runtime.KeepAlive(all)
	})
}

// heapBytes returns the bytes in use on the heap once the garbage is gone.
func heapBytes() int64 {
	runtime.GC()
	runtime.GC() // the second one sweeps what the first one found
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
