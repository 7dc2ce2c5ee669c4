package bench

import (
	"testing"

	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/minheap"
)

// faulty is a correct heap with one fault, at every hundredth call.
type faulty struct {
	*minheap.Heap[uint64]
	fault string
	calls int
}

func (f *faulty) has(fault string) bool {
	if f.fault != fault {
		return false
	}
	f.calls++
	return f.calls%100 == 0
}

func (f *faulty) Schedule(deadline structures.Tick, value uint64) structures.ID {
	if f.has("fires a tick late") {
		deadline++
	}
	return f.Heap.Schedule(deadline, value)
}

func (f *faulty) Cancel(id structures.ID) bool {
	if f.has("panics") {
		panic("on purpose")
	}
	return f.Heap.Cancel(id) && !f.has("refuses a cancel") || f.fault == "grants a stale cancel"
}

func (f *faulty) Pop(now structures.Tick) (t structures.Timer[uint64], ok bool) {
	if f.has("fires at a later wake-up") {
		return t, false
	}
	return f.Heap.Pop(now)
}

func faultyEntry(fault string) entry.Entry {
	return entry.Entry{Name: "faulty", New: func() structures.Scheduler[uint64] {
		return &faulty{Heap: minheap.New[uint64](), fault: fault}
	}}
}

func TestAStructureThatFailsCostsOnlyItsOwnRow(t *testing.T) {
	cfg := tinyRun(t, []string{"quadheap"}, []string{"churn", "idle"})
	panicking := faultyEntry("panics")
	panicking.Name = "panicking"
	cfg.Structures = append(cfg.Structures, faultyEntry("refuses a cancel"), panicking)
	r, err := Run(t.Context(), planOf(t, cfg), Hooks{})
	fail.UnlessError(t, err, "faulty", "churn", "seed 7", "refused", "panicking", "it panics: on purpose")
	if !r.Complete || len(r.Cells) != 2 || len(r.Failures) < 2 {
		t.Fatalf("complete %v with %d cells and %d failures, want all cells", r.Complete, len(r.Cells), len(r.Failures))
	}
	for _, name := range []string{"faulty", "panicking"} {
		if r.Cells[0].Row(name) != nil {
			t.Errorf("%s has a row on churn in spite of its failure", name)
		}
	}
	if names := len(r.Cells[0].Rows); names < 2 { // floor and quadheap; the control may repeat a structure that fails
		t.Errorf("%d rows on churn, want the floor and quadheap", names)
	}
}
