// Package advise tells the owner of a Go program what its timers cost, and what to change.
//
// The cost of timers is measured on this machine from a recording: all calls of the trace are made on Go's own timers,
// one after the other, and their processor time is divided by the time that the trace covers. To this comes the
// processor time of the wake-ups. Their number is counted in a simulation of the trace. The cost of one is measured
// with the process asleep before it and with as many timers due as the trace has at a wake-up. The driver is measured
// in the same rounds, in random order. Its costs have 95 % intervals over the rounds.
//
// The caches are warm and one goroutine makes all calls. A busy program pays less for wake-ups, because it is awake,
// and more for calls, because its own work evicts the timers from the caches.
package advise

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// Question is a program, and what its owner asks.
type Question struct {
	Path    string
	Summary *tracestat.Summary
	Change  Change // what if
	Driver  bool   // what if the timers were on the driver
	Core    float64
	Bytes   float64 // Core and Bytes: less than this share of a core and this memory does not matter

	rounds int // of the measurement, at most; 0: mostRounds
}

// Advice is the answer to a Question.
type Advice struct {
	Question
	Now, OnDriver, InStructs Use
	Lazily, Changed          *Use      // nil: not asked for
	Spread                   Use       // with delays that are 0 to 5 % longer: only the counts
	Sites                    []float64 // the share of a core of each of the summary's Sites
	Found                    []tracestat.Finding
	Kept                     float64 // share of the calls that are on deadlines, sleeps and tickers
	Partial                  time.Duration
}

// Use is the cost of the timers of a program in one form.
type Use struct {
	Core    stats.Interval // share of a core
	Calls   float64        // the part of the calls in Core
	Bytes   float64        // of the timers that the driver could replace, when most of them are pending
	Wakeups float64        // an hour
	AtOnce  int            // most timers that fire at one wake-up
	Late    float64        // mean time from the deadline that the program asked for to the firing, in ns
	Latest  float64
}

// ErrNoTimers is the error for a program that set no timers.
var ErrNoTimers = errors.New("no timers were set: nothing to do")

// For measures the cost of the timers of a program, now and with changes. It takes about 15 seconds,
// and returns early with an error if ctx is done.
func For(ctx context.Context, q Question) (*Advice, error) {
	s := q.Summary
	if s.Totals.Ops[trace.Schedule] == 0 {
		return nil, ErrNoTimers
	}
	if s.Totals.Span() == 0 {
		return nil, errors.New("the trace covers no time, want at least a tick")
	}
	a := &Advice{Question: q, Found: tracestat.Find(s)}
	m := &meter{
		tick: s.Header.Tick, resident: int(s.Resident), random: rand.New(rand.NewPCG(1, 2)),
		rounds: cmp.Or(q.rounds, mostRounds),
		atOnce: max(1, int(float64(s.Totals.Fired)/float64(max(1, s.Wakeups()))+0.5)),
	}
	runs := []run{{form: ownTimers, use: &a.Now}, {form: onDriver, use: &a.OnDriver}, {form: inStructs, use: &a.InStructs}}
	for _, f := range a.Found {
		if f.Rule.Lazy && a.Lazily == nil {
			a.Lazily = new(Use)
			runs = append(runs, run{form: ownTimers, change: Change{Lazy: true}, use: a.Lazily})
		}
	}
	if q.Driver || q.Change != (Change{}) {
		a.Changed = new(Use)
		form := ownTimers
		if q.Driver {
			form = onDriver
		}
		runs = append(runs, run{form: form, change: q.Change, use: a.Changed})
	}
	if err := a.measure(ctx, m, runs); err != nil {
		return nil, err
	}
	spread, err := newScript(q.Path, s, Change{Spread: 0.05}, false)
	if err != nil {
		return nil, err
	}
	a.Spread = useOf(spread, s)
	return a, nil
}

// run is one form of timers with one change, and its cost.
type run struct {
	form   form
	change Change
	use    *Use
}

// measure measures all runs in turns.
func (a *Advice) measure(ctx context.Context, m *meter, runs []run) error {
	var all []*contender
	for _, r := range runs {
		s, err := newScript(a.Path, a.Summary, r.change, false)
		if err != nil {
			return err
		}
		waking := s
		if r.form != ownTimers {
			if waking, err = newScript(a.Path, a.Summary, r.change, true); err != nil {
				return err
			}
		}
		*r.use = useOf(waking, a.Summary)
		all = append(all, &contender{form: r.form, script: s, wakeups: waking.Wakeups, tick: r.change.Tick})
	}
	now := all[0].script
	if now.Partial {
		a.Partial = time.Duration(now.Ticks) * a.Summary.Header.Tick
	}
	onKept := 0
	for _, x := range now.Steps {
		if x.class == kept {
			onKept++
		}
	}
	a.Kept = float64(onKept) / float64(len(now.Steps))
	floor := &contender{form: nothing, script: now}
	if err := m.measure(ctx, append(all, floor)); err != nil {
		return err
	}
	for i, c := range all {
		runs[i].use.cost(c, floor, float64(c.script.Ticks)*m.tick.Seconds())
	}
	a.divide(now)
	return nil
}

// useOf returns the counts of a script.
func useOf(w *script, s *tracestat.Summary) Use {
	hours := float64(w.Ticks) * s.Header.Tick.Hours()
	return Use{Wakeups: float64(w.Wakeups) / hours, AtOnce: w.AtOnce, Late: w.Late, Latest: w.Latest}
}

// cost sets the cost of a contender: its calls less the cost of the replay itself, and its wake-ups.
func (u *Use) cost(c, floor *contender, seconds float64) {
	const least = 1e-9 // of a second: less is not measured
	sum := make([]stats.Sample, len(c.calls))
	var calls, total float64
	for i, x := range c.calls {
		replay := floor.calls[i].Value * float64(len(c.script.Steps)) / float64(len(floor.script.Steps))
		own := max(least, x.Value-replay)
		x.Value = own
		if i < len(c.wakes) {
			x.Value += float64(c.wakeups) * c.wakes[i].Value
		}
		calls, total = calls+own, total+x.Value
		x.Value /= seconds
		sum[i] = x
	}
	u.Core, _ = stats.Center(sum, stats.Options{}) // there are rounds
	u.Calls, u.Bytes = u.Core.Center*calls/total, c.bytes
}

// divide divides the present cost among the places in the program, by their calls and by the wake-ups for them.
func (a *Advice) divide(now *script) {
	calls, wakes := 0.0, 0.0
	for _, p := range a.Summary.Sites {
		calls, wakes = calls+float64(p.Calls()), wakes+now.bySite(p.Number)
	}
	for _, p := range a.Summary.Sites {
		a.Sites = append(a.Sites, a.Now.Calls*float64(p.Calls())/calls+(a.Now.Core.Center-a.Now.Calls)*now.bySite(p.Number)/max(1, wakes))
	}
}
