package crontab_test

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/driver/crontab"
)

// zones returns a time zone by the data of the system, which lists the changes until 2037, and by those of Go, which have
// rules for the years after 2007. ZoneBounds is wrong on the last day of a leap year that follows from rules.
func zones(t testing.TB, name string) []*time.Location {
	t.Helper()
	system, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return []*time.Location{system, goZone(t, name)}
}

func goZone(t testing.TB, name string) *time.Location {
	t.Helper()
	data, err := fs.ReadFile(goZones(t), name)
	if err != nil {
		t.Fatal(err)
	}
	loc, err := time.LoadLocationFromTZData(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// goZones returns the zone files of Go.
func goZones(t testing.TB) fs.FS {
	t.Helper()
	root, err := goRoot()
	if err != nil {
		t.Fatal(err)
	}
	files, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	return files
}

var goRoot = sync.OnceValues(func() ([]byte, error) { return exec.Command("go", "env", "GOROOT").Output() })

// inZone parses a cron expression, in the local time of a place.
func inZone(t testing.TB, loc *time.Location, spec string) driver.Recurrence {
	t.Helper()
	r, err := crontab.Parse(spec, loc)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// daily is a recurrence in UTC: a time of day.
type daily time.Duration

func (d daily) Next(t time.Time) time.Time {
	at := t.UTC().Truncate(24 * time.Hour).Add(time.Duration(d))
	if !at.After(t) {
		at = at.Add(24 * time.Hour)
	}
	return at
}

// A backup at half past two in Berlin happens even on the day that lacks this time.
func ExampleInZone() {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		fmt.Println(err)
		return
	}
	backup := crontab.InZone(berlin, daily(2*time.Hour+30*time.Minute)) // for Every
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

// mustPanic checks that a call panics with a sentence.
func mustPanic(t *testing.T, sentence string, call func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); !strings.Contains(got, sentence) {
			t.Errorf("panicked with %q, want %q", got, sentence)
		}
	}()
	call()
}

// A recurrence has one time zone.
func TestInZoneRefusesASecondZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	parse := func(spec string) driver.Recurrence {
		r, err := cron.ParseStandard(spec)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	crontab.InZone(berlin, parse("0 9 * * *"))
	crontab.InZone(berlin, parse("CRON_TZ=UTC 0 9 * * *"))
	for sentence, r := range map[string]driver.Recurrence{
		"*cron.SpecSchedule has a time zone of its own, Europe/Berlin": parse("CRON_TZ=Europe/Berlin 0 9 * * *"),
		"Asia/Tokyo":                   driver.OnMissed(parse("TZ=Asia/Tokyo 0 9 * * *"), driver.Skip),
		"in the time zone UTC already": driver.Spread(inZone(t, time.UTC, "0 9 * * *"), time.Second),
	} {
		mustPanic(t, sentence, func() { crontab.InZone(berlin, r) })
	}
	mustPanic(t, "the location or the recurrence is nil", func() { crontab.InZone(nil, daily(0)) })
	// OnMissed and Spread may be within, too. Of two calls of one, the later one counts.
	for _, wrap := range []func(driver.Recurrence) driver.Recurrence{
		func(r driver.Recurrence) driver.Recurrence { return driver.OnMissed(r, driver.Skip) },
		func(r driver.Recurrence) driver.Recurrence { return driver.Spread(r, time.Second) },
		func(r driver.Recurrence) driver.Recurrence {
			return driver.OnMissed(driver.Spread(driver.OnMissed(r, driver.Skip), 1), driver.CatchUp)
		},
	} {
		if wrap(wrap(daily(0))) != wrap(daily(0)) {
			t.Errorf("%#v, want %#v", wrap(wrap(daily(0))), wrap(daily(0)))
		}
		if within, around := crontab.InZone(berlin, wrap(daily(0))), wrap(crontab.InZone(berlin, daily(0))); within != around {
			t.Errorf("%T within InZone is %#v, want %#v", wrap(daily(0)), within, around)
		}
	}
}

// A daily run happens once on each day of four years, in all zones: at its time on most days, and
// within the hour after it on the others.
func TestOnceADayWhateverTheClocksDo(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC", "America/St_Johns"} {
		for _, spec := range []string{"0 30 2 * * *", "0 0 2 * * *", "0 30 1 * * *", "0 0 3 * * *", "59 59 1 * * *", "0 45 1 * * *", "0 15 2 * * *", "0 0 0 * * *", "0 1 0 * * *"} {
			for _, loc := range zones(t, zone) {
				onceADay(t, loc, spec, 2026, 4*365)
			}
		}
	}
}

func onceADay(t *testing.T, loc *time.Location, spec string, year, days int) {
	t.Helper()
	r := inZone(t, loc, spec)
	at, off := time.Date(year, 1, 1, 0, 0, 0, 0, loc).Add(-1), 0
	for day := range days {
		want := time.Date(year, 1, 1+day, 12, 0, 0, 0, loc)
		if at = r.Next(at).In(loc); at.YearDay() != want.YearDay() {
			t.Fatalf("%s, %s: a run at %v, want one on %v", loc, spec, at, want)
		}
		var second, minute, hour int
		_, _ = fmt.Sscanf(spec, "%d %d %d", &second, &minute, &hour)
		late := at.Hour()*3600 + at.Minute()*60 + at.Second() - hour*3600 - minute*60 - second
		if late != 0 {
			off++
		}
		if late < 0 || late > 3600 {
			t.Errorf("%s, %s: a run at %v", loc, spec, at)
		}
	}
	if off > (days+364)/365 {
		t.Errorf("%s, %s: %d runs are not at their time, want at most one a year", loc, spec, off)
	}
}

// In every zone of the world, over the end of a leap year.
func TestOnceADayInAllZones(t *testing.T) {
	files, seen := goZones(t), make(map[string]bool) // many zones have several names
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || name == "Africa/Casablanca" || name == "Africa/El_Aaiun" { // they change twice in Ramadan
			return err
		}
		data, err := fs.ReadFile(files, name)
		if !seen[string(data)] {
			seen[string(data)] = true
			onceADay(t, goZone(t, name), "0 30 2 * * *", 2028, 400)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A run that happens at least every hour follows elapsed time.
func TestEveryHourWhateverTheClocksDo(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "America/New_York"} {
		for spec, period := range map[string]time.Duration{
			"0 30 * * * *": time.Hour, "0 0 * * * *": time.Hour, "0 */20 * * * *": 20 * time.Minute,
		} {
			for _, loc := range zones(t, zone) {
				r := inZone(t, loc, spec)
				at := r.Next(time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC))
				for at.Year() == 2028 {
					next := r.Next(at)
					if next.Sub(at) != period {
						t.Fatalf("%s, %s: %v after %v, want %v later", zone, spec, next, at, period)
					}
					at = next
				}
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
		{"Europe/Berlin", "0 0/20 2 * * *", "2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z"},
		{"Europe/Berlin", "0 */20 2 * * *", "2026-03-29T00:00:00Z", "2026-03-30T00:00:00Z"},
		{"America/New_York", "0 30 2 * * *", "2026-03-08T00:00:00Z", "2026-03-08T07:00:00Z"},
		{"America/New_York", "0 30 1 * * *", "2026-11-01T00:00:00Z", "2026-11-01T05:30:00Z"},
		{"America/New_York", "0 30 1 * * *", "2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"},
		{"Australia/Lord_Howe", "0 15 2 * * *", "2026-10-03T00:00:00Z", "2026-10-03T15:30:00Z"},
		{"Australia/Lord_Howe", "0 45 1 * * *", "2026-04-04T00:00:00Z", "2026-04-04T14:45:00Z"},
		{"Australia/Lord_Howe", "0 45 1 * * *", "2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"},
		{"Europe/Berlin", "0 0 12 * * *", "2028-12-30T12:00:00Z", "2028-12-31T11:00:00Z"},
		{"Europe/Berlin", "0 0 12 * * *", "2028-12-31T11:00:00Z", "2029-01-01T11:00:00Z"},
		{"Europe/Berlin", "0 0 0 1 1 *", "2028-01-02T00:00:00Z", "2028-12-31T23:00:00Z"},
		{"America/New_York", "0 0 20 31 12 *", "2028-12-31T23:00:00Z", "2029-01-01T01:00:00Z"},
		{"Australia/Sydney", "0 0 8 29 2 *", "2024-03-01T00:00:00Z", "2028-02-28T21:00:00Z"},
		{"Australia/Sydney", "0 0 9 1 * *", "2028-12-31T00:00:00Z", "2028-12-31T22:00:00Z"},
	} {
		after, err := time.Parse(time.RFC3339, c.after)
		if err != nil {
			t.Fatal(err)
		}
		for i, loc := range zones(t, c.zone) {
			if got := inZone(t, loc, c.spec).Next(after).UTC().Format(time.RFC3339); got != c.want {
				t.Errorf("%s, data %d, %s: %s after %s, want %s", c.zone, i, c.spec, got, c.after, c.want)
			}
		}
	}
	never := nextFunc(func(time.Time) time.Time { return time.Time{} })
	if at := crontab.InZone(goZone(t, "Europe/Berlin"), never).Next(time.Now()); !at.IsZero() {
		t.Errorf("a time that never comes is %v", at)
	}
}

// nextFunc is a recurrence.
type nextFunc func(time.Time) time.Time

func (f nextFunc) Next(t time.Time) time.Time { return f(t) }

// A search ends, even if a recurrence has a billion times in the hour that comes twice, or the next time is far away.
func TestASearchForARunIsBounded(t *testing.T) {
	berlin := goZone(t, "Europe/Berlin")
	calls := 0
	dense := crontab.InZone(berlin, nextFunc(func(at time.Time) time.Time {
		calls++
		if at = at.Add(time.Microsecond); at.Hour() == 2 {
			return at
		}
		return daily(2 * time.Hour).Next(at)
	}))
	if at := dense.Next(time.Date(2028, 10, 29, 1, 0, 0, 0, time.UTC)); !at.IsZero() || calls > 500_000 {
		t.Errorf("%v after %d calls", at, calls)
	}
	calls = 0
	far := crontab.InZone(berlin, nextFunc(func(at time.Time) time.Time {
		calls++
		return time.Date(20_000_000, 7, 1, 12, 0, 0, 0, time.UTC)
	}))
	if at := far.Next(time.Now()).UTC(); at.Year() != 20_000_000 || at.Hour() != 10 || calls > 10 {
		t.Errorf("%v after %d calls", at, calls)
	}
	stuck := nextFunc(func(at time.Time) time.Time { return at })
	mustPanic(t, "want a later time", func() { crontab.InZone(berlin, stuck).Next(time.Now()) })
}
