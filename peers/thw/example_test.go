package thw_test

import (
	"fmt"

	"github.com/timerbench/timerbench/peers/thw"
	"github.com/timerbench/timerbench/structures"
)

func Example() {
	messages := thw.New[string]() // a tick is a millisecond
	messages.Schedule(60_000, "order")
	read := messages.Schedule(30_000, "invoice")
	kept := messages.Schedule(45_000, "letter")
	messages.Cancel(read)
	messages.Reschedule(kept, 60_500)

	for timer := range structures.Due(messages, 61_000) {
		fmt.Println(timer.Deadline, timer.Value)
	}
	// Output:
	// 60000 order
	// 60500 letter
}
