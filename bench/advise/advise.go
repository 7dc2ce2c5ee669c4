// Package advise tells the owner of a Go program what its timers cost, and what to change.
//
// The cost is a sum: the calls in a recording of the program, and its wake-ups, times what one of them costs. The prices are
// measured on this machine by package live in seconds, among as many pending timers as the program has: on Go's own
// timers, on the driver, and on the driver with timers that are fields of structs. They are measured in turns, and the sums have
// 95 % intervals over the turns.
//
// The caches are warm and one goroutine makes all calls. The process sleeps before each wake-up. A busy program pays less for
// wake-ups, because it is awake, and more for calls, because its own work evicts the timers from the caches.
package advise

import (
	"context"
	"errors"
	"math"
	"slices"

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

// Question is a program, and what its owner asks.
type Question struct {
	Path    string
	Summary *tracestat.Summary
	Change  Change // what if
	Driver  bool   // what if the timers were on the driver
	Core    float64
	Bytes   float64 // Core and Bytes: less than this share of a core and this memory does not matter
}

// Advice is the answer to a Question.
type Advice struct {
	Question
	Ways   []Way     // the present first
	Asked  *Way      // one of Ways; nil: no change was asked for
	Spread *Counts   // with delays that are 0 to 5 % longer
	Sites  []float64 // the share of a core of each of the summary's Sites
	Found  []tracestat.Finding
	Kept   float64 // share of the calls that are on deadlines and sleeps
}

// Way is one kind of timers for a program, and the cost of its calls and wake-ups.
type Way struct {
	Name    string // in a table
	Subject string // in a sentence, such as "The driver"
	system
	*Counts

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

// For measures the prices, and sums up the costs of a program's timers, now and with changes. It takes seconds,
// and returns an error if ctx is done.
func For(ctx context.Context, q Question) (*Advice, error) {
	s := q.Summary
	if s.Totals.Ops[trace.Schedule] == 0 {
		return nil, ErrNoTimers
	}
	if s.Totals.Span() == 0 {
		return nil, errors.New("the trace covers no time, want at least a tick")
	}
	a, err := counted(q)
	if err != nil {
		return nil, err
	}
	list := catalog.For[driver.Task]()
	i := slices.IndexFunc(list, func(e entry.For[driver.Task]) bool { return e.Name == onDriver.structure })
	contenders := append([]live.Subject{live.Floor(), live.Time()}, live.Drivers(list[i:i+1], []int{0})...)
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

const movedLazily = "package time, moved lazily"

// counted lists the ways, with their calls and wake-ups.
func counted(q Question) (*Advice, error) {
	a := &Advice{Question: q, Found: tracestat.Find(q.Summary)}
	var calls [kinds]float64
	var drivers, all float64
	for _, p := range q.Summary.Sites {
		kind, c := KindOf(p.Form), callsOf(p)
		n := c.Stopped + c.Moved + c.Fired
		calls[kind], all = calls[kind]+n, all+n
		if p.Form == trace.DriverForm {
			drivers += n
		}
	}
	a.Kept = calls[Kept] / all
	var err error
	count := func(system system, change Change) *Counts {
		if err != nil {
			return nil
		}
		var c *Counts
		c, err = count(q.Path, q.Summary, change, system != packageTime)
		return c
	}
	add := func(name, subject string, system system, change Change) {
		a.Ways = append(a.Ways, Way{Name: name, Subject: subject, system: system, Counts: count(system, change)})
	}
	ofTime := func() { add("package time", "Package time", packageTime, Change{}) }
	now := packageTime
	if drivers > (calls[Function]+calls[Channel])/2 {
		now = onDriver
	} else {
		ofTime()
		if slices.ContainsFunc(a.Found, func(f tracestat.Finding) bool { return f.Rule.Lazy }) {
			add(movedLazily, "Moving the timers lazily", packageTime, Change{Lazy: true})
		}
	}
	if a.Kept < 1 {
		add("the driver", "The driver", onDriver, Change{})
		add("the driver, timers in structs", "The driver, with timers that are fields of your structs,", inStructs, Change{})
	}
	if now == onDriver {
		ofTime()
	}
	a.Spread = count(now, Change{Spread: 0.05})
	if q.Driver || q.Change != (Change{}) {
		if q.Driver {
			now = onDriver
		}
		name := q.changes()
		add(name, "This change ("+name+")", now, q.Change)
		a.Asked = &a.Ways[len(a.Ways)-1]
	}
	return a, err
}

// price prices the ways.
func (a *Advice) price(measured *results.Live) {
	n := measured.Rows[0].Resident
	kept := price.Of(measured, n, packageTime.structure, packageTime.form)
	for i := range a.Ways {
		w := &a.Ways[i]
		w.sum(price.Of(measured, n, w.structure, w.form), kept)
		row, _ := measured.OnDriver(n, w.structure)
		for _, m := range row.Memory {
			switch m.Form {
			case w.form:
				w.Bytes += float64(w.Most[Function]) * m.Bytes
			case results.FormChannel:
				w.Bytes += float64(w.Most[Channel]) * m.Bytes
			}
		}
	}
	a.divide(price.Of(measured, n, a.Ways[0].structure, a.Ways[0].form), kept)
	if lazy := a.lazily(); lazy != nil && lazy.Core.Center >= a.Ways[0].Core.Center { // its wake-ups cost more than the calls it saves
		a.Found = slices.DeleteFunc(a.Found, func(f tracestat.Finding) bool { return f.Rule.Lazy })
	}
}

// lazily returns the way in which timers are moved lazily; nil: it is none.
func (a *Advice) lazily() *Way {
	if i := slices.IndexFunc(a.Ways, func(w Way) bool { return w.Name == movedLazily }); i >= 0 {
		return &a.Ways[i]
	}
	return nil
}

// sum adds up the cost of a way. The timers that the driver cannot replace have the prices kept of package time.
func (w *Way) sum(own, kept price.List) {
	var sums []stats.Sample
	var ofCalls, all float64
	for i := range min(len(own), len(kept)) {
		calls, wakes := 0.0, 0.0
		for kind, of := range w.Calls {
			one := own[i]
			if Kind(kind) == Kept {
				one = kept[i]
			}
			calls += one.Of(of, Kind(kind) == Channel)
			wakes += one.Wakeup * w.Wakes[kind]
		}
		ofCalls, all = ofCalls+calls, all+calls+wakes
		sums = append(sums, stats.Sample{Round: i, Value: (calls + wakes) / float64(w.Duration)})
	}
	w.Core = stats.Median(sums)
	w.CallsCore = w.Core.Center * ofCalls / all
}

// divide divides the present cost among the places in the program, by the prices of their calls and by the wake-ups for them.
func (a *Advice) divide(own, kept price.List) {
	now, calls := &a.Ways[0], 0.0
	for _, p := range a.Summary.Sites {
		kind, prices := KindOf(p.Form), own
		if kind == Kept {
			prices = kept
		}
		cost := price.Median(prices, func(one price.Price) float64 { return one.Of(callsOf(p), kind == Channel) })
		a.Sites, calls = append(a.Sites, cost), calls+cost
	}
	for i, p := range a.Summary.Sites {
		a.Sites[i] = now.CallsCore*a.Sites[i]/calls + (now.Core.Center-now.CallsCore)*now.BySite[p.Number]/math.Max(1, float64(now.Wakeups))
	}
}
