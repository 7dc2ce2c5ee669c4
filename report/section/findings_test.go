package section

import (
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/report/answer"
)

// The titles of the two pictures are their findings: other data, other titles.
func TestTheTitleOfLatencyIsItsFinding(t *testing.T) {
	call := func(name string, kind script.Kind, n int, p99 float64) callTail {
		return callTail{answer.RowName{Name: name}, kind, "uniform", n, results.Latency{P99: p99}}
	}
	small := call("minheap", script.KindFire, 100, 9000) // a smaller size does not count
	for _, test := range []struct {
		tails []callTail
		want  string
	}{
		{[]callTail{small, call("wheel", script.KindFire, 1e6, 6000), call("wheel", script.KindCancel, 1e6, 90), call("minheap", script.KindCancel, 1e6, 700),
			call("minheap", script.KindFire, 1e6, 900), call("skiplist", script.KindFire, 1e6, 4000), call("quadheap", script.KindFire, 1e6, 800)},
			"At the 99th percentile among 1,000,000 timers, firing takes 6 µs in wheel; no call of minheap or quadheap takes more than 900 ns"},
		{[]callTail{call("skiplist", script.KindSchedule, 1000, 300), call("wheel", script.KindFire, 1000, 200)},
			"At the 99th percentile among 1,000 timers, a schedule takes 300 ns in skiplist"},
	} {
		if got := latencyFinding(test.tails); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestTheTitleOfIdleTicksIsItsFinding(t *testing.T) {
	count := func(shape results.Shape, n int, idle uint64, ns ...float64) results.IdleTicks {
		i := results.IdleTicks{Shape: shape, N: n, Ticks: 10_000, Idle: idle, Fired: 100}
		for at, of := range ns {
			i.Structures = append(i.Structures, results.IdleTickOf{Structure: []string{"minheap", "wheel", "quadheap-lazy"}[at], NS: of})
		}
		return i
	}
	for _, test := range []struct {
		counts []results.IdleTicks
		want   string
	}{
		{[]results.IdleTicks{count(results.Uniform, 10, 9990, 1, 1), count(results.Uniform, 1000, 9670, 3, 4, 9), count(results.Clustered, 1000, 9672),
			count(results.RoundTimes, 1000, 9999), count(results.Uniform, 100_000, 300, 6, 30)},
			"Among 1,000 timers nothing fires on 96.7 % of the ticks, with uniform and clustered delays alike, and on all but 0.01 % with deadlines on round times; such a tick costs 3 ns to 4 ns"},
		{[]results.IdleTicks{count(results.Uniform, 100, 9000), count(results.Clustered, 100, 5000)},
			"Among 100 timers nothing fires on 90 % of the ticks with uniform delays, on 50 % with clustered ones"},
	} {
		if got := idleFinding(test.counts); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
