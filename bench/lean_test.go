package bench

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/minheap"
)

// tinyLeanRun is a run of lean loops among few timers.
func tinyLeanRun(t *testing.T, structures, workloads []string) Config {
	cfg := tinyRun(t, structures, workloads)
	cfg.Profile, _ = FindProfile("lean")
	cfg.N = []int{500}
	for i := range cfg.Workloads {
		cfg.Workloads[i].Trial = 20_000
	}
	return cfg
}

func TestALeanRunHasItsReferencesAndTheLongestCalls(t *testing.T) {
	cfg := tinyLeanRun(t, []string{"minheap", "hwheel-linux"}, []string{"start-stop", "hold", "fill-drain", "cancel-hold-50"})
	r := run(t, cfg)
	if !r.Parameters.Lean || len(r.Cells) != 3 {
		t.Fatalf("lean %t, %d cells, want 3", r.Parameters.Lean, len(r.Cells))
	}
	for _, c := range r.Cells {
		var names []string
		for _, row := range c.Rows {
			names = append(names, row.Structure)
			if len(row.Cost) != cfg.Trials || len(row.ByKind)+len(row.Latency) > 0 {
				t.Errorf("%s on %s: %d trials, %d by kind", row.Structure, c.Workload, len(row.Cost), len(row.ByKind))
			}
			if row.Role == results.RoleStructure && row.Proof.Scheduled == 0 {
				t.Errorf("%s on %s has no proof", row.Structure, c.Workload)
			}
		}
		w, _ := workload.Find(c.Workload)
		if beside := slices.Contains(names, StubName) && slices.Contains(names, BaselineName); beside != w.Kind().NothingFires {
			t.Errorf("%s is measured on %q", c.Workload, names)
		}
	}
	var memory []string
	for _, m := range r.Memory {
		if memory = append(memory, m.Structure); m.N != 500 || m.Bytes < 8 || m.AgedBytes < 8 || m.Replaced == 0 {
			t.Errorf("memory %+v", m)
		}
	}
	if want := []string{"minheap", "hwheel-linux", BaselineName}; !slices.Equal(memory, want) {
		t.Errorf("the memory of %q is measured, want %q", memory, want)
	}
	if !slices.ContainsFunc(r.Calls, func(c results.Calls) bool { return c.Workload == "cancel-hold-50" }) {
		t.Error("the calls of cancel-hold-50 are not timed")
	}
}

// forgetful has a fault after the proved block: it refuses to say
// that it has cancelled or moved a timer, or it loses one.
type forgetful struct {
	structures.Scheduler[uint64]
	fault string
	calls int
}

func (f *forgetful) faulty(fault string) bool {
	f.calls++
	return f.fault == fault && f.calls > 22_000
}

func (f *forgetful) Cancel(id structures.ID) bool {
	return f.Scheduler.Cancel(id) && !f.faulty("cancel")
}

func (f *forgetful) Reschedule(id structures.ID, at structures.Tick) bool {
	return f.Scheduler.Reschedule(id, at) && !f.faulty("reschedule")
}

func (f *forgetful) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	t, ok := f.Scheduler.Pop(now)
	if ok && f.faulty("fire") {
		return f.Scheduler.Pop(now)
	}
	return t, ok
}

func TestAWrongCountInALeanLoopIsNoticed(t *testing.T) {
	for _, c := range []struct{ workload, fault string }{
		{"start-stop", "cancel"}, {"churn", "cancel"}, {"reschedule", "reschedule"}, {"hold", "fire"}, {"fill-drain", "fire"},
	} {
		cfg := tinyLeanRun(t, nil, []string{c.workload})
		cfg.Profile.proveOps, cfg.Trials = 20_000, 6
		cfg.Structures = []entry.Entry{{Name: "forgetful", New: func() structures.Scheduler[uint64] {
			return &forgetful{Scheduler: minheap.New[uint64](), fault: c.fault}
		}}}
		r, err := Run(context.Background(), cfg)
		if err == nil || len(r.Failures) == 0 || !strings.HasPrefix(r.Failures[0].Where, c.workload+", n 500") {
			t.Errorf("%s, wrong to %s: %v, want an error that names the workload", c.workload, c.fault, err)
		}
	}
}

// Where the memory does not hold all structures of a cell, each is measured alone, lean or not.
func TestStructuresThatDoNotFitTogetherAreMeasuredApart(t *testing.T) {
	lean := tinyLeanRun(t, []string{"minheap", "hwheel"}, []string{"churn"})
	for name, c := range map[string]struct {
		cfg  Config
		want []string
	}{
		"lean": {lean, []string{FloorName, StubName, BaselineName, "minheap", "hwheel"}},
		"smoke": {tinyRun(t, []string{"minheap", "hwheel", "hwheel-linux"}, []string{"churn"}),
			[]string{FloorName, BaselineName, "minheap", "hwheel", "hwheel-linux"}},
		"budget": {tinyRun(t, []string{"minheap", "hwheel"}, []string{"churn"}), []string{FloorName, BaselineName, "minheap", "hwheel"}},
	} {
		cfg := c.cfg
		if name == "budget" {
			cfg.Budget = time.Minute
		}
		step := func() Step {
			plan, err := NewPlan(cfg)
			if err != nil {
				t.Fatal(err)
			}
			return plan.Steps[0]
		}
		together := step()
		cfg.Memory = together.Bytes - 1
		if apart := step(); together.cell.apart || !apart.cell.apart || apart.Bytes >= together.Bytes {
			t.Fatalf("%s: %+v and %+v", name, together, apart)
		}
		r := run(t, cfg)
		var names []string
		for _, row := range r.Cells[0].Rows {
			if names = append(names, row.Structure); !row.Coarse && row.Proof != r.Cells[0].Rows[0].Proof || len(row.Cost) == 0 || len(row.WithGC) > 0 {
				t.Errorf("%s: %+v", name, row)
			}
		}
		if !r.Cells[0].Apart || !slices.Equal(names, c.want) {
			t.Errorf("%s: apart %t, rows %q, want %q", name, r.Cells[0].Apart, names, c.want)
		}
	}
}
