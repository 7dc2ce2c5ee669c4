package calendar_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/calendar"
)

func Example() {
	events := calendar.New[string]()
	events.Schedule(150, "packet arrives at B")
	timeout := events.Schedule(900, "A sends again")
	events.Schedule(150, "packet arrives at C")

	for events.Len() > 0 {
		now, _ := events.Next()
		for event := range structures.Due(events, now) {
			fmt.Println(event.Deadline, event.Value)
			if event.Value == "packet arrives at B" {
				events.Schedule(now+140, "answer arrives at A")
			}
			if event.Value == "answer arrives at A" {
				events.Cancel(timeout)
			}
		}
	}
	// Output:
	// 150 packet arrives at B
	// 150 packet arrives at C
	// 290 answer arrives at A
}
