package tracestat

import (
	"fmt"
	"testing"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/trace"
)

// A rule finds its pattern at its thresholds, and not where one figure is beyond its own.
func TestTheThresholdsOfTheRules(t *testing.T) {
	const tick, seconds = time.Millisecond, 10
	delay := func(p50, p99 time.Duration) Delays { return Delays{P50: float64(p50), P99: float64(p99)} }
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
		"moved on and on": {[]Site{{Timers: 1000, Later: 1000}}, []Site{{Timers: 10, Later: 999}, {Timers: 1001, Later: 1000}}},
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
		"due in a year or later": {[]Site{{Timers: 10, Delays: delay(8192*time.Hour, 0)}}, []Site{{Timers: 9, Delays: delay(8192*time.Hour, 0)}, {Timers: 10, Delays: delay(8191*time.Hour, 0)}}},
	} {
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
}
