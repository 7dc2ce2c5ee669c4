package sortedlist_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/sortedlist"
)

func Example() {
	jobs := sortedlist.New[string]()
	jobs.Schedule(60, "rotate logs")
	backup := jobs.Schedule(90, "back up")
	jobs.Schedule(100, "send mail")
	jobs.Cancel(backup) // the disk is full

	for at, ok := jobs.Next(); ok && at <= 180; at, ok = jobs.Next() {
		for job := range structures.Due(jobs, at) {
			fmt.Println(job.Deadline, job.Value)
			jobs.Schedule(job.Deadline+70, job.Value)
		}
	}
	fmt.Println(jobs.Len(), "jobs pending")
	// Output:
	// 60 rotate logs
	// 100 send mail
	// 130 rotate logs
	// 170 send mail
	// 2 jobs pending
}
