package driver_test

import (
	"fmt"
	"time"

	"github.com/timerbench/timerbench/driver"
)

func Example() {
	d, _ := driver.New() // without options there is no error
	defer d.Close()

	done := make(chan struct{})
	timeout := d.AfterFunc(time.Minute, func() { fmt.Println("no answer for a minute") })
	d.Schedule(5*time.Millisecond, func() {
		timeout.Reset(time.Minute) // data has arrived: wait for another minute
		fmt.Println("half of the answer")
	})
	d.Schedule(10*time.Millisecond, func() {
		if timeout.Stop() {
			fmt.Println("the answer is there in time")
		}
		close(done)
	})
	<-done
	fmt.Println(d.Len(), "pending")
	// Output:
	// half of the answer
	// the answer is there in time
	// 0 pending
}
