// Command driven uses timers of a driver, and one of Go's runtime.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/structures/auto"
	"github.com/timerbench/timerbench/trace"
)

func main() {
	s, stop, err := trace.FromEnv(auto.New[int](), trace.Header{Name: "own", Tick: time.Second})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	d, err := driver.New()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	requests(d)
	connections(d)
	ticker(d)
	<-d.After(10 * time.Millisecond)
	sleep()
	s.Schedule(1, 0)
	if err := stop(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func requests(d *driver.Driver) {
	for range 1000 {
		d.Schedule(time.Hour, func() {}).Stop()
	}
}

func connections(d *driver.Driver) {
	timers := make([]driver.Timer, 100)
	for i := range timers {
		d.Init(&timers[i], func() {})
		timers[i].Reset(time.Hour)
		timers[i].Reset(3 * time.Hour)
	}
}

func ticker(d *driver.Driver) {
	t := d.NewTicker(200 * time.Millisecond)
	<-t.C
	<-t.C
	t.Stop()
}

func sleep() { time.Sleep(10 * time.Millisecond) }
