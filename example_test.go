package timerbench_test

import (
	"fmt"
	"log"
	"time"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
	"github.com/timerbench/timerbench/structures/minheap"
	"github.com/timerbench/timerbench/trace"
)

func Example() {
	timers := auto.New[string]()
	timers.Schedule(30_000, "session of alice ends")
	bob := timers.Schedule(30_000, "session of bob ends")
	retry := timers.Schedule(200, "try again")

	timers.Reschedule(bob, 90_000) // bob is back
	timers.Cancel(retry)           // the first try was answered

	for t := range structures.Due(timers, 60_000) { // the clock is now at tick 60,000
		fmt.Println(t.Deadline, t.Value)
	}
	// Output:
	// 30000 session of alice ends
}

func Example_bringYourOwn() {
	timers, stop, err := trace.FromEnv(minheap.New[string](), trace.Header{Name: "my-server", Tick: time.Millisecond})
	if err != nil {
		log.Fatal(err)
	}
	defer func() {
		if err := stop(); err != nil {
			log.Print(err)
		}
	}()

	timers.Schedule(30_000, "session of alice ends")
	fmt.Println(timers.Len())
	// Output: 1
}

func Example_driver() {
	d, err := driver.New()
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()

	idle := d.AfterFunc(time.Minute, func() { fmt.Println("the connection is idle") })
	idle.Reset(2 * time.Minute) // a message came
	idle.Stop()                 // it is closed

	fmt.Println(d.Len(), "timers are pending")
	// Output: 0 timers are pending
}
