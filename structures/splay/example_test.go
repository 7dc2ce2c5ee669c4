package splay_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/splay"
)

func Example() {
	timers := splay.New[string]()
	flush := timers.Schedule(20, "flush")
	retry := timers.Schedule(10, "retry")
	timers.Schedule(50, "report")
	timers.Cancel(flush)
	timers.Reschedule(retry, 30)
	for at, ok := timers.Next(); ok; at, ok = timers.Next() {
		for timer := range structures.Due(timers, at) {
			fmt.Println(timer.Deadline, timer.Value)
		}
	}
	// Output:
	// 30 retry
	// 50 report
}
