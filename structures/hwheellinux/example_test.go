package hwheellinux_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheellinux"
)

func Example() {
	w := hwheellinux.New[string](hwheellinux.Capacity(1000))
	w.Schedule(50, "retry")
	request := w.Schedule(1000, "request timed out")
	w.Schedule(1000, "session expired")
	w.Cancel(request) // it was answered

	for at, ok := w.Next(); ok; at, ok = w.Next() {
		for timer := range structures.Due(w, at) {
			fmt.Println(timer.Value, "at", at, "instead of", timer.Deadline)
		}
	}
	fmt.Println("late by at most", hwheellinux.MaxLate(1000))
	// Output:
	// retry at 50 instead of 50
	// session expired at 1024 instead of 1000
	// late by at most 63
}
