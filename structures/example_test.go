package structures_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/minheap"
)

// All schedulers are used in the same way.
func ExampleScheduler() {
	var timers structures.Scheduler[string] = minheap.New[string]()
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
