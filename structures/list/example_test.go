package list_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/list"
)

func Example() {
	jobs := list.New[string]()
	jobs.Schedule(60, "fetch mail")
	backup := jobs.Schedule(3600, "back up")
	jobs.Schedule(86_400, "rotate logs")
	jobs.Reschedule(backup, 7200)

	at, _ := jobs.Next()
	fmt.Println("wake up at", at)
	for job := range structures.Due(jobs, 7200) {
		fmt.Println(job.Deadline, job.Value)
	}
	// Output:
	// wake up at 60
	// 60 fetch mail
	// 7200 back up
}
