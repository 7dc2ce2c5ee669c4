package bench

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
)

func proofOf(t *testing.T, cfg Config, seeds int) *Plan {
	t.Helper()
	plan, err := NewProof(cfg, seeds)
	fail.If(t, err)
	return plan
}

func TestVerifyFindsAFaultOnAnySeed(t *testing.T) {
	cfg := tinyRun(t, []string{"minheap", "hwheel-linux"}, []string{"hold", "churn"})
	var all []Verified
	fail.If(t, Verify(t.Context(), proofOf(t, cfg, 2), func(v Verified) { all = append(all, v) }))
	if len(all) < 2 {
		t.Fatalf("%d cells", len(all))
	}
	for _, v := range all {
		if v.Structures != 2 || v.Seeds != 2 || v.Operations < 1000 || len(v.Failures) > 0 {
			t.Errorf("%+v", v)
		}
	}
	cfg.Structures = append(cfg.Structures, faultyEntry("fires a tick late"))
	failed := 0
	if err := Verify(t.Context(), proofOf(t, cfg, 1), func(v Verified) {
		for _, f := range v.Failures {
			failed++
			fail.UnlessSame(t, "the structure that fails", f.Structure, "faulty")
		}
	}); err != nil || failed == 0 {
		t.Errorf("%v, %d failures of a faulty structure", err, failed)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Verify(ctx, proofOf(t, cfg, 1), func(Verified) { t.Error("a cell of a cancelled run") }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestARunWithABudgetCanBeReplayed(t *testing.T) {
	cfg := tinyRun(t, []string{"quadheap", "hwheel-linux"}, []string{"hold", "fill-drain"})
	cfg.Traces = []*Trace{madeTrace(t, "churn", 100, 20_000)}
	cfg.N, cfg.Budget.Limit = []int{100}, 2*time.Second
	r, cells := run(t, cfg), 0
	cfg.N = nil // all sizes of the run
	verify := func() error {
		return VerifyRun(t.Context(), cfg, r, func(v Verified) {
			if cells++; len(v.Failures) > 0 {
				t.Errorf("%s: %v", v.Workload, v.Failures)
			}
		})
	}
	if err := verify(); err != nil || cells == 0 || cells != len(r.Cells) {
		t.Errorf("%d cells of %d, %v", cells, len(r.Cells), err)
	}
}

// Every proof of a run is that of its replay; a proof that was changed is found.
func TestVerifyRunReplaysWhatTheRunReplayed(t *testing.T) {
	cfg := tinyRun(t, []string{"quadheap", "hwheel-linux"}, []string{"hold", "reschedule", "kafka-purgatory", "avalanche-slot", "fill-drain"})
	cfg.Trials = 5
	r := run(t, cfg)
	verify := func() (cells int, failed []results.Failure) {
		t.Helper()
		fail.If(t, VerifyRun(t.Context(), cfg, r, func(v Verified) {
			cells++
			failed = append(failed, v.Failures...)
		}))
		return cells, failed
	}
	if cells, failed := verify(); cells != 5 || len(r.Cells) != 4 || len(failed) > 0 {
		t.Fatalf("%d cells of %d, failures %v", cells, len(r.Cells), failed)
	}
	var changed []string
	change := func(name string, p *script.Proof) {
		p.Checksum++
		changed = append(changed, name)
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		for j := range c.Rows {
			change(c.Rows[j].Structure, &c.Rows[j].Proof)
		}
	}
	for i := range r.Calls {
		change(r.Calls[i].Structure, &r.Calls[i].Proof)
	}
	_, failed := verify()
	var found []string
	for _, f := range failed {
		found = append(found, f.Structure)
	}
	if len(changed) < 15 {
		t.Errorf("%d proofs in the results", len(changed))
	}
	slices.Sort(changed)
	slices.Sort(found)
	r.Cells[0].Definition++
	redefined := 0
	if err := VerifyRun(t.Context(), cfg, r, func(v Verified) {
		if v.Redefined {
			redefined++
		}
	}); err != nil || redefined != 1 {
		t.Errorf("%d cells of another definition, error %v", redefined, err)
	}
	cfg.Workloads = slices.DeleteFunc(cfg.Workloads, func(w workload.Workload) bool { return w.Kind().SingleCalls })
	plan := planOf(t, cfg)
	r.Parameters = plan.Parameters
	fail.UnlessError(t, plan.CheckResume(r), "have changed: definition was 2, is 1 now")
	if !slices.Equal(found, changed) || !slices.Contains(found, "hwheel-linux") {
		t.Errorf("found %q of the changed %q", found, changed)
	}
}
