package bench

import (
	"context"
	"errors"
	"testing"
)

func TestVerifyFindsAFaultOnAnySeed(t *testing.T) {
	cfg := tinyRun(t, []string{"minheap", "hwheel-linux"}, []string{"hold", "churn"})
	var all []Verified
	if err := Verify(t.Context(), cfg, 2, func(v Verified) { all = append(all, v) }); err != nil {
		t.Fatal(err)
	}
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
	if err := Verify(t.Context(), cfg, 1, func(v Verified) {
		for _, f := range v.Failures {
			failed++
			if f.Structure != "faulty" {
				t.Errorf("%+v", f)
			}
		}
	}); err != nil || failed == 0 {
		t.Errorf("%v, %d failures of a faulty structure", err, failed)
	}
	if f := VerifyReleases(cfg.Structures); len(f) > 0 {
		t.Errorf("%v", f)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Verify(ctx, cfg, 1, func(Verified) { t.Error("a cell of a cancelled run") }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
