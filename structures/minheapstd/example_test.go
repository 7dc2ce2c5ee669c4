package minheapstd_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/minheapstd"
)

func Example() {
	h := minheapstd.New[string]()
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
