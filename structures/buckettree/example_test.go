package buckettree_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/buckettree"
)

func Example() {
	timers := buckettree.New[string]()
	timers.Schedule(30, "session of alice")
	bob := timers.Schedule(20, "session of bob")
	timers.Schedule(30, "session of carol")
	timers.Reschedule(bob, 30) // into the bucket of the two others, behind them

	at, _ := timers.Next()
	fmt.Println("next at", at)
	for timer := range structures.Due(timers, at) {
		fmt.Println(timer.Deadline, timer.Value)
	}
	fmt.Println(timers.Work().SlotsVisited, "bucket visited")
	// Output:
	// next at 30
	// 30 session of alice
	// 30 session of carol
	// 30 session of bob
	// 1 bucket visited
}
