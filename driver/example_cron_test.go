package driver_test

import (
	"fmt"
	"time"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/driver/crontab"
)

// job is a line of a crontab.
type job struct {
	spec   string
	missed driver.Missed
	run    func()
}

// schedule starts jobs by the local time of a place. Stop of the timers ends them.
func schedule(d *driver.Driver, place *time.Location, jobs []job) ([]*driver.Timer, error) {
	var timers []*driver.Timer
	for _, j := range jobs {
		recurrence, err := crontab.Parse(j.spec, place)
		if err != nil {
			return nil, err
		}
		timers = append(timers, d.Every(driver.OnMissed(recurrence, j.missed), j.run))
	}
	return timers, nil
}

// Jobs that run at certain times of day. Package crontab parses the expressions, and the driver waits. The backup runs once
// a day, whatever daylight saving time does with half past two.
func Example_cron() {
	d, _ := driver.New() // without options there is no error
	defer d.Close()
	timers, err := schedule(d, time.Local, []job{
		{"0 9 * * MON", driver.Coalesce, func() { fmt.Println("the weekly report") }},
		{"30 2 * * *", driver.CatchUp, func() { fmt.Println("a backup") }},
		{"*/5 * * * *", driver.Skip, func() { fmt.Println("are you there?") }},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Len(), "jobs")
	for _, t := range timers {
		t.Stop()
	}
	fmt.Println(d.Len(), "jobs")
	// Output:
	// 3 jobs
	// 0 jobs
}
