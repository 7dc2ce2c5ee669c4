package driver_test

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// The number of connections. A million take a second and 77 MB: for each, 45 bytes in the driver
// and 32 bytes for the Timer.
const connections = 20_000

// connection is the connection of a client. The timer for its deadline is a field, which costs no allocation.
type connection struct {
	deadline driver.Timer
	closed   atomic.Bool
	requests int
}

// serve is called for each request. It moves the deadline, which takes no lock.
func (c *connection) serve(idle time.Duration) {
	c.requests++
	c.deadline.Reset(idle)
}

// Deadlines for the connections of a server: a connection without a request for some time is closed.
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
	// Each sends some requests. One in a thousand then falls silent.
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
