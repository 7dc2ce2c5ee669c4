package driver_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/timerbench/timerbench/driver"
)

// inZone parses a cron expression with seconds, in the local time of a place.
func inZone(t testing.TB, zone, spec string) driver.Recurrence {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Skip(err)
	}
	r, err := cron.NewParser(cron.Second | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return driver.InZone(loc, r)
}

// A backup at half past two in Berlin happens even on the day that lacks this time.
func ExampleInZone() {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		fmt.Println(err)
		return
	}
	daily, err := cron.ParseStandard("30 2 * * *")
	if err != nil {
		fmt.Println(err)
		return
	}
	backup := driver.InZone(berlin, daily) // for Every
	at := time.Date(2026, 3, 28, 0, 0, 0, 0, berlin)
	for range 3 {
		at = backup.Next(at)
		fmt.Println(at)
	}
	// Output:
	// 2026-03-28 02:30:00 +0100 CET
	// 2026-03-29 03:00:00 +0200 CEST
	// 2026-03-30 02:30:00 +0200 CEST
}

// A daily run happens once on each day of two years, in all zones: at its time on most days, and
// within the hour after it on the others.
func TestOnceADayWhateverTheClocksDo(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC", "America/St_Johns"} {
		for _, spec := range []string{"0 30 2 * * *", "0 0 2 * * *", "0 30 1 * * *", "0 0 3 * * *", "59 59 1 * * *", "0 45 1 * * *", "0 15 2 * * *", "0 0 0 * * *", "0 1 0 * * *"} {
			r := inZone(t, zone, spec)
			loc, _ := time.LoadLocation(zone)
			at, off := time.Date(2026, 1, 1, 0, 0, 0, 0, loc).Add(-1), 0
			for day := range 2 * 365 {
				want := time.Date(2026, 1, 1+day, 0, 0, 0, 0, loc)
				if at = r.Next(at).In(loc); at.YearDay() != want.YearDay() {
					t.Fatalf("%s, %s: a run at %v, want one on %v", zone, spec, at, want)
				}
				var second, minute, hour int
				_, _ = fmt.Sscanf(spec, "%d %d %d", &second, &minute, &hour)
				late := at.Hour()*3600 + at.Minute()*60 + at.Second() - hour*3600 - minute*60 - second
				if late != 0 {
					off++
				}
				if late < 0 || late > 3600 {
					t.Errorf("%s, %s: a run at %v", zone, spec, at)
				}
			}
			if off > 2 {
				t.Errorf("%s, %s: %d runs are not at their time, want at most one a year", zone, spec, off)
			}
		}
	}
}

// A run that happens at least every hour follows elapsed time.
func TestEveryHourWhateverTheClocksDo(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "America/New_York"} {
		for spec, period := range map[string]time.Duration{
			"0 30 * * * *": time.Hour, "0 0 * * * *": time.Hour, "0 */20 * * * *": 20 * time.Minute,
		} {
			r := inZone(t, zone, spec)
			at := r.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
			for at.Year() == 2026 {
				next := r.Next(at)
				if next.Sub(at) != period {
					t.Fatalf("%s, %s: %v after %v, want %v later", zone, spec, next, at, period)
				}
				at = next
			}
		}
	}
}

// The exact times. Each line was checked against the rules of the zone by hand.
func TestNextInZone(t *testing.T) {
	for _, c := range []struct{ zone, spec, after, want string }{
		{"Europe/Berlin", "0 30 2 * * *", "2026-03-28T02:00:00Z", "2026-03-29T01:00:00Z"},
		{"Europe/Berlin", "0 30 2 * * *", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"},
		{"Europe/Berlin", "0 30 2 * * *", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"},
		{"Europe/Berlin", "0 30 2 * * *", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"},
		{"Europe/Berlin", "0 */20 2 * * *", "2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z"},
		{"Europe/Berlin", "0 */20 2 * * *", "2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z"},
		{"America/New_York", "0 30 2 * * *", "2026-03-08T00:00:00Z", "2026-03-08T07:00:00Z"},
		{"America/New_York", "0 30 1 * * *", "2026-11-01T00:00:00Z", "2026-11-01T05:30:00Z"},
		{"America/New_York", "0 30 1 * * *", "2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"},
		{"Australia/Lord_Howe", "0 15 2 * * *", "2026-10-03T00:00:00Z", "2026-10-03T15:30:00Z"},
		{"Australia/Lord_Howe", "0 45 1 * * *", "2026-04-04T00:00:00Z", "2026-04-04T14:45:00Z"},
		{"Australia/Lord_Howe", "0 45 1 * * *", "2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"},
	} {
		after, err := time.Parse(time.RFC3339, c.after)
		if err != nil {
			t.Fatal(err)
		}
		if got := inZone(t, c.zone, c.spec).Next(after).Format(time.RFC3339); got != c.want {
			t.Errorf("%s, %s: %s after %s, want %s", c.zone, c.spec, got, c.after, c.want)
		}
	}
	if at := inZone(t, "Europe/Berlin", "0 0 0 30 2 *").Next(time.Now()); !at.IsZero() {
		t.Errorf("30 February is %v", at)
	}
}
