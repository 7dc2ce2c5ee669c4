package scenario_test

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/bench/workload/scenario"
	"github.com/timerbench/timerbench/internal/fail"
)

// Each parameter has a range, and groups of them fit together.
func TestParametersOutOfRangeAreNamed(t *testing.T) {
	changed := func(name, old, new string) string {
		w, _ := workload.Find(name)
		text, err := scenario.Print(w)
		if err != nil || !strings.Contains(string(text), old) {
			t.Fatalf("%s has no %q: %v", name, old, err)
		}
		return strings.Replace(string(text), old, new, 1)
	}
	model := func(name, parameters string) string {
		return "name = 'x'\ntick = '1ms'\nmodel = '" + name + "'\n[parameters]\n" + parameters
	}
	delay := func(d string) string { return model("hold", "delay = {"+d+"}") }
	class := func(c string) string {
		return model("flow", "class = [{delay = {kind = 'constant', mean = '1s'}, "+c+"}]")
	}
	for want, text := range map[string]string{
		"delay = no parameter: want for a delay of kind exponential mean":          delay("kind = 'exponential'"),
		"delay = mean and high: want for a delay of kind uniform mean, or low":     delay("kind = 'uniform', mean = '1s', high = '1s'"),
		"delay.mean = 499µs: want at least half a tick: timers count ticks of 1ms": delay("kind = 'constant', mean = '499us'"),
		"delay.mean = 2000000h: want at most 2^40 ticks of 1ms: a longer tick":     delay("kind = 'constant', mean = '2000000h'"),
		"delay.high = 1s: want more than low, which is 2s":                         delay("kind = 'uniform', low = '2s', high = '1s'"),
		"delay.upper_quartile = 1s: want more than the median, which is 1s":        delay("kind = 'lognormal', median = '1s', upper_quartile = '1s'"),
		"delay = no parameter: want for a delay of kind mixture parts":             delay("kind = 'mixture'"),
		"delay.parts[0].weight = 0: want a weight from 1e-09 to 1e+09":             delay("kind = 'mixture', parts = [{weight = 0, kind = 'constant', mean = '1s'}]"),
		"delay.parts[0].weight = NaN: want a weight":                               delay("kind = 'mixture', parts = [{weight = nan, kind = 'constant', mean = '1s'}]"),
		"delay.parts[0].weight = 1e+308: want a weight":                            delay("kind = 'mixture', parts = [{weight = 1e308, kind = 'constant', mean = '1s'}]"),
		"delay.parts[0].kind: want one of":                                         delay("kind = 'mixture', parts = [{weight = 1}]"),
		"burst = 0: want a whole number from 1":                                    model("churn", "burst = 0\ndelay = {kind = 'constant', mean = '1s'}"),
		"cancel = 1: want a share below 1":                                         model("cancel-hold", "cancel = 1\ndelay = {kind = 'constant', mean = '1s'}"),
		"loss = 0.5: want a share below 0.5":                                       changed("tcp", "loss = 0.003", "loss = 0.5"),
		"probes = 0: want a whole number from 1":                                   changed("tcp", "probes = 9", "probes = 0"),
		"spread = 1h: want at most the period, which is 1m5.536s":                  changed("avalanche-slot", "spread = '256ms'", "spread = '1h'"),
		"period: want at least one period":                                         model("cron", ""),
		"period[0].every = -1s: want a positive":                                   model("cron", "period = [{every = '-1s', weight = 1}]"),
		"class: want at least one class of timers":                                 model("flow", ""),
		"class[0].shares = a table: want either completion or shares":              class("shares = {}, completion = {kind = 'constant', mean = '1s'}"),
		"class[0].shares.periodic = 0.5: want no periodic timers where there is":   class("rate = 1, shares = {periodic = 0.5}"),
		"class[0].population = 0.5: want a rate or a share of the population":      class("rate = 1, population = 0.5"),
		"class = populations that add up to 0.5: want shares that add up to 1":     class("population = 0.5"),
		"warm_up = 1h: want at most 1e+07 arrivals before the start":               "name = 'x'\ntick = '1ms'\nmodel = 'flow'\n[parameters]\nwarm_up = '1h'\nclass = [{rate = 10000, delay = {kind = 'constant', mean = '1s'}}]",
		"class[0].population: want the share of the population":                    model("flow", "class = [{delay = {kind = 'constant', mean = '1s'}}, {delay = {kind = 'constant', mean = '1s'}}]"),
	} {
		_, err := scenario.Parse("x", []byte(text))
		fail.UnlessError(t, err, ": parameters."+want)
	}
}
