package tracestat

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/trace"
)

// program is a program that runs in virtual time and is recorded. Times are in milliseconds.
type program struct {
	t       *testing.T
	out     bytes.Buffer
	o       *trace.Observer
	place   trace.Site
	now     int64
	timers  uint64
	waits   bool             // for channels: they fire
	pending map[uint64]int64 // deadlines
}

func newProgram(t *testing.T) *program {
	t.Helper()
	p := &program{t: t, place: trace.Site{Place: "main.run main.go:7", Form: trace.FuncForm}, pending: map[uint64]int64{}}
	w, err := trace.NewWriter(&p.out, trace.Header{Name: "test", Tick: time.Millisecond})
	fail.If(t, err)
	p.o = trace.NewObserver(w, 0)
	return p
}

const ms = 1_000_000 // ns

// fire makes the runtime fire the timers that are due, but for channels that nobody waits for.
func (p *program) fire() {
	for timer, at := range p.pending {
		if at <= p.now {
			if delete(p.pending, timer); p.place.Form != trace.ChannelForm || p.waits {
				p.o.Observe(trace.Event{Kind: trace.EventFire, Timer: timer, Now: at * ms, Pending: true})
			}
		}
	}
}

func (p *program) observe(kind trace.EventKind, timer uint64, delay int64, site trace.Site) {
	p.fire()
	was, pending := p.pending[timer]
	e := trace.Event{Kind: kind, Timer: timer, Now: p.now * ms, Pending: pending && was > p.now, Site: site}
	delete(p.pending, timer)
	if kind == trace.EventSet {
		e.When = (p.now + delay) * ms
		p.pending[timer] = p.now + delay
	}
	p.o.Observe(e)
}

// set makes a timer.
func (p *program) set(delay int64) uint64 {
	p.timers++
	p.observe(trace.EventSet, p.timers, delay, p.place)
	return p.timers
}

func (p *program) reset(timer uint64, delay int64) { p.observe(trace.EventSet, timer, delay, p.place) }
func (p *program) stop(timer uint64)               { p.observe(trace.EventStop, timer, 0, trace.Site{}) }

// end ends the program at a time and returns its trace.
func (p *program) end(at int64) (path string, s *Summary) {
	p.t.Helper()
	path, p.now = filepath.Join(p.t.TempDir(), "test.trace"), at
	p.fire()
	err := p.o.Close(at * ms)
	if err == nil {
		err = os.WriteFile(path, p.out.Bytes(), 0o600)
	}
	if err == nil {
		s, err = Read(path)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return path, s
}

// every calls do at each multiple of a period, for ten seconds.
func (p *program) every(period int64, do func(i int)) {
	for i := 0; p.now < 10_000; i++ {
		do(i)
		p.now += period
	}
}

// Each rule finds its pattern in a program that has it, and only this one, and nothing in a program that differs in one point.
func TestRulesFindTheirPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern  string
		form     trace.Form
		has, not func(*program)
	}{
		{"moved on and on", trace.FuncForm, func(p *program) {
			timer := p.set(30_000)
			p.every(5, func(int) { p.reset(timer, 30_000) })
		}, func(p *program) { // so many timers that one would be due in its old place at nearly each tick
			var timers []uint64
			for range 200 {
				timers = append(timers, p.set(1000))
			}
			p.every(1, func(i int) { p.reset(timers[i%200], 1000+int64(i%7)) })
		}},
		{"time.After that nobody waits for", trace.ChannelForm, func(p *program) {
			p.every(5, func(int) { p.set(2002) })
		}, func(p *program) { // goroutines wait for all of them
			p.waits = true
			p.every(5, func(i int) { p.set(1000 + int64(37*i%2000)) })
		}},
		{"more and more", trace.FuncForm, growing(1), growing(0)},
		{"never stopped, never due", trace.FuncForm, func(p *program) {
			p.every(50, func(int) { p.set(3600_000) })
		}, func(p *program) { // all timers are set at the beginning, like timers of connections
			for range 200 {
				p.set(3600_000)
			}
		}},
	} {
		for i, run := range []func(*program){c.has, c.not} {
			p := newProgram(t)
			p.place.Form = c.form
			run(p)
			_, s := p.end(10_000)
			var got []string
			for _, f := range Find(s) {
				got = append(got, f.Rule.Pattern)
			}
			if want := []string{c.pattern}[:1-i]; !slices.Equal(got, want) {
				t.Errorf("%s, program %d: found %q, want %q; %+v", c.pattern, i, got, want, s.Sites)
			}
		}
	}
}

// growing is a program with a timer, or with 200, that set themselves again after half a second and then a bit more. Each starts more others.
func growing(more int) func(*program) {
	return func(p *program) {
		type due struct{ at, delay int64 }
		var all []due
		start := func() {
			delay := int64(500 + 7*len(all)%400)
			p.set(delay)
			all = append(all, due{p.now + delay, delay})
		}
		for range 200 - 199*more {
			start()
		}
		for ; p.now < 10_000; p.now++ {
			for i := range all {
				if d := &all[i]; d.at == p.now {
					p.set(d.delay)
					d.at += d.delay
					if more > 0 && i%2 == 0 && len(all) < 3000 {
						start()
					}
				}
			}
		}
	}
}

// A timer that is Reset after it was stopped is the one timer that the rule asks for.
func TestATimerThatIsResetIsKept(t *testing.T) {
	p := newProgram(t)
	p.place.Reset = true
	timer := p.set(10_000)
	p.every(5, func(int) { p.stop(timer); p.reset(timer, 10_000) })
	if _, s := p.end(10_000); len(Find(s)) != 0 || s.Sites[0].CancelRate() != 1 {
		t.Errorf("%+v of %+v", Find(s), s.Sites)
	}
}

// A ticker with a period of 100 µs has no delay of 0, and its period is not that of the ticks of the trace.
func TestATickerBelowATickHasItsPeriod(t *testing.T) {
	p := newProgram(t)
	site := trace.Site{Place: "main.run main.go:7", Form: trace.TickerForm}
	const period = ms / 10
	p.o.Observe(trace.Event{Kind: trace.EventSet, Timer: 1, When: period, Site: site})
	for now := int64(period); now < 2000*ms; now += period {
		p.o.Observe(trace.Event{Kind: trace.EventFire, Timer: 1, Now: now, When: now + period, Pending: true})
	}
	_, s := p.end(2000)
	if found := Find(s); len(found) != 1 || found[0].Rule.Pattern != "wakes an idle process" || !strings.HasPrefix(found[0].Evidence, "10,000 times a second, ") {
		t.Errorf("%+v", found)
	}
}

// A rule finds its pattern at its thresholds, and not where one figure is beyond its own.
func TestTheThresholdsOfTheRules(t *testing.T) {
	const tick, seconds = time.Millisecond, 10
	delay := func(p50, p99 time.Duration) Delays { return Delays{P50: float64(p50), P99: float64(p99)} }
	tested := 0
	for pattern, c := range map[string]struct {
		finds, not []Site
	}{
		"set and stopped each time": {[]Site{
			{Timers: 1000, Cancelled: 950, Fired: 50, Left: delay(90*tick, 0), Delays: delay(100*tick, 0)},
		}, []Site{
			{Timers: 999, Cancelled: 950, Fired: 50, Left: delay(90*tick, 0), Delays: delay(100*tick, 0)},
			{Timers: 1000, Cancelled: 949, Fired: 51, Left: delay(90*tick, 0), Delays: delay(100*tick, 0)},
			{Timers: 1000, Cancelled: 950, Fired: 50, Left: delay(89*tick, 0), Delays: delay(100*tick, 0)},
			{Reset: true, Timers: 1000, Cancelled: 950, Fired: 50, Left: delay(90*tick, 0), Delays: delay(100*tick, 0)},
		}},
		"moved on and on": {[]Site{{Timers: 1000, Later: 1000, Wakeups: [2]float64{7, 8}}}, []Site{{Timers: 10, Later: 999}, {Timers: 1001, Later: 1000}, {Form: trace.DriverForm, Timers: 1000, Later: 1000}, {Timers: 1, Later: 1000, Wakeups: [2]float64{7, 9}}}},
		"time.After that nobody waits for": {[]Site{{Form: trace.ChannelForm, Timers: 1000, Cancelled: 1, Fired: 99, Pending: 100, Unread: 0.5}}, []Site{
			{Form: trace.ChannelForm, Timers: 1000, Fired: 100, Pending: 99, Unread: 1}, {Form: trace.FuncForm, Timers: 1000, Fired: 100, Pending: 100, Unread: 1},
			{Form: trace.ChannelForm, Timers: 1000, Cancelled: 2, Fired: 98, Pending: 100, Unread: 1}, {Form: trace.ChannelForm, Timers: 1000, Fired: 100, Pending: 100, Unread: 0.49},
		}},
		"thousands at once": {[]Site{{AtOnce: 1000}}, []Site{{AtOnce: 999}}},
		"wakes an idle process": {[]Site{
			{Fired: 10, Repeats: 5, Wakes: 10}, {Fired: 10, Form: trace.TickerForm, Wakes: 10}, {Fired: 10, Repeats: 5, Wakes: 10, Delays: delay(10*tick, 14*tick)},
			{Fired: 10, Repeats: 5, Wakes: 10, Delays: delay(100*tick, 110*tick)}, {Fired: 18, Cancelled: 2, Repeats: 9, Wakes: 10}, {Form: trace.ChannelForm, Fired: 10, Repeats: 5, Wakes: 10},
		}, []Site{
			{Fired: 10, Repeats: 4, Wakes: 10}, {Fired: 10, Repeats: 5, Wakes: 9}, {Fired: 9, Repeats: 9, Wakes: 10}, {Fired: 10, Repeats: 5, Wakes: 10, Delays: delay(10*tick, 15*tick)},
			{Fired: 10, Repeats: 5, Wakes: 10, Delays: delay(100*tick, 111*tick)}, {Fired: 10, Cancelled: 2, Repeats: 9, Wakes: 10}, {Form: trace.ChannelForm, Fired: 10, Repeats: 5, Wakes: 10, Unread: 0.5},
			{Form: trace.TickerForm, Period: 100_000, Fired: 10, Wakes: 10},
		}},
		"short ticker": {[]Site{{Form: trace.TickerForm, Period: 100_000, Fired: 10, Wakes: 10}}, []Site{{Form: trace.TickerForm, Fired: 10, Wakes: 10}, {Form: trace.TickerForm, Period: 100_000, Fired: 9, Wakes: 9}}},
		"deadlines that pass": {[]Site{{Form: trace.DeadlineForm, Fired: 10, Cancelled: 10, Wakes: 10}}, []Site{
			{Form: trace.FuncForm, Fired: 10, Wakes: 10}, {Form: trace.DeadlineForm, Fired: 10, Cancelled: 11, Wakes: 10}, {Form: trace.DeadlineForm, Fired: 10, Wakes: 9},
		}},
		"more and more": {[]Site{{Kept: 100, Fired: 100, Pending: 75, Growth: 0.6}, {Kept: 100, Fired: 100, Pending: 5, Growth: 0.95}}, []Site{
			{Kept: 99, Fired: 100, Pending: 74, Growth: 0.7}, {Kept: 100, Fired: 99, Pending: 75, Growth: 0.7}, {Kept: 100, Fired: 100, Pending: 76, Growth: 0.7},
			{Kept: 100, Fired: 100, Pending: 50, Growth: 0.59}, {Kept: 100, Fired: 100, Pending: 5, Growth: 0.96},
		}},
		"no delay": {[]Site{{Soon: 100, Timers: 100, Moves: 100}}, []Site{{Soon: 99, Timers: 10}, {Soon: 100, Timers: 100, Moves: 101}, {Form: trace.TickerForm, Soon: 100, Timers: 100}, {Form: trace.SleepForm, Soon: 100, Timers: 100}}},
		"never stopped, never due": {[]Site{{Timers: 100, Kept: 90, Pending: 45, Moves: 100}, {Timers: 100, Kept: 100, Pending: 26}, {Timers: 100, Kept: 100, Pending: 74}}, []Site{
			{Timers: 99, Kept: 99, Pending: 45}, {Timers: 100, Kept: 89, Pending: 45}, {Timers: 100, Kept: 90, Pending: 45, Moves: 101},
			{Timers: 100, Kept: 100, Pending: 25}, {Timers: 100, Kept: 100, Pending: 75},
		}},
	} {
		tested++
		for i, site := range append(c.finds, c.not...) {
			s := &Summary{Header: trace.Header{Tick: tick}, Sites: []Site{site}}
			s.Totals.First, s.Totals.Last = 1, 1+structures.Tick(seconds*time.Second/tick)
			found := ""
			for _, f := range Find(s) {
				if f.Rule.Pattern == pattern {
					found = f.Evidence
				}
			}
			if want := i < len(c.finds); want != (found != "") {
				t.Errorf("%s, site %d: found %q, want %t: %s", pattern, i, found, want, fmt.Sprintf("%+v", site))
			}
		}
	}
	fail.UnlessSame(t, "rules that are tested", tested, len(Rules))
}
