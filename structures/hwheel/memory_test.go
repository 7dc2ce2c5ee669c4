package hwheel_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
)

// An empty wheel is small, whatever the size of a value. With few timers it has room
// for three values per timer at most, beside a fixed amount.
func TestMemoryFollowsTheNumberOfTimers(t *testing.T) {
	memoryFollows[struct{}](t)
	memoryFollows[uint64](t)
	memoryFollows[[100]byte](t)
	memoryFollows[[1000]byte](t)
	memoryFollows[[65536]byte](t)
}

func memoryFollows[T any](t *testing.T) {
	const (
		wheels = 8
		empty  = 5 << 10   // bytes of a wheel without timers
		slots  = 120 << 10 // bytes for slots of all levels
		chunk  = 2 * 66    // bytes of a chunk and its mask, twice because the first page doubles
	)
	var value T
	t.Run(fmt.Sprintf("%T", value), func(t *testing.T) {
		all := make([]*hwheel.Wheel[T], wheels)
		before := heapBytes()
		for i := range all {
			all[i] = hwheel.New[T]()
		}
		record := int64(unsafe.Sizeof(value)+16) * 9 / 8 // the allocator rounds up
		for n := range int64(41) {
			bound := empty + n*chunk + 3*n*record
			if n > 0 {
				bound += slots
				for _, w := range all {
					w.Schedule(1<<(n%40), value)
				}
			}
			if n > 2 && n%10 != 0 {
				continue
			}
			if got := (heapBytes() - before) / wheels; got > bound {
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

// Values of all sizes survive the growth of the wheel whole.
func TestValuesOfAllSizes(t *testing.T) {
	t.Parallel()
	values[[3]byte](t)
	values[[1000]byte](t)
	values[[40_000]byte](t)
	values[[100_000]byte](t)
}

func values[T [3]byte | [1000]byte | [40_000]byte | [100_000]byte](t *testing.T) {
	size := unsafe.Sizeof(*new(T))
	bytes := func(v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), size) }
	rng := rand.New(rand.NewPCG(1, uint64(size)))
	w := hwheel.New[T]()
	want := make(map[structures.ID]byte)
	for n := byte(0); n < 200; n++ {
		var v T
		for i := range bytes(&v) {
			bytes(&v)[i] = n
		}
		id := w.Schedule(structures.Tick(1+rng.IntN(1000)), v)
		want[id] = n
		if n%3 == 0 {
			w.Reschedule(id, 5)
		}
		if n%4 == 0 {
			w.Cancel(id)
			delete(want, id)
		}
	}
	mustBeSound(t, w)
	for timer := range structures.Due(w, 1000) {
		for i, b := range bytes(&timer.Value) {
			if b != want[timer.ID] {
				t.Fatalf("%T: byte %d of the value of timer %#x is %d, want %d", timer.Value, i, timer.ID, b, want[timer.ID])
			}
		}
		delete(want, timer.ID)
	}
	if len(want) != 0 {
		t.Errorf("%d timers did not fire", len(want))
	}
}
