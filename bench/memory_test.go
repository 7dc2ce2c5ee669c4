package bench

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/minheap"
)

func TestEveryStructureTakesTheMemoryThatItDeclares(t *testing.T) {
	c := memoryCase{n: longtest.Scale(t, 50_000, 50_000, 1_000_000), replaced: longtest.Scale(t, 100_000, 200_000, 1<<20), seed: 1}
	entries := slices.DeleteFunc(catalog.All(), func(e catalog.Entry) bool { return e.Limit > 0 && c.n > e.Limit })
	measured, failed, err := c.run(context.Background(), entries)
	if err != nil || len(measured)+len(failed) != len(entries) {
		t.Fatalf("%d structures measured, error %v", len(measured), err)
	}
	for _, f := range failed {
		t.Error(f)
	}
	for _, m := range measured {
		e, _ := catalog.Find(m.Structure)
		if e.MaxBytes == 0 {
			t.Errorf("%s declares no MaxBytes", e.Name)
		}
		// Some structures declare room for a heap, in which no timer of this population is.
		if taken := variableBytes(m); taken < 0.4*float64(e.MaxBytes) {
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
	_, failed, err := memoryCase{n: 10_000, replaced: 50_000, seed: 1}.run(context.Background(), []catalog.Entry{e})
	if err != nil || len(failed) != 1 || !strings.Contains(failed[0].Reason, "bytes a timer after 50000") {
		t.Errorf("error %v, failures %v", err, failed)
	}
}

// allocating allocates once in a thousand calls.
type allocating struct {
	*minheap.Heap[uint64]
	calls int
	last  *[64]byte
}

func (l *allocating) Schedule(deadline structures.Tick, value uint64) structures.ID {
	if l.calls++; l.calls%1000 == 0 {
		l.last = new([64]byte)
	}
	return l.Heap.Schedule(deadline, value)
}

func TestAStructureThatAllocatesMustDeclareIt(t *testing.T) {
	for _, declared := range []bool{true, false} {
		cfg := tinyRun(t, nil, []string{"churn"})
		cfg.Structures = []catalog.Entry{{
			Name: "leaking", Allocates: declared,
			New: func() structures.Scheduler[uint64] { return &allocating{Heap: minheap.New[uint64]()} },
		}}
		_, err := Run(context.Background(), cfg)
		if refused := err != nil && strings.Contains(err.Error(), "allocations"); refused == declared {
			t.Errorf("declared %t: error %v", declared, err)
		}
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
	for _, e := range catalog.All() {
		if err := checkReleases(e.Name); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
	if err := checkReleasesOf(&valueKeeper{Heap: minheap.New[*[64]byte]()}); err == nil {
		t.Error("a structure that keeps all values passes")
	}
}
