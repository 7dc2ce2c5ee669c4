// Package advise tells the owner of a Go program what its timers cost, and what to change.
//
// The cost is a sum: the calls in a recording of the program, and its wake-ups, which package tracestat counts, times what one
// of them costs. The prices are measured on this machine by package live in seconds, among as many pending timers as the
// program has: on Go's own timers, on the driver, and on the driver with timers that are fields of structs. They are measured
// in turns, and the sums have 95 % intervals over the turns.
//
// The caches are warm and one goroutine makes all calls. The process sleeps before each wake-up. A busy program pays less for
// wake-ups, because it is awake, and more for calls, because its own work evicts the timers from the caches.
package advise

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/live"
	"github.com/timerbench/timerbench/bench/price"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// Options are the questions of the owner of a program.
type Options struct {
	Tick  time.Duration // what if deadlines were rounded up to multiples of Tick; 0: nothing is asked
	Core  float64       // less than this share of a core does not matter
	Bytes float64       // as Core, for the memory of the timers
}

// Advice tells what the timers of a program cost.
type Advice struct {
	Options
	Summary *tracestat.Summary
	Ways    []Way     // the present first
	Sites   []float64 // the share of a core of each of the summary's Sites
	Found   []tracestat.Finding
	Kept    float64 // share of the calls that are on deadlines and sleeps
}

// Way is one kind of timers for a program, and the cost of its calls and wake-ups.
type Way struct {
	Name    string // in a table
	Subject string // in a sentence, such as "The driver"
	system
	summary *tracestat.Summary // which has its wake-ups

	Core      stats.Estimate // share of a core
	CallsCore float64        // the part of the calls in Core
	Bytes     float64        // of the timers that the driver could hold, when most of them are pending
}

// system is a kind of timers.
type system struct {
	structure string // of the driver; empty: package time
	form      results.Form
}

var packageTime, onDriver, inStructs = system{"", results.FormAfterFunc}, system{"auto", results.FormAfterFunc}, system{"auto", results.FormEmbedded}

// ErrNoTimers is the error for a program that set no timers.
var ErrNoTimers = errors.New("no timers were set: nothing to do")

// For measures the prices, and sums up the costs of the timers in the trace at path, of which s is the summary. It takes seconds,
// and returns an error if ctx is done.
func For(ctx context.Context, path string, s *tracestat.Summary, o Options) (*Advice, error) {
	if s.Totals.Ops[trace.Schedule] == 0 {
		return nil, ErrNoTimers
	}
	if s.Totals.Span() == 0 {
		return nil, errors.New("the trace covers no time, want at least a tick")
	}
	a := counted(s, o)
	if o.Tick > 0 {
		rounded, err := tracestat.Rounded(path, o.Tick)
		if err != nil {
			return nil, err
		}
		a.add(fmt.Sprintf("%s, tick %v", a.Ways[0].Name, o.Tick), fmt.Sprintf("Rounding up to %v", o.Tick), a.Ways[0].system, rounded)
	}
	list := catalog.For[driver.Task]()
	i := slices.IndexFunc(list, func(e entry.For[driver.Task]) bool { return e.Name == onDriver.structure })
	contenders := append([]live.Subject{live.Floor(), live.Time()}, live.Drivers(list[i:i+1])...)
	measured, failures := live.Prices(ctx, contenders, max(1, int(s.Resident)))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(failures) > 0 {
		return nil, errors.New(failures[0].Reason)
	}
	a.price(measured)
	return a, nil
}

// isKept reports whether a timer stays on package time: the driver cannot hold deadlines of package net and sleeps.
func isKept(f trace.Form) bool { return f == trace.DeadlineForm || f == trace.SleepForm }

// counted lists the ways, with their wake-ups.
func counted(s *tracestat.Summary, o Options) *Advice {
	a := &Advice{Summary: s, Options: o, Found: tracestat.Find(s)}
	var all, kept, drivers float64
	for _, p := range s.Sites {
		c := callsOf(p)
		n := c.Stopped + c.Moved + c.Fired
		switch all += n; {
		case isKept(p.Form):
			kept += n
		case p.Form == trace.DriverForm:
			drivers += n
		}
	}
	a.Kept = kept / all
	isOnDriver := drivers > (all-kept)/2
	if !isOnDriver {
		a.add("package time", "Package time", packageTime, s)
	}
	if a.Kept < 1 {
		a.add("the driver", "The driver", onDriver, s)
		a.add("the driver, timers in structs", "The driver, with timers that are fields of your structs,", inStructs, s)
	}
	if isOnDriver {
		a.add("package time", "Package time", packageTime, s)
	}
	return a
}

// add adds a way with the wake-ups of a summary.
func (a *Advice) add(name, subject string, on system, s *tracestat.Summary) {
	a.Ways = append(a.Ways, Way{Name: name, Subject: subject, system: on, summary: s})
}

// PerHour returns the wake-ups an hour.
func (w *Way) PerHour() (n float64) {
	for _, p := range w.summary.Sites {
		n += w.wakeups(p)
	}
	return n / w.summary.Duration().Hours()
}

// wakeups returns the wake-ups for the timers of a site. The driver leaves a timer that is moved to later where it is.
func (w *Way) wakeups(p tracestat.Site) float64 {
	if w.system == packageTime || isKept(p.Form) {
		return p.Wakeups[tracestat.OnTime]
	}
	return p.Wakeups[tracestat.Lazily]
}

// callsOf returns the calls on the timers of a site. A timer that is pending at the end counts as stopped.
func callsOf(p tracestat.Site) price.Calls {
	return price.Calls{Stopped: float64(p.Cancelled + p.Kept), Moved: float64(p.Moves), Fired: float64(p.Fired)}
}

// price prices the ways, and the places of the present.
func (a *Advice) price(measured *results.Live) {
	n := measured.Rows[0].Resident
	kept := price.Of(measured, n, packageTime.structure, packageTime.form)
	for i := range a.Ways {
		w := &a.Ways[i]
		sites := w.sum(price.Of(measured, n, w.structure, w.form), kept)
		if i == 0 {
			a.Sites = sites
		}
		row, _ := measured.OnDriver(n, w.structure)
		for _, m := range row.Memory {
			switch m.Form {
			case w.form:
				w.Bytes += float64(a.Summary.Functions) * m.Bytes
			case results.FormChannel:
				w.Bytes += float64(a.Summary.Channels) * m.Bytes
			}
		}
	}
}

// sum adds up the cost of a way, and returns the cost of each place as a share of a core. Timers that the driver cannot hold have
// the prices of package time, which are kept.
func (w *Way) sum(own, kept price.List) (sites []float64) {
	sums := make([]stats.Sample, min(len(own), len(kept)))
	ofCalls, all := 0.0, 0.0
	for _, p := range w.summary.Sites {
		costs := make([]float64, len(sums))
		for turn := range sums {
			one := own[turn]
			if isKept(p.Form) {
				one = kept[turn]
			}
			calls := one.Of(callsOf(p), p.Form == trace.ChannelForm) / float64(w.summary.Duration())
			costs[turn] = calls + one.Wakeup*w.wakeups(p)/float64(w.summary.Duration())
			sums[turn] = stats.Sample{Round: turn, Value: sums[turn].Value + costs[turn]}
			ofCalls, all = ofCalls+calls, all+costs[turn]
		}
		sites = append(sites, stats.MedianOf(costs))
	}
	w.Core = stats.Median(sums)
	w.CallsCore = w.Core.Center * ofCalls / all
	return sites
}
