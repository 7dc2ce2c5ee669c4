package driver_test

import (
	"fmt"

	"github.com/robfig/cron/v3"

	"github.com/timerbench/timerbench/driver"
)

// job is a line of a crontab.
type job struct {
	spec   string
	missed driver.Missed
	run    func()
}

// schedule starts jobs. Stop of the timers ends them.
func schedule(d *driver.Driver, jobs []job) ([]*driver.Timer, error) {
	var timers []*driver.Timer
	for _, j := range jobs {
		// The results of other parsers work, too, if they have a method Next.
		recurrence, err := cron.ParseStandard(j.spec)
		if err != nil {
			return nil, err
		}
		timers = append(timers, d.Every(driver.OnMissed(recurrence, j.missed), j.run))
	}
	return timers, nil
}

// Jobs that run at certain times of day. Package cron parses the expressions, and the driver waits.
func Example_cron() {
	d, err := driver.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = d.Close() }()
	timers, err := schedule(d, []job{
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
