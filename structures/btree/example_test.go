package btree_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/btree"
)

func Example() {
	cache := map[string]int{"a": 1, "b": 2, "c": 3}
	expiry := btree.New[string]()
	expiry.Schedule(300, "a")
	b := expiry.Schedule(100, "b")
	c := expiry.Schedule(100, "c")
	expiry.Cancel(b)          // kept for good
	expiry.Reschedule(c, 250) // used again

	for at, ok := expiry.Next(); ok; at, ok = expiry.Next() {
		for timer := range structures.Due(expiry, at) {
			delete(cache, timer.Value)
			fmt.Println(timer.Deadline, cache)
		}
	}
	// Output:
	// 250 map[a:1 b:2]
	// 300 map[b:2]
}
