package hwheel_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
)

func Example() {
	w := hwheel.New[string](hwheel.Capacity(1000))
	w.Schedule(30_000, "session of alice")
	bob := w.Schedule(30_000, "session of bob")
	w.Schedule(86_400_000, "nightly report")
	retry := w.Schedule(200, "retry")

	w.Reschedule(bob, 90_000) // bob is back
	w.Cancel(retry)           // the first try was answered

	for timer := range structures.Due(w, 60_000) {
		fmt.Println(timer.Deadline, timer.Value)
	}
	at, _ := w.Next()
	fmt.Println(w.Len(), "pending, nothing before", at)
	// Output:
	// 30000 session of alice
	// 2 pending, nothing before 90000
}
