package soonlater_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/soonlater"
)

func Example() {
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
