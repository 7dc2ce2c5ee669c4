package minheap_test

import (
	"fmt"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/minheap"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, minheap.New[uint64], minheap.New[*schedtest.Payload], minheap.Capacity)
}

func FuzzAgainstModel(f *testing.F) { whitebox.Fuzz(f, minheap.New[uint64]) }

func Example() {
	timers := minheap.New[string]()
	retry := timers.Schedule(10, "retry")
	timers.Cancel(timers.Schedule(20, "flush"))
	timers.Reschedule(retry, 30)
	for at, ok := timers.Next(); ok; at, ok = timers.Next() {
		for timer := range structures.Due(timers, at) {
			fmt.Println(timer.Deadline, timer.Value)
		}
	}
	// Output: 30 retry
}
