package wheelfixed_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/wheelfixed"
)

func Example() {
	w := wheelfixed.New[string](wheelfixed.PerSlot(1))
	w.Schedule(50, "retry")
	w.Schedule(50, "heartbeat")                     // finds that slot full
	request := w.Schedule(1000, "request of alice") // in the slot of 1000
	w.Schedule(1000, "request of bob")              // in the slot of 1008
	w.Cancel(request)                               // it was answered

	for at, ok := w.Next(); ok; at, ok = w.Next() {
		for timer := range structures.Due(w, at) {
			fmt.Println(timer.Value, "at", at, "instead of", timer.Deadline)
		}
	}
	fmt.Println("late by at most", wheelfixed.MaxLate(1000))
	// Output:
	// retry at 50 instead of 50
	// heartbeat at 51 instead of 50
	// request of bob at 1008 instead of 1000
	// late by at most 31
}
