package driver_test

import (
	"fmt"
	"time"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/structures/wheel"
)

// A driver with another structure: its constructor, and options of the constructor.
func ExampleStructure() {
	for _, structure := range []driver.Option{
		driver.Structure(hwheel.New[driver.Task]),
		driver.Structure(wheel.New[driver.Task], wheel.Slots(4096)),
	} {
		d, err := driver.New(structure)
		if err != nil {
			fmt.Println(err)
			return
		}
		fired := make(chan string)
		d.AfterFunc(time.Millisecond, func() { fired <- "fired" })
		fmt.Println(<-fired)
		_ = d.Close()
	}
	// Output:
	// fired
	// fired
}

// A lease of an hour ends after an hour, even if the laptop was suspended meanwhile.
func ExampleBoottime() {
	d, err := driver.New(driver.Boottime())
	if err != nil {
		fmt.Println(err) // this system has no such clock
		return
	}
	defer d.Close()
	lease := d.AfterFunc(time.Hour, func() { fmt.Println("ask for another lease") })
	fmt.Println(lease.Stop())
	// Output: true
}
