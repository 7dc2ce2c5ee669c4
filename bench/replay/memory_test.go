package replay

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/minheap"
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
		// Some structures declare room for a heap, in which no timer of this population is.
		if taken := m.AgedBytes; taken < 0.4*float64(e.MaxBytes) {
			t.Errorf("%s takes %.1f bytes a timer, and declares %d: too loose to find a leak", e.Name, taken, e.MaxBytes)
		}
	}
}

// cancelKeeper is a heap that stores the ID of every cancelled timer.
type cancelKeeper struct {
	*minheap.Heap[uint64]
	cancelled []structures.ID
}

func (h *cancelKeeper) Cancel(id structures.ID) bool {
	h.cancelled = append(h.cancelled, id)
	return h.Heap.Cancel(id)
}

func TestAStructureThatGrowsWithEachCancelFails(t *testing.T) {
	e, _ := catalog.Find("minheap")
	e.New = func() structures.Scheduler[uint64] { return &cancelKeeper{Heap: minheap.New[uint64]()} }
	var out results.Run
	err := Memory{N: 10_000, Replaced: 50_000, Seed: 1}.Run(context.Background(), []entry.Entry{e}, &out)
	if err != nil || len(out.Failures) != 1 || !strings.Contains(out.Failures[0].Reason, "bytes a timer after 50000") {
		t.Errorf("error %v, failures %v", err, out.Failures)
	}
}

// valueKeeper is a heap that keeps a reference to every value.
type valueKeeper struct {
	*minheap.Heap[*[64]byte]
	kept []*[64]byte
}

func (k *valueKeeper) Schedule(deadline structures.Tick, value *[64]byte) structures.ID {
	k.kept = append(k.kept, value)
	return k.Heap.Schedule(deadline, value)
}

func TestAStructureThatKeepsValuesFails(t *testing.T) {
	if err := checkReleases(&valueKeeper{Heap: minheap.New[*[64]byte]()}); err == nil {
		t.Error("a structure that keeps all values passes")
	}
}
