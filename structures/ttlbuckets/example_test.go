package ttlbuckets_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/ttlbuckets"
)

func Example() {
	entries := ttlbuckets.New[string]()
	page := entries.Schedule(20, "page")
	entries.Schedule(10, "token")
	entries.Schedule(60_000, "session") // in a bucket of 2048 ticks
	entries.Cancel(page)
	for at, ok := entries.Next(); ok; at, ok = entries.Next() {
		for entry := range structures.Due(entries, at) {
			fmt.Println(at, entry.Deadline, entry.Value)
		}
	}
	// Output:
	// 10 10 token
	// 63487 60000 session
}
