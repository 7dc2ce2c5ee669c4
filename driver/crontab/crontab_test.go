package crontab_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the tests use time zones

	"github.com/timerbench/timerbench/driver/crontab"
)

// The first Mondays and the days after them, by crontab(5).
func ExampleParse() {
	r, err := crontab.Parse("0 9 1-7 * */7", time.UTC) // the first Sunday of each month
	if err != nil {
		fmt.Println(err)
		return
	}
	at := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 2 {
		at = r.Next(at)
		fmt.Println(at.Format("Mon 2 January 15:04"))
	}
	// Output:
	// Sun 5 January 09:00
	// Sun 2 February 09:00
}

// The dates were worked out by hand from crontab(5) and a calendar, from Tuesday, 31 December 2024, 12:00 UTC. 1 January 2025 is a
// Wednesday, and the first Sundays of the year are 5 January, 2 February and 2 March.
func TestNextRuns(t *testing.T) {
	for _, c := range []struct{ spec, want string }{
		{"0 0 */2 * 1", "01-13 01-27 02-03 02-17"}, // Mondays with an odd date
		{"0 0 1-7 * */7", "01-05 02-02 03-02"},
		{"0 0 */100,1-7 * MON", "01-06 02-03 03-03"},
		{"0 0 */31 * 0", "06-01 2026-02-01 2026-03-01"}, // months that begin with a Sunday
		{"0 0 * * 7", "01-05 01-12"},
		{"0 0 * * SUN", "01-05 01-12"},
		{"0 0 * * 7/2", "01-05 01-12"},
		{"0 0 * * 1-7", "01-01 01-02 01-03"},
		{"0 0 * * 0-7", "01-01 01-02 01-03"},
		{"0 0 * * MON-SUN", "01-01 01-02 01-03"},
		{"0 0 * * SUN-SUN", "01-05 01-12"},
		{"0 0 * * fri-sun", "01-03 01-04 01-05 01-10"},
		{"0 0 * * 5-7", "01-03 01-04 01-05 01-10"},
		{"0 0 * * 3-7/2", "01-01 01-03 01-05 01-08"},
		{"0 0 * * 2-7/2", "01-02 01-04 01-07 01-09"},
		{"0 0 * * 1/2", "01-01 01-03 01-06 01-08"},
		{"0 0 * * */2", "01-02 01-04 01-05 01-07"}, // 0, 2, 4 and 6
		{"0 0 * * 7,1", "01-05 01-06 01-12"},
		{"0 0 * * SUN-TUE", "01-05 01-06 01-07 01-12"},
		{"0 0 13 * 5", "01-03 01-10 01-13 01-17"}, // either
		{"0 0 13 * *", "01-13 02-13"},
		{"0 0 * * 5", "01-03 01-10"},
		{"0 0 *,13 * 5", "01-03 01-10"},       // begins with a star: both
		{"0 0 13,* * 5", "01-01 01-02 01-03"}, // does not: either
		{"0 0 13 * 5,*", "01-01 01-02 01-03"},
		{"0 0 1,15 * 3", "01-01 01-08 01-15 01-22"},
		{"30 4 1,15 * 5", "01-01T04:30 01-03T04:30 01-10T04:30 01-15T04:30"}, // the example of crontab(5)
		{"0 0 1-7 * MON-FRI", "01-01 01-02 01-03 01-04 01-05 01-06 01-07 01-08 01-09 01-10 01-13"},
		{"0 0 31 * *", "01-31 03-31 05-31 07-31 08-31"},
		{"0 0 31 */2 *", "01-31 03-31 05-31 07-31 2026-01-31"},
		{"0 0 29 2 *", "2028-02-29 2032-02-29"},
		{"0 0 29 2 */7", "2032-02-29 2060-02-29"},
		{"0 0 10-20/5 * *", "01-10 01-15 01-20 02-10"},
		{"0 0 20/5 * *", "01-20 01-25 01-30 02-20"},
		{"0 0 ? * MON", "01-06 01-13"},
		{"0 0 1 * ?", "01-01 02-01"},
		{"5 0 * * *", "01-01T00:05 01-02T00:05"},
		{"15 14 1 * *", "01-01T14:15 02-01T14:15"},
		{"0 22 * * 1-5", "2024-12-31T22:00 01-01T22:00 01-02T22:00 01-03T22:00 01-06T22:00"},
		{"23 0-23/2 * * *", "2024-12-31T12:23 2024-12-31T14:23"},
		{"*/15 9-10 * * *", "01-01T09:00 01-01T09:15 01-01T09:30"},
		{"59 23 31 12 *", "2024-12-31T23:59 2025-12-31T23:59"},
		{"0 12 * JAN-MAR MON", "01-06T12:00 01-13T12:00"},
		{"*/20 * * * * *", "2024-12-31T12:00:20 2024-12-31T12:00:40 2024-12-31T12:01"},
		{"@weekly", "01-05 01-12"},
		{"@monthly", "01-01 02-01"},
		{"@yearly", "01-01 2026-01-01"},
		{"@every 90m", "2024-12-31T13:30 2024-12-31T15:00"},
		{"CRON_TZ=Europe/Berlin 0 9 * * *", "01-01T08:00 01-02T08:00"},
		{"TZ=Asia/Tokyo 0 0 * * MON", "01-05T15:00 01-12T15:00"},
	} {
		r, err := crontab.Parse(c.spec, time.UTC)
		if err != nil {
			t.Error(err)
			continue
		}
		at := time.Date(2024, 12, 31, 12, 0, 0, 0, time.UTC)
		for _, text := range strings.Fields(c.want) {
			if len(text) < len("2006-") || text[4] != '-' {
				text = "2025-" + text
			}
			want := at
			for _, layout := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02T15:04:05"} {
				if parsed, err := time.Parse(layout, text); err == nil {
					want = parsed
				}
			}
			if at = r.Next(at); !at.Equal(want) {
				t.Errorf("%q: a run at %v, want %v", c.spec, at, want)
				break
			}
		}
	}
}

func TestWhatIsNoExpression(t *testing.T) {
	for _, spec := range []string{"", " ", "* * * *", "* * * * * * *", "60 * * * *", "* 24 * * *", "0 0 0 * *", "0 0 32 * *", "0 0 * 13 *", "0 0 * * 8",
		"0 0 * * 1-8", "0 0 * * 7-1", "0 0 * * FRI-MON", "0 0 * * SUN-", "0 0 * * 1-7/0", "0 0 , * *", "0 0 1,,2 * *", "0 0 1, * *", "*-5 * * * *", "*/0 * * * *",
		"+5 * * * *", "0 0 L * *", "x", "@reboot", "@every", "@every 0s", "@every -1h", "@every 1500ms", "@every 1ns", "TZ=UTC", "TZ=", "TZ= * * * * *",
		"CRON_TZ=Nowhere/At * * * * *", "TZ=UTC TZ=UTC * * * * *"} {
		if r, err := crontab.Parse(spec, time.UTC); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", spec)) {
			t.Errorf("Parse(%q) = %v, %v, want an error that names it", spec, r, err)
		}
	}
}

// An error has the whole expression, the field, the value and what is wanted, without control characters.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ spec, want string }{
		{"0 0 * * monday", `day of week "monday": want 0 to 7, or sun to sat`},
		{"0 0 * * 1-8", `day of week "1-8": want 0 to 7, or sun to sat`},
		{"0 0 * foo *", `month "foo": want 1 to 12, or jan to dec`},
		{"0 0 0,5 * *", `day of month "0": want 1 to 31`},
		{"0 24 * * *", `hour "24": want 0 to 23`},
		{"99999999999999999999 * * * *", `minute "99999999999999999999": want 0 to 59`},
		{"60 * * * * *", `second "60": want 0 to 59`},
		{"*-5 * * * *", `minute "*-5": want 0 to 59`},
		{"1,,2 * * * *", `minute "": want 0 to 59`},
		{"*/0 * * * *", `minute "*/0": want a step`},
		{"0 0 * * 6-1", `day of week "6-1": the range ends before it begins: write 6,0-1`},
		{"0 0 * * sat-mon", "write 6,0-1"}, {"0 0 * * fri-mon", "write 5-6,0-1"}, {"0 0 * * 7-1", "write 0-1"}, {"0 0 * * 7-0/2", "write 0"},
		{"0 22-2 * * *", "write 22-23,0-2"}, {"0 23-4/2 * * *", "write 23,1,3"}, {"0 0 * nov-feb *", "write 11-12,1-2"},
		{"0 0 31 2 *", `day of month "31" does not exist in month "2"`}, {"0 0 30,31 feb */7", "does not exist"}, {"0 0 31 4,6,9,11 ?", "does not exist"},
		{"0 0 */31,30-31 2 1", ""}, {"0 0 31 2 1", ""}, {"0 0 29 2 *", ""}, {"0 0 31 2,3 *", ""},
		{"* * * *", "4 fields: want five or six"}, {"@reboot", `descriptor "@reboot": want @yearly`}, {"@daily now", `"@daily now"`},
		{"@\x1b[2Jx", `"@\x1b[2Jx": want`}, {"@every \x1b[2J", `period "\x1b[2J"`}, {"TZ=\x1b[2J * * * * *", `unknown time zone "\x1b[2J"`},
		{"\x1b[2J * * * *", `minute "\x1b[2J"`}, {"1-\u202e/1 * * * *", `minute "1-\u202e"`}, {"1/\x1b * * * *", `minute "1/\x1b"`},
		{strings.Repeat("1,", 10_000_000) + "1 * * * *", "has 20000009 bytes: want at most 1000"}, {strings.Repeat(" ", 1001), "1001 bytes"},
		{"1" + strings.Repeat(",1", 495) + " * * * *", ""}, {"1-07 * * * *", ""}, {"07 * * * *", ""}, {"*/007 1-23/02 * * 00-07", ""},
	} {
		r, err := crontab.Parse(c.spec, time.UTC)
		if c.want == "" {
			if err != nil || r.Next(time.Now()).IsZero() {
				t.Errorf("%q: %v, or no run", c.spec, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 300 || strings.ContainsAny(err.Error(), "\x1b\u202e") {
			t.Errorf("Parse(%.60q) = %.400v, want an error with %s", c.spec, err, c.want)
		}
	}
	if _, err := crontab.Parse("0 0 * * *", nil); err == nil || !strings.Contains(err.Error(), "location is nil") {
		t.Errorf("without a location: %v", err)
	}
	if _, err := crontab.Parse("TZ=UTC 0 0 * * *", nil); err != nil {
		t.Error(err)
	}
}

// An expression is an error, or it has later and later times.
func FuzzParse(f *testing.F) {
	for _, spec := range []string{"TZ=UTC", "CRON_TZ=Europe/Berlin 30 2 * * *", "@every 10m", "TZ=\t@every", "*/0 * * * *", "1-,2 * * * *", "0 0 */2 * 5-7/2"} {
		f.Add(spec)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		r, err := crontab.Parse(spec, time.UTC)
		if err != nil {
			return
		}
		at := time.Date(2028, 12, 30, 10, 30, 0, 0, time.UTC)
		for range 3 {
			next := r.Next(at)
			if next.IsZero() || !next.After(at) {
				t.Fatalf("%q: %v comes after %v", spec, next, at)
			}
			at = next
		}
	})
}
