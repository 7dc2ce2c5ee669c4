package quadheap_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/quadheap"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return quadheap.New[uint64]() })
}

func TestConformanceWithCapacity(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return quadheap.New[uint64](quadheap.Capacity(10)) })
}

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] { return quadheap.New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return quadheap.New[uint64]() })
}

func TestInvalidCapacityPanics(t *testing.T) {
	for _, n := range []int{-1, math.MinInt, math.MaxInt} {
		want := fmt.Sprintf("quadheap: Capacity(%d): want a number from 0 to 4294967293", n)
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %q", got, want)
				}
			}()
			quadheap.New[int](quadheap.Capacity(n))
		}()
	}
	quadheap.New[int](quadheap.Capacity(0))
}

func TestCapacityReservesRoom(t *testing.T) {
	for _, n := range []int{1, 2, 100, 1021, 5000} {
		h := quadheap.New[int](quadheap.Capacity(n))
		if allocs := testing.AllocsPerRun(1, func() { // runs it twice
			for h.Len() > 0 {
				h.Pop(math.MaxInt64)
			}
			for i := range n {
				h.Schedule(structures.Tick(n-i), i)
			}
		}); allocs != 0 {
			t.Errorf("Capacity(%d): %v allocations for %d timers, want 0", n, allocs, n)
		}
	}
}

func Example() {
	h := quadheap.New[string](quadheap.Capacity(100))
	h.Schedule(30, "retry")
	timeout := h.Schedule(20, "timeout")
	tick := h.Schedule(10, "tick")
	h.Cancel(timeout)
	h.Reschedule(tick, 25)

	at, _ := h.Next()
	fmt.Println("wake up at", at)
	for timer := range structures.Due(h, 40) {
		fmt.Println(timer.Deadline, timer.Value)
	}
	// Output:
	// wake up at 25
	// 25 tick
	// 30 retry
}
