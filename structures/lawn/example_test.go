package lawn_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/lawn"
)

func Example() {
	const request, idle = 30, 120 // the delays of a server, in ticks
	timers := lawn.New[string](lawn.Capacity(1000))
	first := timers.Schedule(0+request, "request of alice")
	timers.Schedule(0+idle, "connection of alice")
	timers.Pop(20)
	timers.Schedule(20+request, "request of bob")
	timers.Schedule(20+idle, "connection of bob")
	timers.Cancel(first) // answered

	for at, ok := timers.Next(); ok; at, ok = timers.Next() {
		for timer := range structures.Due(timers, at) {
			fmt.Println(timer.Deadline, timer.Value)
		}
	}
	fmt.Println(timers.Work().Comparisons, "comparisons, of the first timers of two lists")
	// Output:
	// 50 request of bob
	// 120 connection of alice
	// 140 connection of bob
	// 4 comparisons, of the first timers of two lists
}
