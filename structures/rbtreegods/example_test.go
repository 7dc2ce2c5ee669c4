package rbtreegods_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/rbtreegods"
)

func Example() {
	timers := rbtreegods.New[string]()
	timers.Schedule(200, "retry the upload")
	idle := timers.Schedule(5000, "close the idle connection")
	timers.Schedule(1000, "send a heartbeat")
	timers.Cancel(idle) // the peer closed it

	for at, ok := timers.Next(); ok; at, ok = timers.Next() {
		for timer := range structures.Due(timers, at) {
			fmt.Println(timer.Deadline, timer.Value)
		}
	}
	// Output:
	// 200 retry the upload
	// 1000 send a heartbeat
}
