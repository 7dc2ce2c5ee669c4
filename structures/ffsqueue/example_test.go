package ffsqueue_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/ffsqueue"
)

func Example() {
	packets := ffsqueue.New[string](ffsqueue.Slots(4096)) // ticks of a microsecond
	packets.Schedule(800, "third of flow a")
	packets.Schedule(400, "second of flow a")
	first := packets.Schedule(300, "first of flow b")
	packets.Schedule(9000, "second of flow b") // beyond the span
	packets.Cancel(first)                      // dropped

	for at, ok := packets.Next(); ok; at, ok = packets.Next() {
		for packet := range structures.Due(packets, at) {
			fmt.Println(packet.Deadline, packet.Value)
		}
	}
	fmt.Printf("%+v\n", packets.Work())
	// Output:
	// 400 second of flow a
	// 800 third of flow a
	// 9000 second of flow b
	// {SlotsVisited:2 EmptySlots:0 Moved:0 Dropped:0 Comparisons:0}
}
