package ebtree_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/ebtree"
)

func Example() {
	timers := ebtree.New[string]()
	timers.Schedule(30, "retry")
	flush := timers.Schedule(20, "flush")
	idle := timers.Schedule(25, "idle")
	timers.Cancel(flush)
	timers.Reschedule(idle, 30) // now behind its equal

	at, _ := timers.Next()
	fmt.Println("next at", at)
	for timer := range structures.Due(timers, at) {
		fmt.Println(timer.Deadline, timer.Value)
	}
	// Output:
	// next at 30
	// 30 retry
	// 30 idle
}
