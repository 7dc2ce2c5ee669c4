package minheap_test

import (
	"fmt"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/minheap"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, "minheap", slab.MaxCapacity,
		func(n int) structures.Scheduler[uint64] { return minheap.New[uint64](minheap.Capacity(n)) },
		func() structures.Scheduler[*schedtest.Payload] { return minheap.New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return minheap.New[uint64](minheap.Capacity(10)) })
}

func Example() {
	h := minheap.New[string](minheap.Capacity(100))
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
