package cron

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
)

func TestNextRun(t *testing.T) {
	at := func(text string) time.Time {
		t.Helper()
		v, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, test := range []struct {
		name, spec    string
		missed        driver.Missed
		deadline, now string
		fires         bool
		next          string
	}{
		{"on time", "0 * * * *", driver.Coalesce, "2026-01-01T10:00:00Z", "2026-01-01T10:00:01Z", true, "2026-01-01T11:00:00Z"},
		{"one missed, as one", "0 * * * *", driver.Coalesce, "2026-01-01T10:00:00Z", "2026-01-01T11:00:00Z", false, "2026-01-01T11:00:00Z"},
		{"missed, as one", "0 * * * *", driver.Coalesce, "2026-01-01T10:00:00Z", "2026-01-03T10:30:00Z", false, "2026-01-03T10:00:00Z"},
		{"missed, as one, years later", "30 12 29 2 *", driver.Coalesce, "1704-02-29T12:30:00Z", "2026-01-01T00:00:00Z", false, "2024-02-29T12:30:00Z"},
		{"missed, as one, each second", "* * * * * *", driver.Coalesce, "1700-01-01T00:00:00Z", "2199-12-31T23:59:59Z", false, "2199-12-31T23:59:59Z"},
		{"missed, as one, across two changes of the clocks", "CRON_TZ=Europe/Berlin 30 2 * * *", driver.Coalesce, "2026-03-01T01:30:00Z", "2026-10-25T01:00:00Z", false, "2026-10-25T00:30:00Z"},
		{"missed, all", "0 * * * *", driver.CatchUp, "2026-01-01T10:00:00Z", "2026-01-03T10:30:00Z", true, "2026-01-01T11:00:00Z"},
		{"missed, none", "0 * * * *", driver.Skip, "2026-01-01T10:00:00Z", "2026-01-03T10:30:00Z", false, "2026-01-03T11:00:00Z"},
		{"late but not missed, none", "0 * * * *", driver.Skip, "2026-01-01T10:00:00Z", "2026-01-01T10:59:59Z", true, "2026-01-01T11:00:00Z"},
		{"period keeps its phase", "@every 7m", driver.Coalesce, "2026-01-01T10:00:00Z", "2026-01-01T10:20:00Z", false, "2026-01-01T10:14:00Z"},
		{"period, at the very next", "@every 7m", driver.Coalesce, "2026-01-01T10:00:00Z", "2026-01-01T10:21:00Z", false, "2026-01-01T10:21:00Z"},
		{"period, none", "@every 7m", driver.Skip, "2026-01-01T10:00:00Z", "2026-01-01T10:21:00Z", false, "2026-01-01T10:28:00Z"},
		{"period, centuries later", "@every 7m", driver.Skip, "1700-01-01T00:00:00Z", "2026-01-01T00:00:00Z", false, "2026-01-01T00:05:00Z"},
		{"seconds", "*/5 * * * * *", driver.Coalesce, "2026-01-01T10:00:00Z", "2026-01-01T10:00:00Z", true, "2026-01-01T10:00:05Z"},
		{"clocks go forward", "CRON_TZ=Europe/Berlin 0 12 * * *", driver.Coalesce, "2026-03-28T11:00:00Z", "2026-03-28T11:00:00Z", true, "2026-03-29T10:00:00Z"},
		{"clocks go back", "CRON_TZ=Europe/Berlin 0 12 * * *", driver.Coalesce, "2026-10-24T10:00:00Z", "2026-10-24T10:00:00Z", true, "2026-10-25T11:00:00Z"},
		{"skipped, made up for", "CRON_TZ=Europe/Berlin 0 30 2 * * *", driver.Coalesce, "2026-03-28T01:30:00Z", "2026-03-28T01:30:00Z", true, "2026-03-29T01:00:00Z"},
		{"after what was skipped", "CRON_TZ=Europe/Berlin 30 2 * * *", driver.Coalesce, "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z", true, "2026-03-30T00:30:00Z"},
		{"shown twice, once", "CRON_TZ=Europe/Berlin 30 2 * * *", driver.CatchUp, "2026-10-25T00:30:00Z", "2026-10-25T00:30:00Z", true, "2026-10-26T01:30:00Z"},
		{"every hour, shown twice", "CRON_TZ=America/New_York 30 * * * *", driver.CatchUp, "2026-11-01T05:30:00Z", "2026-11-01T05:30:00Z", true, "2026-11-01T06:30:00Z"},
		{"the last day of a leap year", "CRON_TZ=Europe/Berlin 30 7 * * *", driver.Coalesce, "2028-12-30T06:30:00Z", "2028-12-30T06:30:00Z", true, "2028-12-31T06:30:00Z"},
		{"a leap year", "CRON_TZ=America/New_York 0 12 1 1 *", driver.Coalesce, "2028-01-01T17:00:00Z", "2028-01-02T17:00:00Z", true, "2029-01-01T17:00:00Z"},
		{"leap years", "CRON_TZ=Australia/Sydney 0 12 1 1 *", driver.Coalesce, "2026-01-01T01:00:00Z", "2051-01-02T17:00:00Z", false, "2051-01-01T01:00:00Z"},
		{"each second, an hour skipped", "CRON_TZ=Europe/Berlin * * * * * *", driver.Coalesce, "2028-03-26T00:59:59Z", "2028-03-26T00:59:59Z", true, "2028-03-26T01:00:00Z"},
		{"half an hour skipped", "CRON_TZ=Australia/Lord_Howe 15 2 * * *", driver.Coalesce, "2026-10-02T15:45:00Z", "2026-10-02T15:45:00Z", true, "2026-10-03T15:30:00Z"},
		{"a period in a zone", "CRON_TZ=Europe/Berlin @every 7m", driver.Coalesce, "2026-10-25T00:58:00Z", "2026-10-25T00:58:00Z", true, "2026-10-25T01:05:00Z"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fires, next, err := NextRun(test.spec, test.missed, false, at(test.deadline), at(test.now))
			if err != nil || fires != test.fires || !next.Equal(at(test.next)) {
				t.Errorf("NextRun = %v, %v, %v, want %v, %v", fires, next.UTC(), err, test.fires, test.next)
			}
			// The last of missed runs fires, even much later.
			if test.missed == driver.Coalesce && !fires {
				fires, after, err := NextRun(test.spec, test.missed, true, next, at(test.now).AddDate(1, 0, 0))
				if err != nil || !fires || !after.After(at(test.now)) {
					t.Errorf("then NextRun = %v, %v, %v, want true and a time after %v", fires, after.UTC(), err, test.now)
				}
			}
		})
	}
}

// The time zone of a machine is refused, by whatever name, when a timer is set and when its next run is computed.
func TestZoneOfTheMachine(t *testing.T) {
	now := time.Date(2026, 1, 1, 10, 30, 0, 0, time.UTC)
	for _, zone := range []string{"Local", "LOCAL", "local", "localtime", "./localtime", "posixrules", "posix/Europe/Berlin", "right/Europe/Berlin", "/etc/localtime", "", "\"\""} {
		for _, spec := range []string{"CRON_TZ=" + zone + " 0 12 * * *", " TZ=" + zone + "  @hourly", "TZ=" + zone + " @every 1h"} {
			first, err := FirstRun(spec, driver.Coalesce, now)
			_, _, again := NextRun(spec, driver.Coalesce, false, now, now)
			if err == nil || again == nil || !strings.Contains(err.Error(), " time zone") {
				t.Errorf("%q: %v, %v, and then %v, want errors about the time zone", spec, first, err, again)
			}
		}
	}
	for _, zone := range []string{"UTC", "Etc/UTC", "EST5EDT", "Europe/Berlin", "W-SU"} {
		if _, err := FirstRun("TZ="+zone+" 0 12 * * *", driver.Coalesce, now); err != nil {
			t.Error(err)
		}
	}
}

// Without a time zone an expression is in UTC, whatever the zone of the machine.
func TestFirstRun(t *testing.T) {
	now := time.Date(2026, 1, 1, 10, 30, 0, 0, time.FixedZone("far", 5*3600))
	first, err := FirstRun("0 12 * * *", driver.Coalesce, now)
	if want := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC); err != nil || !first.Equal(want) {
		t.Errorf("FirstRun = %v, %v, want %v", first, err, want)
	}
	for _, spec := range []string{"", " ", "x", "61 * * * *", "CRON_TZ=Nowhere/At * * * * *", "0 0 30 2 *",
		"TZ=UTC", "CRON_TZ=UTC", "TZ=", "CRON_TZ=", "TZ=UTC ", " TZ=UTC", "TZ= 0 12 * * *", "CRON_TZ= @hourly",
		"@every", "@every ", "@every 0s", "@every -1h", "@every 1ns", "@every 1500ms", "TZ=UTC @every 0s"} {
		if at, err := FirstRun(spec, driver.Coalesce, now); err == nil {
			t.Errorf("FirstRun(%q) = %v, want an error", spec, at)
		}
	}
	if _, err := FirstRun("@hourly", driver.Missed(9), now); err == nil {
		t.Error("missed runs 9: want an error")
	}
}

// An expression is an error or has a next run. The parser is a third party's, and has panicked.
func FuzzFirstRun(f *testing.F) {
	for _, spec := range []string{"TZ=UTC", "CRON_TZ=Europe/Berlin 30 2 * * *", "@every 10m", "TZ=\t@every", "*/0 * * * *", "1-,2 * * * *"} {
		f.Add(spec)
	}
	now := time.Date(2026, 1, 1, 10, 30, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, spec string) {
		first, err := FirstRun(spec, driver.Coalesce, now)
		if err != nil {
			return
		}
		if !first.After(now) {
			t.Errorf("FirstRun(%q) = %v, which is not after %v", spec, first, now)
		}
		again, err := FirstRun(Canonical(spec), driver.Coalesce, now)
		if err != nil || !again.Equal(first) {
			t.Errorf("FirstRun(%q) = %v, and %v, %v in canonical form", spec, first, again, err)
		}
		if _, _, err := NextRun(spec, driver.CatchUp, false, first, first); err != nil {
			t.Errorf("NextRun(%q): %v", spec, err)
		}
	})
}

// The rules of a zone have changed since a run was stored: the nearest run counts, if it was not over then.
func TestRightRun(t *testing.T) {
	at := func(text string) time.Time {
		t.Helper()
		v, err := time.Parse(time.RFC3339, "2026-01-"+text+":00Z")
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, test := range []struct{ spec, stored, at, want string }{
		{"0 9 * * *", "06T08:00", "07T08:00", "07T08:00"},
		{"0 9 * * *", "06T07:00", "07T07:00", "07T08:00"},
		{"0 9 * * *", "06T09:00", "07T09:00", "07T08:00"},
		{"0 9 * * *", "07T08:30", "07T09:00", "08T08:00"}, // it was over
		{"0 9 * * *", "06T08:00", "07T21:00", "08T08:00"},
		{"0 9 * * 1", "06T08:00", "12T09:00", "12T08:00"},
		{"0 9 * * 1", "06T08:00", "12T07:00", "12T08:00"},
		{"0 * * * *", "06T08:00", "06T09:00", "06T09:00"},
		{"0 * * * *", "06T08:30", "06T09:30", "06T09:00"},
		{"0 */2 * * *", "06T09:00", "06T10:00", "06T11:00"},
		{"@every 7m", "06T09:00", "06T09:04", "06T09:04"},
	} {
		got, err := RightRun("CRON_TZ=Europe/Berlin "+test.spec, at(test.stored), at(test.at))
		if err != nil || !got.Equal(at(test.want)) {
			t.Errorf("%s: the run of %s, stored at %s, is %v, %v, want %s", test.spec, test.at, test.stored, got.UTC(), err, test.want)
		}
	}
	if _, err := RightRun("CRON_TZ=Nowhere/At 0 9 * * *", at("06T09:00"), at("06T10:00")); err == nil {
		t.Error("an unknown zone: want an error")
	}
}

// The zone data of Go has rules instead of a list of changes.
func TestNextRunByGoZoneData(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip")
	if _, err := os.Stat(data); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestNextRun$", "-test.timeout=1m")
	cmd.Env = append(os.Environ(), "ZONEINFO="+data)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
