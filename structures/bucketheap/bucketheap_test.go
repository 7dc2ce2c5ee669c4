package bucketheap_test

import (
	"fmt"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/bucketheap"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

// Buckets are made as needed, so Capacity reserves no room for them.
func TestConformance(t *testing.T) {
	newScheduler := bucketheap.New[uint64]
	schedtest.Run(t, func() structures.Scheduler[uint64] { return newScheduler() }, schedtest.FIFO())
	whitebox.Suite(t, newScheduler, bucketheap.New[*schedtest.Payload], bucketheap.Capacity, schedtest.FIFO(), schedtest.Allocates())
}

func FuzzAgainstModel(f *testing.F) { whitebox.Fuzz(f, bucketheap.New[uint64], schedtest.FIFO()) }

func Example() {
	timers := bucketheap.New[string]()
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
