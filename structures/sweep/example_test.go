package sweep_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/sweep"
)

func Example() {
	sessions := sweep.New[string](sweep.Period(100))
	ann := sessions.Schedule(120, "Ann")
	sessions.Schedule(150, "Bob")
	eve := sessions.Schedule(180, "Eve")
	sessions.Cancel(ann)
	sessions.Reschedule(eve, 430)
	for at, ok := sessions.Next(); ok; at, ok = sessions.Next() {
		for timer := range structures.Due(sessions, at) {
			fmt.Println(timer.Value, "at", at)
		}
	}
	// Output:
	// Bob at 200
	// Eve at 500
}
