package workload

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEveryBuiltInHasAModelWithSoundParameters(t *testing.T) {
	t.Parallel()
	for _, w := range All() {
		if w.Category == "" || (w.Category == Grid) != (w.Grid != nil) {
			t.Errorf("%s: category %q, place in the grid %v", w.Name, w.Category, w.Grid)
		}
		if slices.IndexFunc(Models(), func(m Model) bool { return m.Kind() == w.Kind() }) < 0 {
			t.Errorf("%s: its model is not in the list of models", w.Name)
		}
		for _, err := range CheckModel(w.Model, w.Tick, nil) {
			t.Errorf("%s: %v", w.Name, err)
		}
	}
}

func TestParametersOutOfRangeAreNamed(t *testing.T) {
	t.Parallel()
	second := Delay{Kind: "constant", Mean: Duration(time.Second)}
	class := func(change func(*Class)) Model {
		c := Class{Delay: second}
		change(&c)
		return &Flow{Classes: []Class{c}}
	}
	delay := func(d Delay) Model { return &Hold{Delay: d} }
	changed := func(workload string, change func(Model)) Model {
		w, _ := Find(workload) // a model of its own at each call
		change(w.Model)
		return w.Model
	}
	for want, m := range map[string]Model{
		"delay.kind: want one of constant":                                         delay(Delay{}),
		`delay.kind = "gauss": want one of constant, uniform`:                      delay(Delay{Kind: "gauss"}),
		"delay = no parameter: want for a delay of kind exponential mean":          delay(Delay{Kind: "exponential"}),
		"delay = mean and high: want for a delay of kind uniform mean, or low":     delay(Delay{Kind: "uniform", Mean: 1e9, High: 1e9}),
		"delay.mean = -1s: want a positive duration":                               delay(Delay{Kind: "constant", Mean: -1e9}),
		"delay.mean = 499µs: want at least half a tick: timers count ticks of 1ms": delay(Delay{Kind: "constant", Mean: 499_000}),
		"delay.mean = 2000000h: want at most 2^40 ticks of 1ms: a longer tick":     delay(Delay{Kind: "constant", Mean: 2_000_000 * Duration(time.Hour)}),
		"delay.high = 1s: want more than low, which is 2s":                         delay(Delay{Kind: "uniform", Low: 2e9, High: 1e9}),
		"delay.upper_quartile = 1s: want more than the median, which is 1s":        delay(Delay{Kind: "lognormal", Median: 1e9, UpperQuartile: 1e9}),
		"delay = no parameter: want for a delay of kind mixture parts":             delay(Delay{Kind: "mixture"}),
		"delay.parts[1].weight = 0: want a weight from 1e-09 to 1e+09":             delay(Delay{Kind: "mixture", Parts: []Part{{1, second}, {0, second}}}),
		"delay.parts[0].kind: want one of":                                         delay(Delay{Kind: "mixture", Parts: []Part{{1, Delay{}}}}),
		"burst = 0: want a whole number from 1":                                    &Churn{Delay: second},
		"cancel = 1: want a share below 1":                                         &CancelHold{Delay: second, Cancel: 1},
		"loss = 0.5: want a share below 0.5":                                       changed("tcp", func(m Model) { m.(*TCP).Loss = 0.5 }),
		"probes = 0: want a whole number from 1":                                   changed("tcp", func(m Model) { m.(*TCP).Probes = 0 }),
		"answer.kind: want one of":                                                 changed("sip", func(m Model) { m.(*SIP).Answer = Delay{} }),
		"period: want at least one period":                                         &Cron{},
		"period[0].every = -1s: want a positive":                                   &Cron{Periods: []Period{{-1e9, 1}}},
		"class: want at least one class of timers":                                 &Flow{},
		"class[0].rate = -5: want a number a second above 0":                       class(func(c *Class) { c.Rate = -5 }),
		"class[0].shares.cancel = 1.5: want a share, from 0 to 1":                  class(func(c *Class) { c.Shares = &Shares{Cancel: 1.5} }),
		"class[0].shares = cancel and reschedule of 1.2 together: want at most 1":  class(func(c *Class) { c.Shares = &Shares{Cancel: 0.6, Reschedule: 0.6} }),
		"class[0].shares = a table: want either completion or shares":              class(func(c *Class) { c.Shares, c.Completion = &Shares{}, &second }),
		"class[0].shares.periodic = 0.5: want no periodic timers where there is":   class(func(c *Class) { c.Rate, c.Shares = 1, &Shares{Periodic: 0.5} }),
		"class[0].population = 0.5: want a rate or a share of the population":      class(func(c *Class) { c.Rate, c.Population = 1, 0.5 }),
		"warm_up = 1h: want at most 1e+07 arrivals before the start":               &Flow{WarmUp: Duration(time.Hour), Classes: []Class{{Delay: second, Rate: 1e4}}},
		"class = populations that add up to 0.5: want shares that add up to 1":     class(func(c *Class) { c.Population = 0.5 }),
		"class[1].rate: want a rate, as other classes have one":                    &Flow{Classes: []Class{{Delay: second, Rate: 1}, {Delay: second}}},
		"class[1].population: want the share of the population":                    &Flow{Classes: []Class{{Delay: second, Population: 0.5}, {Delay: second}}},
	} {
		got := fmt.Sprint(CheckModel(m, time.Millisecond, nil))
		if !strings.HasPrefix(got, "["+want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// Of these each parameter is in its range, and what follows from them is not.
func TestFlowsWithoutASteadyStateAreRefused(t *testing.T) {
	t.Parallel()
	constant := func(mean time.Duration) Delay { return Delay{Kind: "constant", Mean: Duration(mean)} }
	logNormal := Delay{Kind: "lognormal", Median: Duration(time.Millisecond), UpperQuartile: Duration(145 * time.Millisecond)}
	for _, c := range []struct {
		name  string
		delay time.Duration
		flow  Flow
		want  bool
	}{
		{"completions that may take for ever", 300_000 * time.Hour, Flow{}, true},
		{"the same, started empty", 300_000 * time.Hour, Flow{WarmUp: Duration(time.Second)}, false},
		{"completions that are bounded by the delay", time.Second, Flow{}, false},
	} {
		c.flow.Classes = []Class{{Rate: 10, Delay: constant(c.delay), Completion: &logNormal}}
		errs := CheckModel(&c.flow, time.Millisecond, nil)
		if refused := len(errs) > 0; refused != c.want {
			t.Errorf("%s: errors %v", c.name, errs)
		} else if refused && errs[0].Key != "class[0].completion" {
			t.Errorf("%s: the error names %q", c.name, errs[0].Key)
		}
	}
	for _, weight := range []Weight{0, 1e-300, 1e308, Weight(math.Inf(1)), Weight(math.NaN())} {
		mixed := Hold{Delay: Delay{Kind: "mixture", Parts: []Part{{weight, constant(time.Second)}, {1, constant(time.Second)}}}}
		if errs := CheckModel(&mixed, time.Millisecond, nil); len(errs) != 1 || errs[0].Key != "delay.parts[0].weight" {
			t.Errorf("weight %g: errors %v", weight, errs)
		}
	}
}

func TestDurationsAreWrittenShortAndReadBack(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0s", "20ms", "1.5s", "10s", "2m", "1m30s", "1h", "1h0m10s", "10h", "1h30m", "75s"} {
		var d Duration
		if err := d.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		var again Duration
		if err := again.UnmarshalText([]byte(d.String())); err != nil || again != d || len(d.String()) > len(text)+2 {
			t.Errorf("%s is written %s and read as %v (%v)", text, d, again, err)
		}
	}
	var d Duration
	if err := d.UnmarshalText([]byte("5 apples")); err == nil || !strings.Contains(err.Error(), "100ms") {
		t.Errorf("5 apples is read as %v, error %v", d, err)
	}
}
