package replay

import (
	"context"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

func TestEveryStructureTakesTheMemoryThatItDeclares(t *testing.T) {
	c := Memory{N: longtest.Scale(t, 25_000, 25_000, 1_000_000), Replaced: longtest.Scale(t, 50_000, 50_000, 1<<20), Seed: 1}
	entries := slices.DeleteFunc(catalog.All(), func(e entry.Entry) bool { return e.Limit > 0 && c.N > e.Limit })
	var out results.Run
	if err := c.Run(context.Background(), entries, &out); err != nil || len(out.Memory)+len(out.Failures) != len(entries) {
		t.Fatalf("%d structures measured, error %v", len(out.Memory), err)
	}
	for _, f := range out.Failures {
		t.Error(f)
	}
	for _, m := range out.Memory {
		e, _ := catalog.Find(m.Structure)
		if e.MaxBytes == 0 {
			t.Errorf("%s declares no MaxBytes", e.Name)
		}
		// Arrays whose size does not depend on the number of timers come on top. Some structures declare room for a heap, in
		// which no timer of this population is.
		fixed := max(m.EmptyBytes, 256<<10) / float64(m.N)
		if taken, declared := m.AgedBytes, float64(e.MaxBytes); taken-fixed > declared || taken < 0.4*declared {
			t.Errorf("%s takes %.1f bytes a timer, and declares %d", e.Name, taken, e.MaxBytes)
		}
	}
}
