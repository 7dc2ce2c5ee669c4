package driver_test

import (
	"context"
	"fmt"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// Orders that are cancelled unless they are paid in time: a delay queue.
func Example_delayQueue() {
	type order struct{ number int }
	d, _ := driver.New() // without options there is no error
	defer d.Close()
	unpaid := driver.NewQueue[order](d)

	items := make(map[int]driver.Item)
	for number := range 5 {
		items[number], _ = unpaid.Push(time.Duration(10-2*number)*time.Millisecond, order{number}) // an error after Close only
	}
	unpaid.Remove(items[1]) // paid
	unpaid.Remove(items[3])

	for unpaid.Len() > 0 {
		o, err := unpaid.Take(context.Background())
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("order", o.number, "is cancelled")
	}
	// Output:
	// order 4 is cancelled
	// order 2 is cancelled
	// order 0 is cancelled
}
