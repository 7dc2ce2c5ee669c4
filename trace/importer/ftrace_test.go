package importer

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/trace"
)

// imported imports a text and returns what the traces hold, by kind.
func imported(t *testing.T, text string) (all map[string]string, err error) {
	t.Helper()
	files := map[string]*bytes.Buffer{}
	err = Ftrace(strings.NewReader(text), "my.txt", func(kind string, tick time.Duration) (*trace.Writer, error) {
		files[kind] = new(bytes.Buffer)
		return trace.NewWriter(files[kind], trace.Header{Name: kind, Tick: tick, Sites: true})
	})
	all = map[string]string{}
	for kind, file := range files {
		all[kind] = told(t, file)
	}
	return all, err
}

// told says what a trace holds. Delays are from the clock of the trace, which may be behind.
func told(t *testing.T, file io.Reader) (what string) {
	t.Helper()
	r, err := trace.NewReader(file, "my.trace")
	if err != nil {
		t.Fatal(err)
	}
	what = fmt.Sprintf("tick %v", r.Header().Tick)
	for clock := (trace.Op{}).At; ; {
		op, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch op.Kind {
		case trace.Schedule:
			what += fmt.Sprintf(", %s in %d", r.Sites()[op.Site], op.At-clock)
		case trace.Reschedule:
			what += fmt.Sprintf(", moved to %d", op.At-clock)
		case trace.Cancel:
			what += ", cancelled"
		case trace.Advance:
			clock = op.At
			what += strings.Repeat(", fired", len(op.Fired))
		}
	}
	if n := r.Totals().Lost; n > 0 {
		what += fmt.Sprintf(", lost %d", n)
	}
	return what
}

// trap is as trace-cmd prints what a kernel of 250 jiffies a second does.
//
//go:embed testdata/ftrace.txt
var trap string

func TestTextOfTheKernelBecomesTwoTraces(t *testing.T) {
	want := map[string]string{
		"wheel": "tick 4ms, tcp_delack_timer in 10, process_timeout in 2501, moved to 5001, fired, cancelled, " +
			"tcp_keepalive_timer in 250, fired, lost 12",
		"hrtimer": "tick 1µs, tick_sched_timer in 3969, fired, lost 12",
	}
	got, err := imported(t, trap)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("error %v\n%q, want\n%q", err, got, want)
	}
	perf := strings.NewReplacer("timer_", "timer:timer_", "hrtimer_", "timer:hrtimer_").Replace(trap)
	if got, err := imported(t, perf); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("as perf script prints it: error %v\n%q, want\n%q", err, got, want)
	}
}

func TestTextThatIsNotOfTheKernelIsReported(t *testing.T) {
	lines := strings.SplitAfter(trap, "\n")
	for want, text := range map[string]string{
		`my.txt:1: "hello": want a line of trace-cmd report`: "hello\n",
		"my.txt: no timer: want events timer:timer_start":    "# tracer: nop\n",
		"my.txt:15: 99.4": strings.Replace(trap, " 100.400000", " 99.400000", 1),
		`my.txt:15: timer_start: timeout="soon": want a number`: strings.Replace(trap, "timeout=250]", "timeout=soon]", 1),
		`my.txt:3: timer_start: timer "": want an address`:      strings.Replace(trap, "timer=0x", "tmer=0x", 1),
		"less than 20 jiffies of the first second":              lines[0] + lines[2] + lines[3],
		`my.txt:18: "<idle>`:                                    trap[:len(trap)-110],
	} {
		if _, err := imported(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	full := errors.New("full")
	none := func(string, time.Duration) (*trace.Writer, error) { return nil, full }
	if err := Ftrace(strings.NewReader(trap), "my.txt", none); !errors.Is(err, full) {
		t.Errorf("a trace that cannot be made: %v", err)
	}
}

// FuzzFtrace holds that every text makes whole traces or an error.
func FuzzFtrace(f *testing.F) {
	f.Add(trap)
	f.Fuzz(func(t *testing.T, text string) { _, _ = imported(t, text) })
}
