package driver_test

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// How many connections there are. With a million it takes a second, and 77 MB: 45 bytes in
// the driver beside the 32 of the Timer for each.
const connections = 20_000

// connection is what a server knows of a client. Its deadline is a part of it: the timer
// costs no allocation.
type connection struct {
	deadline driver.Timer
	closed   atomic.Bool
	requests int
}

// serve is called with each request that comes: it moves the deadline, which takes no lock.
func (c *connection) serve(idle time.Duration) {
	c.requests++
	c.deadline.Reset(idle)
}

// Deadlines for the connections of a server: a connection on which nothing comes for some
// time is closed.
func Example_connections() {
	d, err := driver.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = d.Close() }()

	closed := make(chan int, connections)
	open := make([]connection, connections)
	for i := range open {
		c := &open[i]
		d.Init(&c.deadline, func() {
			c.closed.Store(true)
			closed <- i
		})
		c.serve(time.Hour)
	}
	// Each sends some requests; one in a thousand is silent from then on.
	for range 5 {
		for i := range open {
			open[i].serve(time.Hour)
		}
	}
	silent := 0
	for i := 0; i < len(open); i += 1000 {
		open[i].serve(5 * time.Millisecond)
		silent++
	}
	for range silent {
		<-closed
	}
	fmt.Println(silent, "connections were silent and are closed,", d.Len(), "are open")
	// Output: 20 connections were silent and are closed, 19980 are open
}
