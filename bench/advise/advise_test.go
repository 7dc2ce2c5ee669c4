package advise

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/price"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

func way(name, subject string, core, bytes float64) Way {
	return Way{Name: name, Subject: subject, Core: stats.Estimate{Center: core, Lo: 0.95 * core, Hi: 1.05 * core, Rounds: 6}, Bytes: bytes}
}

// The headline is the cheapest way, if it saves enough.
func TestSentences(t *testing.T) {
	ways := func(now, rounded, driver, structs float64, bytes ...float64) []Way {
		return []Way{
			way("package time", "Package time", now, bytes[0]), way("package time, tick 10ms", "Rounding up to 10ms", rounded, bytes[0]),
			way("the driver", "The driver", driver, bytes[1]), way("the driver, timers in structs", "The driver, with timers that are fields of your structs,", structs, bytes[2]),
		}
	}
	for want, ways := range map[string][]Way{
		"Keep package time: your timers cost 0.02 % of a core and 40 kB.":                                               ways(0.0002, 0.0002, 0.0001, 0.0001, 40e3, 9e3, 9e3),
		"Keep package time: your timers cost 2 % of a core and 40 kB, and the best change below would save only 0.2 %.": ways(0.02, 0.02, 0.018, 0.019, 40e3, 9e3, 9e3),
		"Keep package time: your timers cost 3.55 % of a core and 40 kB, and nothing below is certainly cheaper.":       ways(0.0355, 0.04, 0.057, 0.057, 40e3, 9e3, 9e3),
		"The driver would save 3.1 % of a core (4.1 % to 1 %) and 90 MB.":                                               ways(0.041, 0.04, 0.01, 0.011, 100e6, 10e6, 1e6),
		"The driver would save 3.1 % of a core (4.1 % to 1 %), and take 10 MB more.":                                    ways(0.041, 0.04, 0.01, 0.011, 100e6, 110e6, 1e6),
		"The driver would save 90 MB (100 MB to 10 MB).":                                                                ways(0.001, 0.001, 0.001, 0.001, 100e6, 10e6, 1e6),
		"The driver, with timers that are fields of your structs, would save 4 % of a core (4.1 % to 0.1 %).":           ways(0.041, 0.04, 0.02, 0.001, 1e6, 1e6, 1e6),
		"Rounding up to 10ms would save 4.5 % of a core (5.15 % to 0.65 %).":                                            ways(0.0515, 0.0065, 0.02, 0.01, 1e6, 1e6, 1e6),
		"Keep package time: your timers cost 0.1 % of a core and 100 MB, and nothing below is certainly cheaper.":       ways(0.001, 0.002, 0.01, 0.01, 100e6, 10e6, 10e6),
	} {
		a := Advice{Kept: 0.5, Options: Options{Core: 0.005, Bytes: 1e6}, Ways: ways}
		fail.UnlessSame(t, "the sentence", a.Sentence(), want)
	}
	a := Advice{Kept: 1, Options: Options{Core: 0.005, Bytes: 1e6}, Ways: ways(0.02, 0.02, 0.02, 0.02, 1e3, 1e3, 1e3)[:1]}
	fail.UnlessSame(t, "nothing can be replaced", a.Sentence(), "Keep package time: your timers cost 2 % of a core, and the driver can hold none of them.")
}

// read returns the summary of a recording.
func read(t *testing.T, name string) (path string, s *tracestat.Summary) {
	t.Helper()
	path = "../../traces/" + name + ".trace"
	s, err := tracestat.Read(path)
	fail.If(t, err)
	return path, s
}

// A program is priced, and the whole advice is written. The times differ from machine to machine.
func TestAdviceIsWhole(t *testing.T) {
	path, s := read(t, "wireguard")
	o := Options{Core: 0.9, Bytes: 1e9, Tick: 20 * time.Millisecond}
	a, err := For(t.Context(), path, s, o)
	fail.If(t, err)
	for _, w := range a.Ways {
		if !(w.Core.Center > w.CallsCore && w.CallsCore > 0 && w.Core.Center < 1 && w.Bytes > 0 && w.Bytes < 1e6) {
			t.Errorf("%s: %+v", w.Name, w)
		}
	}
	sum, now := 0.0, a.Ways[0].Core.Center
	for _, core := range a.Sites {
		sum += core
	}
	if len(a.Sites) != len(s.Sites) || sum < 0.8*now || sum > 1.2*now {
		t.Errorf("the places cost %v, all timers %v", a.Sites, now)
	}
	if rounded := a.Ways[len(a.Ways)-1]; rounded.PerHour() >= a.Ways[0].PerHour() {
		t.Errorf("%v wake-ups an hour, %v with a tick of 20ms", a.Ways[0].PerHour(), rounded.PerHour())
	}
	fail.Unless(t, a.Text().Markdown(), "Keep package time", "package time, tick 20ms", "timers.go:", "Less than 90 % of a core")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := For(ctx, path, s, o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := For(t.Context(), path, new(tracestat.Summary), o); !errors.Is(err, ErrNoTimers) {
		t.Errorf("no timers: %v", err)
	}
}

// made is the summary of a program with a timer every 10 ms, which fires, until ns.
func made(form trace.Form, ns int64) *tracestat.Summary {
	n := uint64(ns / 10e6)
	s := &tracestat.Summary{Header: trace.Header{Tick: time.Millisecond}, Sites: []tracestat.Site{
		{Name: "main.run main.go:7", Form: form, Timers: n, Fired: n, Moves: 3, Wakeups: [2]float64{float64(n), 2 * float64(n)}},
	}, Functions: 1}
	s.Totals.Ops[trace.Schedule], s.Totals.Last = n, structures.Tick(ns/1e6)
	return s
}

// The cost of a way is the sum of its calls and wake-ups, in each turn. Timers that the driver cannot hold keep their prices and wake-ups.
func TestCostsAreSums(t *testing.T) {
	own, kept := price.List{{Move: 2, Fire: 100, Wakeup: 1000}}, price.List{{Move: 20, Fire: 200, Wakeup: 5000}}
	for form, want := range map[trace.Form]float64{trace.FuncForm: 100*100 + 3*2 + 200*1000, trace.DeadlineForm: 100*200 + 3*20 + 100*5000} {
		w := Way{system: onDriver, summary: made(form, 1e9)}
		sites := w.sum(own, kept)
		if got := w.Core.Center * 1e9; math.Abs(got-want) > 1e-3 || len(sites) != 1 || math.Abs(sites[0]*1e9-want) > 1e-3 {
			t.Errorf("%v: %g and %v ns, want %g", form, got, sites, want)
		}
	}
}

// A program that is on the driver is not told to keep package time.
func TestAProgramOnTheDriverKeepsIt(t *testing.T) {
	a := counted(made(trace.DriverForm, 2e9), Options{Core: 0.5, Bytes: 1e9})
	if a.Ways[0].Name != "the driver" || !strings.HasPrefix(a.Sentence(), "Keep the driver: ") {
		t.Errorf("%+v, %s", a.Ways, a.Sentence())
	}
}

func TestABriefTraceSaysSo(t *testing.T) {
	for ns, want := range map[int64]bool{900e6: true, 1100e6: false} {
		a := counted(made(trace.FuncForm, ns), Options{})
		if a.Sites = []float64{0}; strings.Contains(a.Text().String(), "The trace covers only 900ms") != want {
			t.Errorf("%d ns: %s", ns, a.Text().String())
		}
	}
}
