package btreegoogle_test

import (
	"fmt"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/btreegoogle"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, btreegoogle.New[uint64], btreegoogle.New[*schedtest.Payload], btreegoogle.Capacity, schedtest.FIFO(), schedtest.Allocates())
}

func FuzzAgainstModel(f *testing.F) {
	whitebox.Fuzz(f, btreegoogle.New[uint64], schedtest.FIFO(), schedtest.Allocates())
}

func Example() {
	timers := btreegoogle.New[string]()
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
