package crontab_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
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

// testdata/runs.txt has the runs and their sources.
func TestNextRuns(t *testing.T) {
	text, err := os.ReadFile("testdata/runs.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(strings.TrimSpace(line), " | ")
		if len(columns) != 4 {
			t.Fatalf("%q has %d columns, want 4", line, len(columns))
		}
		r, err := crontab.Parse(columns[1], time.UTC)
		if err != nil {
			t.Error(err)
			continue
		}
		known++
		at := timeOf(t, columns[0])
		for _, text := range strings.Fields(columns[2]) {
			want := timeOf(t, text)
			if at = r.Next(at); !at.Equal(want) {
				t.Errorf("%q: a run at %v, want %v", columns[1], at.UTC(), want)
				break
			}
		}
	}
	if known < 120 {
		t.Errorf("%d expressions, want 120", known)
	}
}

func timeOf(t *testing.T, text string) time.Time {
	t.Helper()
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	t.Fatalf("no time: %q", text)
	return time.Time{}
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
		{"", "0 fields"}, {" ", "0 fields"}, {"TZ=UTC", "0 fields"}, {"x", "1 fields"}, {"* * * * * * *", "7 fields"},
		{"0 0 32 * *", `day of month "32"`}, {"0 0 L * *", `day of month "L"`}, {"0 0 , * *", `day of month ""`}, {"0 0 1, * *", `day of month ""`},
		{"0 0 * 13 *", `month "13"`}, {"0 0 * * 8", `day of week "8"`}, {"0 0 * * SUN-", `day of week "SUN-"`}, {"0 0 * * 1-7/0", `"1-7/0": want a step`},
		{"+5 * * * *", `minute "+5"`}, {"TZ=UTC TZ=UTC * * * * *", `second "TZ=UTC"`}, {"TZ=", "TZ= names no time zone"}, {"TZ= * * * * *", "names no time zone"},
		{"CRON_TZ=Nowhere/At * * * * *", `unknown time zone "Nowhere/At"`}, {"@every", `descriptor "@every"`}, {"@every 0s", `period "0s": want whole seconds`},
		{"@every -1h", `period "-1h"`}, {"@every 1500ms", `period "1500ms"`}, {"@every 1ns", `period "1ns"`},
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
		whole := fmt.Sprintf("%q", c.spec)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(whole) < 100 && !strings.Contains(err.Error(), whole) || len(err.Error()) > 300 || strings.ContainsAny(err.Error(), "\x1b\u202e") {
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

// In the bubble it is 1 January 2000, a Saturday. The clocks of Berlin change on 26 March and 29 October, at 01:00 UTC.
func TestExplain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct{ spec, want string }{
			{"30 2 * * *", "Sunday, 2 January 2000, at 02:30 CET"},
			{"30 2 * * *", "Sunday, 26 March 2000: the clocks skip 02:00 to 03:00, and the run happens at 03:00 CEST"},
			{"30 2 * * *", "Sunday, 29 October 2000: the clocks go back, and there is no second run at 02:30 CET"},
			{"*/20 2 * * *", "Sunday, 26 March 2000: the clocks skip 02:00 to 03:00, and there is no run in its place"},
			{"* 2 * * *", "the runs at 02:00 CET, 02:01 CET, ..., 02:59 CET are additional"},
			{"0 0 * * *", ""}, {"0 12 1 */2 *", ""}, {"@hourly", ""}, {"*/15 8-18 * * mon-fri", ""},
			{"0 0 13 * 5", "a day must match either, as in cron and cronie; node-cron"},
			{"0 0 */2 * 1", "a day must match both"},
			{"0 0 */2 * 1", "day of month */2: it begins anew each month"},
			{"*/40 9 * * *", "minute */40: gaps of 40 and 20"},
			{"5/10 9 * * *", "minute 5/10: here it begins with 5 and goes on to the end; cron, cronie"},
			{"0 0 * * */2", "begins anew each week"},
			{"0 0 * * 7", "day of week 7: robfig/cron and NATS refuse it, and busybox runs every day"},
			{"0 0 * * 5-7", "day of week 5-7: robfig/cron and NATS refuse it, busybox and systemd-cron run every day"},
			{"0 0 ? * 1", "the question mark"}, {"0 */30 * * *", "hour */30: it is 0 alone"},
			{"0 0 0 * * *", "Six fields"}, {"TZ=Europe/London 0 12 * * *", "TZ=Europe/London: Debian's cron and busybox ignore"},
			{"@every 90m", "refuse a period"}, {"0 0 29 2 */7", "more than five years after"},
		} {
			berlin, err := time.LoadLocation("Europe/Berlin")
			if err != nil {
				t.Fatal(err)
			}
			e, err := crontab.Explain(c.spec, berlin)
			text := e.String()
			if err != nil || len(e.Runs) != 5 || !strings.Contains(text, c.want) || c.want == "" && len(e.Warnings) > 0 {
				t.Errorf("%q: %v\n%s\nwant %s", c.spec, err, text, c.want)
			}
		}
		if _, err := crontab.Explain("60 * * * *", time.UTC); err == nil || !strings.Contains(err.Error(), `minute "60"`) {
			t.Errorf("of a wrong expression: %v", err)
		}
	})
}
