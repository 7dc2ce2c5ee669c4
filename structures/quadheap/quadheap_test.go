package quadheap_test

import (
	"fmt"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/quadheap"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return quadheap.New[uint64]() })
}

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] { return quadheap.New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return quadheap.New[uint64](quadheap.Capacity(10)) })
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
