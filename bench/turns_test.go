package bench

import (
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

func TestARunInTurnsMeasuresWhatBuildsAreComparedBy(t *testing.T) {
	cfg := tinyRun(t, []string{"quadheap", "hwheel"}, []string{"mixed", "idle"})
	cfg.Trials = 4
	cfg.Workloads[0].Trial, cfg.Workloads[1].Trial = 0, 0
	taken := 0
	cfg.Rounds = 10
	r := runWith(t, cfg, Hooks{Turn: func() error { taken++; return nil }})
	if err := r.Validate(); err != nil {
		t.Error(err)
	}
	const rounds = 12 // of three passes
	if want := 2 * 3 * rounds; taken != want {
		t.Errorf("%d turns, want %d: one for each round of two structures and the floor in two cells", taken, want)
	}
	if len(r.IdleTicks)+len(r.Memory) > 0 {
		t.Error("it made the analyses of idle ticks and memory")
	}
	for _, c := range r.Cells {
		if len(c.Rows) != 3 {
			t.Errorf("%s has %d rows, want the floor and two structures", c.Workload, len(c.Rows))
		}
		for _, row := range c.Rows {
			wantRepeated(t, row, rounds, cfg.Trials)
			if len(row.Latency)+len(row.ByKind) > 0 {
				t.Errorf("%s: %d latencies, %d trials by kind", row.Structure, len(row.Latency), len(row.ByKind))
			}
		}
	}
}

// wantRepeated checks that the operations of a round are the same after the given number of rounds, and
// not before.
func wantRepeated(t *testing.T, row results.Row, rounds, after int) {
	t.Helper()
	if len(row.Cost) != rounds {
		t.Fatalf("%s has %d rounds, want %d", row.Structure, len(row.Cost), rounds)
	}
	same := func(a, b results.Trial) bool { return a.Ops == b.Ops && a.Wakes == b.Wakes && a.Units == b.Units }
	differ := false
	for i, trial := range row.Cost[after:] {
		if !same(trial, row.Cost[i]) || trial.Round != i+after || trial.Instance != row.Cost[i].Instance+1 {
			t.Errorf("%s: round %d is %+v, round %d was %+v", row.Structure, i+after, trial, i, row.Cost[i])
		}
		differ = differ || !same(trial, row.Cost[i+after-1])
	}
	if !differ && row.Role == results.RoleStructure {
		t.Errorf("%s: all rounds have the same operations", row.Structure)
	}
}
