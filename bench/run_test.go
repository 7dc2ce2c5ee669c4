package bench

import (
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/minheap"
)

// tinyBlock is the number of operations of a timed block of a tinyRun.
const tinyBlock = 4000

// tinyRun returns a configuration that takes a fraction of a second.
func tinyRun(t *testing.T, structures, workloads []string) Config {
	t.Helper()
	profile, _ := FindProfile("smoke")
	profile.IdleTicks, profile.ProveOps = 3000, tinyBlock
	cfg := Config{Profile: profile, N: []int{50}, Trials: 2, Seed: 7}
	for _, name := range structures {
		e, ok := catalog.Find(name)
		if !ok {
			t.Fatalf("no structure %q", name)
		}
		cfg.Structures = append(cfg.Structures, e)
	}
	for _, name := range workloads {
		w, ok := workload.Find(name)
		if !ok {
			t.Fatalf("no workload %q", name)
		}
		w.Trial = tinyBlock
		cfg.Workloads = append(cfg.Workloads, w)
	}
	return cfg
}

// run runs without an error.
func run(t *testing.T, cfg Config) *results.Run {
	t.Helper()
	return runWith(t, cfg, Hooks{})
}

// runWith runs without an error.
func runWith(t *testing.T, cfg Config, h Hooks) *results.Run {
	t.Helper()
	r, err := Run(t.Context(), planOf(t, cfg), h)
	fail.If(t, err)
	return r
}

// measuringOf returns the only cell of a configuration as a run begins it, and its first step.
func measuringOf(t *testing.T, cfg Config) (*measuring, Step) {
	t.Helper()
	plan := planOf(t, cfg)
	return newRunner(plan, Hooks{}).measuring(plan.Steps[0].cell), plan.Steps[0]
}

// planOf plans without an error.
func planOf(t *testing.T, cfg Config) *Plan {
	t.Helper()
	plan, err := NewPlan(cfg)
	fail.If(t, err)
	return plan
}

// proofsHold verifies a run, all of whose proofs hold, and returns the number of rows.
func proofsHold(t *testing.T, cfg Config, r *results.Run) (rows int) {
	t.Helper()
	if err := VerifyRun(t.Context(), cfg, r, func(v Verified) {
		rows += v.Structures
		for _, f := range v.Failures {
			t.Error(f)
		}
	}); err != nil {
		t.Error(err)
	}
	return rows
}

// hooked is a heap that calls functions before its own; nil: none.
type hooked struct {
	*minheap.Heap[uint64]
	schedule func()
	pop      func(now structures.Tick)
}

func (h *hooked) Schedule(deadline structures.Tick, value uint64) structures.ID {
	if h.schedule != nil {
		h.schedule()
	}
	return h.Heap.Schedule(deadline, value)
}

func (h *hooked) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	if h.pop != nil {
		h.pop(now)
	}
	return h.Heap.Pop(now)
}

func TestARunHoldsEveryRowAndItsProof(t *testing.T) {
	cfg := tinyRun(t, []string{"quadheap", "hwheel"}, []string{"churn", "hold", "idle"})
	var steps []string
	h := Hooks{Progress: func(p Progress) { steps = append(steps, p.Name) }}
	idleCounts := 4 * len(cfg.Profile.IdleSizes) // of four shapes
	saved := 0
	h.Checkpoint = func(r *results.Run) error {
		saved++
		if r.Complete != (saved == len(steps)+1 && len(r.IdleTicks) == idleCounts) {
			t.Errorf("after %d steps, with %d idle counts, Complete is %v", saved, len(r.IdleTicks), r.Complete)
		}
		return nil
	}
	r := runWith(t, cfg, h)
	wantRows := map[string][]string{ // the cells repeat structures in turns
		"churn": {"null", "quadheap", "hwheel", "hwheel-control"},
		"hold":  {"null", "quadheap", "hwheel", "quadheap-control"},
		"idle":  {"null", "quadheap", "hwheel", "hwheel-control"},
	}
	if len(r.Cells) != 3 || saved != len(steps) || steps[len(steps)-1] != "" {
		t.Fatalf("%d cells, %d checkpoints, steps %q", len(r.Cells), saved, steps)
	}
	for _, c := range r.Cells {
		var names []string
		for _, row := range c.Rows {
			names = append(names, row.Structure)
			if t0 := row.Cost[0]; t0.Ops+t0.Wakes < tinyBlock || t0.Ops+t0.Wakes > tinyBlock+200 {
				t.Errorf("%s, %s: a trial of %d operations, want one block", c.Workload, row.Structure, t0.Ops+t0.Wakes)
			}
			if len(row.Cost) != 2 || len(row.ByKind) != 2 || len(row.Latency) == 0 {
				t.Errorf("%s, %s: %d cost trials, %d by kind, %d distributions", c.Workload, row.Structure, len(row.Cost), len(row.ByKind), len(row.Latency))
			}
			if row.Proof != c.Rows[0].Proof || row.Proof.Scheduled == 0 {
				t.Errorf("%s: %s has proof %+v, the floor %+v", c.Workload, row.Structure, row.Proof, c.Rows[0].Proof)
			}
		}
		if !slices.Equal(names, wantRows[c.Workload]) {
			t.Errorf("%s: rows %q, want %q", c.Workload, names, wantRows[c.Workload])
		}
	}
}

func TestAChoiceThatHoldsNothingIsAnError(t *testing.T) {
	cfg := tinyRun(t, []string{"list"}, []string{"hold"})
	cfg.N = []int{1_000_000}
	if _, err := NewPlan(cfg); err == nil {
		t.Error("a list runs with a million timers")
	}
}

func TestARunWithACoarseStructureCompletes(t *testing.T) {
	cfg := tinyRun(t, []string{"minheap", "hwheel-linux"}, []string{"hold", "grid-uniform-50"})
	r := run(t, cfg)
	cfg.Structures[1].MaxLate = func(structures.Tick) structures.Tick { return 1 }
	if _, err := Run(t.Context(), planOf(t, cfg), Hooks{}); err == nil || !strings.Contains(err.Error(), "hwheel-linux") {
		t.Errorf("beyond its bound: error %v", err)
	}
	if err := r.Validate(); err != nil {
		t.Error(err)
	}
}
