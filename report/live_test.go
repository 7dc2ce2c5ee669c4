package report

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// liveFixture adds timers under a real clock to results, or makes results of them alone.
func liveFixture(r *results.Run, goroutines ...int) *results.Run {
	l := &results.Live{Rounds: 2, Goroutines: goroutines, Rate: 1000, IdleTimers: 1000}
	row := func(name string, role results.Role, structure string, resident int, speed float64) {
		out := results.LiveRow{Name: name, Role: role, Structure: structure, Driver: results.Tickless, Resident: resident, StopNS: 4e6}
		if resident < 10_000 {
			out.MoveNS = 5e6
		}
		for round := range l.Rounds {
			for _, op := range results.Ops {
				for _, g := range goroutines {
					out.Throughput = append(out.Throughput, results.LiveThroughput{
						Turn: round, Op: op, Goroutines: g, Ops: 1000, NS: 1e6 / speed / float64(g+round), Dead: 1000, Due: 990,
					})
					if t := &out.Throughput[len(out.Throughput)-1]; op.Moves() && resident > 10_000 {
						t.Due = 0
					}
				}
			}
			out.Lateness = append(out.Lateness, results.LiveLateness{
				Round: round, Rate: 1000, Timers: 2000, P50: 5e5, P90: 9e5, P99: 1e6, P999: 2e6, Max: 5e6, Use: results.LiveUse{Seconds: 1},
			})
			out.Idle = append(out.Idle, results.LiveUse{Seconds: 1, CPUSeconds: 0.001, Wakeups: 3})
			out.Memory = append(out.Memory, results.LiveMemory{Form: "afterfunc", Bytes: 100, CollectNS: 1e6})
		}
		l.Rows = append(l.Rows, out)
	}
	for _, n := range []int{1000, 100_000} {
		row("time", results.RoleBaseline, "", n, 1)
		row("hwheel tickless", results.RoleStructure, "hwheel", n, 3)
		row("hwheel tickless, shards 1", results.RoleStructure, "hwheel", n, 2)
		row("some_body's *timers*", results.RolePeer, "", n, 0.5)
	}
	r.Live = l
	return r
}

func TestThePageShowsLiveTimers(t *testing.T) {
	run, without := fixture{structures: six, workloads: workloads[:1], sizes: []int{100}, trials: 6}.results(), "take part in no workload. `timerbench live --into FOLDER`"
	if page := pageOf(t, run); !strings.Contains(page, without) {
		t.Errorf("without a measurement under the real clock the page says nothing of it")
	}
	run = liveFixture(fixture{structures: six, workloads: workloads[:1], sizes: []int{100}, trials: 6}.results(), 1, 2, 4)
	alone := liveFixture(&results.Run{Format: results.Format, Version: results.Version, Complete: true}, 1, 2)
	for what, r := range map[string]*results.Run{"beside workloads": run, "alone": alone} {
		v := viewOf(r, testKnowledge(six))
		page := markdownOf(t, v)
		for _, want := range []string{
			"## How do timers do under a real clock?",
			"Throughput with 2 goroutines among 100,000 timers",
			"Contention: million a second among 1,000 timers",
			"Memory of 100,000 timers",
			`some\_body's \*timers\*`,
			"(3.0)",
			"## What do Go's own timers cost?", "**another measurement, under the real clock**",
			"Processor time of an operation with 1 goroutine among 1,000 timers", "| hwheel tickless | 250 (0.33) |",
			"among 1,000 timers 99 % of the stopped timers and 99 % of the moved ones, which are due after 5 ms",
			"among 100,000 timers 99 % of the stopped timers and 0 % of the moved ones, which are due after minutes, so nobody pays for them: not a steady state",
		} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %q in\n%s", what, want, page)
			}
		}
		if strings.Contains(page, "No workload has a measured cost") {
			t.Errorf("%s: it says that nothing was measured", what)
		}
	}
}
