package advise

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/trace"
)

func way(name, subject string, core, bytes float64) Way {
	return Way{Name: name, Subject: subject, Core: stats.Estimate{Center: core, Lo: 0.95 * core, Hi: 1.05 * core, Rounds: 6}, Bytes: bytes}
}

// The headline is the cheapest way, if it saves enough.
func TestSentences(t *testing.T) {
	ways := func(now, lazily, driver, structs float64, bytes ...float64) []Way {
		return []Way{
			way("package time", "Package time", now, bytes[0]), way(movedLazily, "Moving the timers lazily", lazily, bytes[0]),
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
		"Moving the timers lazily would save 4.5 % of a core (5.15 % to 0.65 %).":                                       ways(0.0515, 0.0065, 0.02, 0.01, 1e6, 1e6, 1e6),
		"Keep package time: your timers cost 0.1 % of a core and 100 MB, and nothing below is certainly cheaper.":       ways(0.001, 0.002, 0.01, 0.01, 100e6, 10e6, 10e6),
	} {
		a := Advice{Kept: 0.5, Question: Question{Core: 0.005, Bytes: 1e6}, Ways: ways}
		if got := a.Sentence(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	a := Advice{Kept: 1, Question: Question{Core: 0.005, Bytes: 1e6}, Ways: ways(0.02, 0.02, 0.02, 0.02, 1e3, 1e3, 1e3)[:1]}
	if got := a.Sentence(); got != "Keep package time: your timers cost 2 % of a core, and the driver can hold none of them." {
		t.Errorf("nothing can be replaced: %s", got)
	}
}

// A program is priced, and the whole advice is written. The times differ from machine to machine.
func TestAdviceIsWhole(t *testing.T) {
	p := newProgram(t)
	timer := p.set(5000)
	p.every(5, func(i int) {
		p.reset(timer, 5000)
		if i%200 == 0 {
			p.set(10)
		}
	})
	path, s := p.end(10_000)
	q := Question{Path: path, Summary: s, Core: 0.9, Bytes: 1e9, Driver: true, Change: Change{Tick: 20 * time.Millisecond}}
	a, err := For(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range a.Ways {
		if !(w.Core.Center > w.CallsCore && w.CallsCore > 0 && w.Core.Center < 1 && w.Bytes > 0 && w.Bytes < 1e6) {
			t.Errorf("%s: %+v", w.Name, w)
		}
	}
	if now := a.Ways[0].Core.Center; len(a.Sites) != 1 || a.Sites[0] < 0.99*now || a.Sites[0] > 1.01*now {
		t.Errorf("the places cost %v, all timers %v", a.Sites, now)
	}
	text := a.Text().Markdown()
	for _, want := range []string{"Keep package time", "the driver, tick 20ms", movedLazily, "main.run main.go:7", "Less than 90 % of a core"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text does not say %q:\n%s", want, text)
		}
	}
	if gains := a.lazily().Core.Center < a.Ways[0].Core.Center; strings.Contains(text, "Moved on and on.") != gains {
		t.Errorf("moving lazily gains: %t, but the text says:\n%s", gains, text)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := For(ctx, q); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A program that is on the driver is not told to keep package time.
func TestAProgramOnTheDriverKeepsIt(t *testing.T) {
	p := newProgram(t)
	p.place.Form = trace.DriverForm
	p.set(10)
	path, s := p.end(2000)
	a, err := counted(Question{Path: path, Summary: s, Core: 0.5, Bytes: 1e9})
	if err != nil || a.Ways[0].Name != "the driver" || !strings.HasPrefix(a.Sentence(), "Keep the driver: ") {
		t.Errorf("%v, %+v, %s", err, a.Ways, a.Sentence())
	}
}

func TestABriefTraceSaysSo(t *testing.T) {
	for _, c := range []struct {
		ms   int64
		want bool
	}{{900, true}, {1100, false}} {
		p := newProgram(t)
		p.set(10)
		path, s := p.end(c.ms)
		a, err := counted(Question{Path: path, Summary: s})
		if a.Sites = []float64{0}; err != nil || strings.Contains(a.Text().String(), "The trace covers only 901ms") != c.want {
			t.Errorf("%d ms: %v, %s", c.ms, err, a.Text().String())
		}
	}
}

func TestProgramsWithoutTimers(t *testing.T) {
	path, s := newProgram(t).end(1000)
	if _, err := For(t.Context(), Question{Path: path, Summary: s}); !errors.Is(err, ErrNoTimers) {
		t.Errorf("no timers: %v", err)
	}
}
