package bucketheap_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/bucketheap"
)

func Example() {
	leases := bucketheap.New[int]()
	ids := make(map[int]structures.ID)
	for client := range 4 {
		ids[client] = leases.Schedule(structures.Tick(10*client+10), client)
	}
	leases.Cancel(ids[1])          // client 1 leaves
	leases.Reschedule(ids[0], 100) // client 0 renews its lease

	for at, ok := leases.Next(); ok; at, ok = leases.Next() {
		for lease := range structures.Due(leases, at) {
			fmt.Println("client", lease.Value, "lost its lease at", lease.Deadline)
		}
	}
	// Output:
	// client 2 lost its lease at 30
	// client 3 lost its lease at 40
	// client 0 lost its lease at 100
}
