package live

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures/catalog"
)

var update = flag.Bool("update", false, "write what was counted into "+driverPage)

const driverPage = "../../docs/driver.md"

// hour counts the wake-ups of a driver in the hour in which the timers of the idle load
// fire. The count is exact: the bubble has no other clock.
func hour(t *testing.T, c Contender) (stats driver.Stats) {
	synctest.Test(t, func(t *testing.T) {
		s, err := c.Open()
		if err != nil {
			t.Fatal(err)
		}
		var fired atomic.Int64
		Idle{Timers: 1000, Seed: 1}.start(s, results.FormSchedule, func(int) func() { return func() { fired.Add(1) } })
		time.Sleep(idleSpan + c.late(idleSpan))
		synctest.Wait()
		if n := fired.Load(); n != 1000 {
			t.Errorf("%s: %d timers fired", c.Name, n)
		}
		stats = s.(driverSystem).Stats()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return stats
}

// A tickless driver wakes up at each tick at which a timer is due, and when the structure
// has something of its own to do: a structure that knows its earliest deadline never has.
func TestWakeupsOfAnHour(t *testing.T) {
	ticks := make(map[time.Duration]bool)
	for _, delay := range (Idle{Timers: 1000, Seed: 1}).delays() {
		ticks[(delay+defaultTick-1)/defaultTick] = true
	}
	var lines []string // of those that wake up as often
	names := make(map[string][]string)
	for _, c := range Drivers(catalog.For[driver.Task](), []results.Driver{results.Tickless}, []int{1}) {
		stats := hour(t, c)
		line := fmt.Sprintf("%s | %s |\n", show.Grouped(int(stats.Wakeups)), show.Grouped(int(stats.IdleWakeups)))
		if names[line] == nil {
			lines = append(lines, line)
		}
		names[line] = append(names[line], c.Structure)
		entry, _ := catalog.Find(c.Structure)
		if entry.Exact() && stats.Wakeups != uint64(len(ticks))+stats.IdleWakeups {
			t.Errorf("%s: %d wake-ups, %d of them idle, for %d ticks at which timers were due", c.Structure, stats.Wakeups, stats.IdleWakeups, len(ticks))
		}
		if entry.Family != catalog.Wheels && stats.IdleWakeups > 0 {
			t.Errorf("%s: %d idle wake-ups", c.Structure, stats.IdleWakeups)
		}
	}
	if testing.Short() {
		return // the rest takes long under the race detector
	}
	ticking := hour(t, Drivers(catalog.For[driver.Task](), []results.Driver{results.Ticking}, []int{1})[0])
	if want := uint64((idleSpan + defaultTick) / defaultTick); ticking.Wakeups != want {
		t.Errorf("ticking: %d wake-ups, want %d", ticking.Wakeups, want)
	}
	page := new(strings.Builder)
	fmt.Fprint(page, "| structure | wake-ups | of these, nothing fired |\n| --- | ---: | ---: |\n")
	for _, line := range lines {
		fmt.Fprintf(page, "| %s | %s", strings.Join(names[line], ", "), line)
	}
	fmt.Fprintf(page, "| any, ticking | %s | %s |\n", show.Grouped(int(ticking.Wakeups)), show.Grouped(int(ticking.IdleWakeups)))
	compareWithPage(t, "wake-ups of an hour", page.String())
}

// compareWithPage expects a text in a page, between two comments that name it.
func compareWithPage(t *testing.T, name, want string) {
	t.Helper()
	data, err := os.ReadFile(driverPage)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n\n", "\n<!-- end of "+name+" -->"
	before, rest, ok1 := strings.Cut(string(data), begin)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no %q", driverPage, begin)
	}
	switch {
	case got == want:
	case *update:
		if err := os.WriteFile(driverPage, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s says\n%s\nand it is (go test ./bench/live -run Wakeups -update writes it)\n%s", driverPage, got, want)
	}
}
