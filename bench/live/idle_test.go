package live

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/internal/doctest"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

var update = flag.Bool("update", false, "write what was counted into "+driverPage)

const driverPage = "../../docs/driver.md"

// idleSpan is the longest delay of the timers whose wake-ups are counted.
const idleSpan = time.Hour

func idleDelays() []time.Duration {
	r, delays := rand.New(rand.NewPCG(1, 1)), make([]time.Duration, 1000)
	for i := range delays {
		delays[i] = 1 + time.Duration(r.Int64N(int64(idleSpan)))
	}
	return delays
}

// wakeupsOf counts the wake-ups of a driver over the beginning of the hour in which a thousand timers
// fire, and the ticks at which one does. The counts are exact: the bubble has no other clock.
func wakeupsOf(t *testing.T, c Subject, tick, over time.Duration) (stats driver.Stats, ticks int) {
	synctest.Test(t, func(t *testing.T) {
		s, err := c.Open()
		fail.If(t, err)
		var fired atomic.Int64
		due := make(map[time.Duration]bool)
		timers := s.Timers(results.FormSchedule, 1000, func(int) func() { return func() { fired.Add(1) } })
		want := int64(0)
		for i, delay := range idleDelays() {
			if timers.Start(i, delay); delay <= over {
				due[(delay+tick-1)/tick] = true
				want++
			}
		}
		time.Sleep(over + c.late(over))
		synctest.Wait()
		fail.UnlessSame(t, "timers of "+c.Name+" that fired", fired.Load(), want)
		stats, ticks = s.Stats(), len(due)
		fail.If(t, s.Close())
	})
	return stats, ticks
}

// A tickless driver wakes up at each tick at which a timer is due, and when the structure
// has something of its own to do: a structure that knows its earliest deadline never has.
func TestWakeupsOfAnHour(t *testing.T) {
	var lines []string // of those that wake up as often
	names := make(map[string][]string)
	ticks := 0
	for _, of := range catalog.For[driver.Task]() {
		c := driverOf(of, defaultTick, driver.Shards(1))
		var stats driver.Stats
		stats, ticks = wakeupsOf(t, c, defaultTick, idleSpan)
		line := fmt.Sprintf("%s | %s |\n", show.Grouped(int(stats.Wakeups)), show.Grouped(int(stats.IdleWakeups)))
		if names[line] == nil {
			lines = append(lines, line)
		}
		names[line] = append(names[line], c.Structure)
		e, _ := catalog.Find(c.Structure)
		if e.Exact() && stats.Wakeups != uint64(ticks)+stats.IdleWakeups {
			t.Errorf("%s: %d wake-ups, %d of them idle, for %d ticks at which timers were due", c.Structure, stats.Wakeups, stats.IdleWakeups, ticks)
		}
		if e.Family != entry.Wheels && e.Exact() && stats.IdleWakeups > 0 {
			t.Errorf("%s: %d idle wake-ups", c.Structure, stats.IdleWakeups)
		}
	}
	for _, over := range []time.Duration{30 * time.Second, time.Minute} { // and so on
		stats, due := wakeupsOf(t, ticking(), tickOfTicking, over)
		if all := uint64(over/tickOfTicking) + 1; stats.Wakeups != all || stats.IdleWakeups != all-uint64(due) {
			t.Errorf("ticking: %d wake-ups in %v, %d of them idle, want %d and %d", stats.Wakeups, over, stats.IdleWakeups, all, all-uint64(due))
		}
	}
	all := int(idleSpan/tickOfTicking) + 1
	page := new(strings.Builder)
	fmt.Fprint(page, "| structure | wake-ups | of these, nothing fired |\n| --- | ---: | ---: |\n")
	for _, line := range lines {
		fmt.Fprintf(page, "| %s | %s", strings.Join(names[line], ", "), line)
	}
	fmt.Fprintf(page, "| any, ticking | %s | %s |\n", show.Grouped(all), show.Grouped(all-ticks))
	doctest.Generated(t, *update, driverPage, "<!-- wake-ups of an hour -->\n\n", "\n<!-- end of wake-ups of an hour -->", page.String())
}

// With shorter ticks a driver wakes up more often, but never more than once for each timer, as package time does.
func TestWakeupsOfASecond(t *testing.T) {
	load := OpenLoop{Rate: 10_000, Length: time.Second, Delay: 100 * time.Millisecond, Seed: 1, Sleep: time.Sleep}
	page := "| tick | wake-ups, to the nearest hundred |\n| --- | ---: |\n"
	for _, tick := range []time.Duration{time.Millisecond, 250 * time.Microsecond, 100 * time.Microsecond, 50 * time.Microsecond} {
		c := driversOf("auto", tick)[0]
		synctest.Test(t, func(t *testing.T) {
			s, err := c.Open()
			fail.If(t, err)
			late, wrong, err := load.run(t.Context(), c, s, results.FormSchedule)
			if err := errors.Join(err, wrong.Err(), s.Close()); err != nil || late.Timers != 10_000 {
				t.Errorf("tick %v: %d timers fired: %v", tick, late.Timers, err)
			}
			// Shards are chosen at random, so the number differs by one in a thousand from time to time.
			page += fmt.Sprintf("| %v | %s |\n", tick, show.Grouped(int(math.Round(float64(late.Use.Wakeups)/100))*100))
		})
	}
	doctest.Generated(t, *update, driverPage, "<!-- wake-ups of a second -->\n\n", "\n<!-- end of wake-ups of a second -->", page)
}
