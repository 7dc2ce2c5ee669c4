package importer

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/timerbench/timerbench/trace"
)

// Ftrace reads timers of the Linux kernel, in the text of trace-cmd report, perf script
// or the file trace of tracefs, and writes those of the timer wheel and the hrtimers to a
// trace each. create begins a trace, of timers of a kind, "wheel" or "hrtimer"; Ftrace
// closes the Writer. A kind without timers has no trace. Errors call the text name.
//
// The kernel says less than it does: a timer that fires is cancelled just before, one that is
// moved is cancelled and started, and one that is moved within its bucket of the wheel says
// nothing. Its text has no length of a jiffy and no relation of its clocks to the times of
// the lines. Ftrace learns both in the first second of the text.
func Ftrace(
	in io.Reader, name string, create func(kind string, tick time.Duration) (*trace.Writer, error),
) error {
	f := ftrace{create: create, offsets: map[bool]int64{}, held: map[string]ftraceEvent{}}
	return errors.Join(readLines(in, name, f.line, f.end), f.close())
}

// ftrace is the state of an import.
type ftrace struct {
	create  func(kind string, tick time.Duration) (*trace.Writer, error)
	started []ftraceEvent // those of the first second, until it is over
	ready   bool          // the first second is over
	jiffy   time.Duration // 0: not known
	offsets map[bool]int64
	held    map[string]ftraceEvent // by CPU: a cancel, which may be the first half of more
	lost    uint64
	last    int64
	wheel   *trace.Observer // nil: none yet
	hr      *trace.Observer
}

// ftraceEvent is a line.
type ftraceEvent struct {
	cpu, event string
	at         int64 // time of the line in nanoseconds
	timer      uint64
	hr         bool
	function   string
	expires    int64
	timeout    int64 // jiffies
	now        int64 // hrtimer_expire_entry: the clock of the timer
}

var (
	ftraceLine = regexp.MustCompile(`\[(\d+)\]\s.*?(\d+)\.(\d{6}(?:\d{3})?):\s+(?:timer:)?(\w+):\s*(.*)$`)
	ftraceLost = regexp.MustCompile(`(?i)\blost (\d+)\b`)
)

// line takes a line of the text.
func (f *ftrace) line(text string) error {
	if lost := ftraceLost.FindStringSubmatch(text); lost != nil {
		n, err := strconv.ParseUint(lost[1], 10, 64)
		f.lost += n
		return err
	}
	text = strings.TrimSpace(text)
	head := strings.HasPrefix(text, "cpus=") || strings.HasPrefix(text, "version = ") // of trace-cmd
	if text == "" || text[0] == '#' || head {
		return nil
	}
	parts := ftraceLine.FindStringSubmatch(text)
	if parts == nil {
		return fmt.Errorf("%.60q: want a line of trace-cmd report or perf script", text)
	}
	e := ftraceEvent{cpu: parts[1], event: parts[4]}
	e.event, e.hr = strings.CutPrefix(e.event, "hr")
	switch e.event {
	case "timer_start", "timer_cancel", "timer_expire_entry":
	default:
		return nil // of another subject
	}
	seconds, err := strconv.ParseInt(parts[2], 10, 32)
	if err != nil {
		return err
	}
	fraction, _ := strconv.ParseInt((parts[3] + "000")[:9], 10, 64) // digits
	e.at = seconds*1e9 + fraction
	const skew = 1e6 // between the clocks of processors
	if e.at < f.last-skew {
		return fmt.Errorf("%s.%s comes after %d.%09d: want events in order of time",
			parts[2], parts[3], f.last/1e9, f.last%1e9)
	}
	e.at = max(e.at, f.last)
	f.last = e.at
	if err := e.parse(parts[5]); err != nil {
		return err
	}
	if f.ready {
		return f.add(e)
	}
	if f.started = append(f.started, e); e.at-f.started[0].at < int64(time.Second) {
		return nil
	}
	return f.start()
}

// parse parses the fields of an event.
func (e *ftraceEvent) parse(text string) error {
	fields := map[string]string{}
	for field := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(strings.Trim(field, "[]"), "=")
		fields[key] = value
	}
	var all error
	number := func(key string) int64 {
		n, err := strconv.ParseInt(fields[key], 10, 64)
		if err != nil {
			all = cmp.Or(all, fmt.Errorf("%s: %s=%q: want a number", e.event, key, fields[key]))
		}
		return n
	}
	address := cmp.Or(fields["timer"], fields["hrtimer"])
	e.timer, all = strconv.ParseUint(strings.TrimPrefix(address, "0x"), 16, 64)
	if all != nil {
		return fmt.Errorf("%s: timer %q: want an address", e.event, address)
	}
	e.function = fields["function"]
	switch {
	case e.event == "timer_start":
		e.expires = number("expires")
		if !e.hr {
			e.timeout = number("timeout")
		}
	case e.event == "timer_expire_entry" && e.hr:
		e.now = number("now")
	}
	return all
}

// unix reports whether a time of an hrtimer is since 1970, and not since the machine started.
func unix(ns int64) bool { return ns > 1e18 }

// start learns what the text does not say from the events of the first second, and takes them.
func (f *ftrace) start() error {
	f.ready = true
	var first *ftraceEvent
	for i := range f.started {
		switch e := &f.started[i]; {
		case e.hr && e.event == "timer_expire_entry":
			if _, known := f.offsets[unix(e.now)]; !known {
				f.offsets[unix(e.now)] = e.now - e.at
			}
		case !e.hr && e.event == "timer_start" && first == nil:
			first = e
		case !e.hr && e.event == "timer_start":
			jiffies := (e.expires - e.timeout) - (first.expires - first.timeout)
			if jiffies >= 20 {
				f.jiffy = nearestJiffy(time.Duration((e.at - first.at) / jiffies))
			}
		}
	}
	if first != nil && f.jiffy == 0 {
		return errors.New("the timers of the wheel cover less than 20 jiffies of the first second: " +
			"too few to tell how long one is")
	}
	for _, e := range f.started {
		if err := f.add(e); err != nil {
			return err
		}
	}
	f.started = nil
	return nil
}

// nearestJiffy returns the length that a kernel can have and that is the nearest.
func nearestJiffy(d time.Duration) (nearest time.Duration) {
	for _, hz := range []time.Duration{100, 250, 300, 1000} {
		if jiffy := time.Second / hz; math.Abs(float64(d-jiffy)) < math.Abs(float64(d-nearest)) {
			nearest = jiffy
		}
	}
	return nearest
}

// add takes an event. A cancel waits for the next event on its CPU, of which it may be a part.
func (f *ftrace) add(e ftraceEvent) error {
	before, held := f.held[e.cpu]
	delete(f.held, e.cpu)
	if held && (before.timer != e.timer || before.hr != e.hr || e.event == "timer_cancel") {
		if err := f.record(before, trace.EventStop, 0); err != nil {
			return err
		}
	}
	const together = int64(time.Millisecond) // what belongs together is said within that
	if err := f.release(e.at - together); err != nil {
		return err
	}
	switch e.event {
	case "timer_cancel":
		f.held[e.cpu] = e
		return nil
	case "timer_expire_entry":
		if e.hr {
			f.offsets[unix(e.now)] = e.now - e.at // clocks drift
		}
		return f.record(e, trace.EventFire, 0)
	}
	if !e.hr {
		const most = 1 << 32 // jiffies; the wheel holds fewer
		return f.record(e, trace.EventSet, e.at+min(max(e.timeout, 0), most)*int64(f.jiffy))
	}
	offset, known := f.offsets[unix(e.expires)]
	if !known {
		f.lost++
		return nil
	}
	return f.record(e, trace.EventSet, max(e.expires-offset, 1))
}

// release records the cancels up to a time that wait.
func (f *ftrace) release(until int64) error {
	for _, cpu := range slices.Sorted(maps.Keys(f.held)) {
		if e := f.held[cpu]; e.at <= until {
			delete(f.held, cpu)
			if err := f.record(e, trace.EventStop, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// record records what happened to a timer. What is said of a timer that was pending before
// the text begins is left out.
func (f *ftrace) record(e ftraceEvent, kind trace.EventKind, when int64) error {
	to, name, tick := &f.wheel, "wheel", f.jiffy
	if e.hr {
		to, name, tick = &f.hr, "hrtimer", time.Microsecond
	}
	if *to == nil {
		if kind != trace.EventSet {
			return nil
		}
		w, err := f.create(name, tick)
		if err != nil {
			return err
		}
		*to = trace.NewObserver(w, e.at)
	}
	pending := (*to).Pending(uintptr(e.timer))
	if !pending && kind != trace.EventSet {
		return nil
	}
	(*to).Observe(trace.Event{
		Kind: kind, Timer: uintptr(e.timer), Now: e.at, When: when, Pending: pending, Site: e.function,
	})
	return (*to).Err()
}

// end takes what is left at the end of the text.
func (f *ftrace) end() error {
	if !f.ready {
		if err := f.start(); err != nil {
			return err
		}
	}
	if err := f.release(math.MaxInt64); err != nil {
		return err
	}
	if f.wheel == nil && f.hr == nil {
		return errors.New("no timer: want events timer:timer_start or timer:hrtimer_start")
	}
	return nil
}

// close completes the traces.
func (f *ftrace) close() error {
	var all error
	for _, r := range []*trace.Observer{f.wheel, f.hr} {
		if r != nil {
			r.Lose(f.lost)
			all = errors.Join(all, r.Close(f.last))
		}
	}
	return all
}
