package soonlater_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/soonlater"
)

func Example() {
	timers := soonlater.New[string]()
	timers.Schedule(200, "retry the upload")
	idle := timers.Schedule(60_000, "close the idle connection")
	timers.Schedule(30_000, "send a heartbeat")
	timers.Cancel(idle) // the peer closed it

	for at, ok := timers.Next(); ok; at, ok = timers.Next() {
		for timer := range structures.Due(timers, at) {
			fmt.Println(timer.Deadline, timer.Value)
		}
	}
	// Output:
	// 200 retry the upload
	// 30000 send a heartbeat
}

// Timers of the later wheel move to the soon wheel in equal shares.
func Example_work() {
	wheels := soonlater.New[int](soonlater.Soon(64)) // halves of 32 ticks
	for i := range 320 {
		wheels.Schedule(structures.Tick(96+i%32), i) // ten for each tick of a half
	}
	most := uint64(0)
	for now := range structures.Tick(128) {
		before := wheels.Work().Moved
		wheels.Pop(now)
		most = max(most, wheels.Work().Moved-before)
		for range structures.Due(wheels, now) {
		}
	}
	fmt.Println(wheels.Work().Moved, "timers moved,", most, "of them in one call at most")
	// Output:
	// 320 timers moved, 10 of them in one call at most
}
