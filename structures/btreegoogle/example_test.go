package btreegoogle_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/btreegoogle"
)

func Example() {
	s := btreegoogle.New[string](btreegoogle.Capacity(100))
	s.Schedule(30, "retry")
	timeout := s.Schedule(20, "timeout")
	tick := s.Schedule(10, "tick")
	s.Cancel(timeout)
	s.Reschedule(tick, 25)

	at, _ := s.Next()
	fmt.Println("wake up at", at)
	for timer := range structures.Due(s, 40) {
		fmt.Println(timer.Deadline, timer.Value)
	}
	// Output:
	// wake up at 25
	// 25 tick
	// 30 retry
}
