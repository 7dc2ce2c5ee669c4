package quadheaplazy_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/quadheaplazy"
)

func Example() {
	h := quadheaplazy.New[string](quadheaplazy.Capacity(100))
	h.Schedule(30, "retry")
	timeout := h.Schedule(20, "timeout")
	idle := h.Schedule(10, "idle connection")
	h.Cancel(timeout)
	for at := structures.Tick(1); at <= 15; at++ {
		h.Reschedule(idle, at+10) // it was used
	}

	at, _ := h.Next()
	fmt.Println("wake up at", at)
	for timer := range structures.Due(h, 40) {
		fmt.Println(timer.Deadline, timer.Value)
	}
	// Output:
	// wake up at 25
	// 25 idle connection
	// 30 retry
}
