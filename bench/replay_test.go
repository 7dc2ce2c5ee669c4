package bench

import (
	"context"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/internal/gotimer"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/minheap"
)

// testN is the size at which tests run a workload that takes any.
const testN = 500

// testSize returns the size at which tests run a workload: the larger ones scaled
// down.
func testSize(w workload.Workload) int {
	if w.Resident > 0 {
		return min(w.Resident, 10_000)
	}
	return testN
}

// blocksOf returns the fill of a workload and nine blocks of it.
func blocksOf(w workload.Workload, seed uint64) []*script.Block {
	sc := w.Script(testSize(w), seed)
	blocks := []*script.Block{sc.Fill()}
	for range 9 {
		blocks = append(blocks, sc.Next(2000, nil))
	}
	return blocks
}

// allReplays replays a workload in every way there is and returns the first
// failure of the proof.
func allReplays(s structures.Scheduler[uint64], maxLate func(structures.Tick) structures.Tick, blocks []*script.Block) error {
	r, samples := newReplayer(s, maxLate), newLatencies()
	for i, b := range blocks {
		switch i % 3 {
		case 0:
			r.whole(b)
		case 1:
			r.byKind(b, Clock{})
		case 2:
			r.sampled(b, samples)
		}
		if _, err := r.check(b); err != nil {
			return err
		}
	}
	return nil
}

func TestEveryStructureAgreesWithTheGenerator(t *testing.T) {
	for _, w := range workload.All() {
		for seed := range uint64(3) {
			blocks := blocksOf(w, seed)
			for _, e := range catalog.All() {
				if err := allReplays(e.New(), e.MaxLate, blocks); err != nil {
					t.Errorf("%s on %s, seed %d: %v", e.Name, w.Name, seed, err)
				}
			}
			if err := allReplays(&null{}, nil, blocks); err != nil {
				t.Errorf("the floor on %s, seed %d: %v", w.Name, seed, err)
			}
			if workload.KindOf(w.Model).NothingFires {
				g := gotimer.New()
				if err := allReplays(g, nil, blocks); err != nil {
					t.Errorf("the baseline on %s, seed %d: %v", w.Name, seed, err)
				}
				g.Stop()
			}
		}
	}
}

// faulty is a sound heap with one fault, which the proof has to find.
type faulty struct {
	*minheap.Heap[uint64]
	fault string
	calls int
	last  structures.Timer[uint64]
}

func (f *faulty) strike() bool { f.calls++; return f.calls%100 == 0 }

func (f *faulty) Schedule(deadline structures.Tick, value uint64) structures.ID {
	switch {
	case f.fault == "loses a timer" && f.strike():
		return 0
	case f.fault == "fires a tick early" && f.strike():
		deadline--
	case f.fault == "fires a tick late" && f.strike():
		deadline++
	case f.fault == "mixes values up" && f.strike():
		value++
	}
	return f.Heap.Schedule(deadline, value)
}

func (f *faulty) Cancel(id structures.ID) bool {
	switch {
	case f.fault == "refuses a cancel" && f.strike():
		f.Heap.Cancel(id)
		return false
	case f.fault == "forgets a cancel" && f.strike():
		return true
	}
	return f.Heap.Cancel(id)
}

func (f *faulty) Reschedule(id structures.ID, deadline structures.Tick) bool {
	if f.fault == "forgets to move" && f.strike() {
		return true
	}
	return f.Heap.Reschedule(id, deadline)
}

func (f *faulty) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	if f.fault == "fires twice" && f.last.ID != 0 && f.strike() {
		t := f.last
		f.last = structures.Timer[uint64]{}
		return t, true
	}
	t, ok := f.Heap.Pop(now)
	if ok {
		f.last = t
	}
	return t, ok
}

func faultyEntry(fault string) catalog.Entry {
	return catalog.Entry{Name: "faulty", New: func() structures.Scheduler[uint64] {
		return &faulty{Heap: minheap.New[uint64](), fault: fault}
	}}
}

func TestTheProofFindsEveryFault(t *testing.T) {
	w, _ := workload.Find("mixed")
	blocks := blocksOf(w, 1)
	if err := allReplays(faultyEntry("").New(), nil, blocks); err != nil {
		t.Fatalf("without a fault: %v", err)
	}
	for _, fault := range []string{
		"loses a timer", "fires a tick early", "fires a tick late", "mixes values up",
		"refuses a cancel", "forgets a cancel", "forgets to move", "fires twice",
	} {
		if err := allReplays(faultyEntry(fault).New(), nil, blocks); err == nil {
			t.Errorf("a structure that %s passes the proof", fault)
		}
	}
}

func TestARunWithoutProofGivesNoNumber(t *testing.T) {
	profile, _ := FindProfile("smoke")
	w, _ := workload.Find("churn")
	r, err := Run(context.Background(), Config{
		Profile: profile, Trials: 1, Seed: 1, Workloads: []workload.Workload{w},
		Structures: []catalog.Entry{faultyEntry("refuses a cancel")},
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{"faulty", "churn", "seed 1", "refused"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not name %q", err, part)
		}
	}
	if len(r.Cells) != 0 || r.Complete {
		t.Errorf("%d cells in spite of the failure", len(r.Cells))
	}
	if _, err := (idleCase{"uniform", 1000, 20_000, 1}).run([]catalog.Entry{faultyEntry("fires a tick late")}); err == nil {
		t.Error("the idle analysis counts the wake-ups of a structure that fires late")
	}
}
