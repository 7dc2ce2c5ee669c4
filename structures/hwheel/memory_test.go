package hwheel_test

import (
	"fmt"
	"runtime"
	"testing"
	"unsafe"

	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
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
		before := whitebox.HeapBytes()
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
			if got := (whitebox.HeapBytes() - before) / wheels; got > bound {
				t.Errorf("a wheel with %d timers takes %d bytes, want at most %d", n, got, bound)
			}
		}
		runtime.KeepAlive(all)
	})
}
