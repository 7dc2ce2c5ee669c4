package bench

import (
	"slices"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/minheap"
)

// tombstones is a heap in which a cancelled or moved timer leaves its old entry, until it comes up.
type tombstones struct {
	*minheap.Heap[tomb]
	timers []tomb // by slot, the low half of an ID; the high half is the generation
	free   []structures.ID
}

var tombstoned = entry.Entry{Name: "tombstones", Allocates: true, New: func() structures.Scheduler[uint64] { return &tombstones{Heap: minheap.New[tomb]()} }}

type tomb struct {
	id    structures.ID
	moves int
	value uint64
}

func (s *tombstones) Schedule(at structures.Tick, value uint64) structures.ID {
	if len(s.free) == 0 {
		s.free = append(s.free, structures.ID(len(s.timers)))
		s.timers = append(s.timers, tomb{})
	}
	id := s.free[len(s.free)-1] + 1<<32
	s.free = s.free[:len(s.free)-1]
	s.timers[uint32(id)] = tomb{id: id, value: value}
	s.Heap.Schedule(at, s.timers[uint32(id)])
	return id
}

// find returns the timer of an ID; nil: it is not pending.
func (s *tombstones) find(id structures.ID) *tomb {
	if slot := int(uint32(id)); slot < len(s.timers) && s.timers[slot].id == id {
		return &s.timers[slot]
	}
	return nil
}

func (s *tombstones) Reschedule(id structures.ID, at structures.Tick) bool {
	t := s.find(id)
	if t != nil {
		t.moves++
		s.Heap.Schedule(at, *t)
	}
	return t != nil
}

func (s *tombstones) Cancel(id structures.ID) bool {
	t := s.find(id)
	if t != nil {
		t.id = 0
		s.free = append(s.free, id)
	}
	return t != nil
}

func (s *tombstones) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	for t, ok := s.Heap.Pop(now); ok; t, ok = s.Heap.Pop(now) {
		if of := s.find(t.Value.id); of != nil && *of == t.Value {
			s.Cancel(of.id)
			return structures.Timer[uint64]{ID: t.Value.id, Deadline: t.Deadline, Value: t.Value.value}, true
		}
	}
	return structures.Timer[uint64]{}, false
}

func (s *tombstones) Len() int { return len(s.timers) - len(s.free) }

// still is churn, or reschedule, with a clock that stands still.
type still struct{ n, moves int }

func (m still) New(n int, _ time.Duration) script.Process { return still{n, m.moves} }

func (m still) Fill(w *script.Writer, r *script.Rand) {
	for range m.n {
		w.Schedule(30_000 + structures.Tick(r.IntN(60_000)))
	}
}

func (m still) Step(w *script.Writer, r *script.Rand) {
	if key, at := w.AnyPending(r), 30_000+structures.Tick(r.IntN(60_000)); m.moves > 0 {
		w.Reschedule(key, at)
	} else {
		w.Cancel(key)
		w.Schedule(at)
	}
}

// debtsOf returns the growth of debt of structures in a workload with 10,000 timers.
func debtsOf(t *testing.T, w workload.Workload, list ...entry.Entry) map[string]float64 {
	t.Helper()
	m, _ := measuringOf(t, Config{Profile: Profile{Trials: 6}, Workloads: []workload.Workload{w}, N: []int{10_000}, Structures: list})
	if err := m.debts(t.Context()); err != nil || len(m.failed) > 0 {
		t.Fatal(w.Name, err, m.failed)
	}
	got := make(map[string]float64)
	for _, r := range m.rows {
		if r.Debt != nil {
			got[r.Structure] = *r.Debt
		}
	}
	if len(got) != len(list) {
		t.Fatalf("%s: debts of %v, want those of %d structures", w.Name, got, len(list))
	}
	return got
}

// A heap of tombstones puts the work of cancels and moves off. With a clock that stands still its debt grows by more than
// the time that is measured.
func TestWorkThatIsPutOffIsSeenAsDebt(t *testing.T) {
	const tries = 5 // a busy machine disturbs drains, which take less than a millisecond
	for name, moves := range map[string]int{"churn, standing still": 0, "reschedule, standing still": 1} {
		w := workload.Workload{Name: name, Tick: time.Millisecond, Model: still{moves: moves}}
		got := 0.0
		for try := 0; try < tries && got < 2*results.MostDebt; try++ {
			got = debtsOf(t, w, tombstoned)["tombstones"]
		}
		if got < 2*results.MostDebt {
			t.Errorf("%s: the debt of tombstones grows by %.0f %% of the time", name, 100*got)
		}
	}
}

// No structure leaves work unpaid where it is measured: over ten operations for each of 10,000 timers its debt grows by little of the
// time, in the workloads that cancel or move most. A heap of tombstones pays there, too.
func TestNoStructureLeavesWorkUnpaid(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures all structures for seconds")
	}
	const tries = 5 // a busy machine disturbs drains, which take less than a millisecond
	list := []entry.Entry{tombstoned}
	for _, e := range catalog.All() {
		if e.Limit == 0 && !e.Costs.Linear() && e.ThirdParty == "" {
			list = append(list, e)
		}
	}
	if len(list) < 20 {
		t.Errorf("%d structures", len(list))
	}
	for _, name := range []string{"churn", "reschedule"} {
		w, _ := workload.Find(name)
		left := list
		for try := 0; try < tries && len(left) > 0; try++ {
			got := debtsOf(t, w, left...)
			left = slices.DeleteFunc(slices.Clone(left), func(e entry.Entry) bool { return got[e.Name] <= results.MostDebt })
			if try == tries-1 && len(left) > 0 {
				t.Errorf("%s: the debts grow by these parts of the time: %v", name, got)
			}
		}
	}
}

// A run measures the debts if its profile says so. The floor and the control have none, and a cell without cancels and moves has none.
func TestARunMeasuresDebts(t *testing.T) {
	for _, measured := range []bool{false, true} {
		cfg := tinyRun(t, []string{"minheap", "quadheap-lazy"}, []string{"hold", "churn"})
		cfg.N, cfg.Profile.MemorySizes, cfg.Profile.Sizes, cfg.Profile.Debts = nil, nil, []int{20}, measured
		r, err := Run(t.Context(), planOf(t, cfg), Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Cells {
			for _, row := range c.Rows {
				if want := measured && c.Workload == "churn" && row.Role == results.RoleStructure; (row.Debt != nil) != want {
					t.Errorf("measured %v: %s, n %d, %s: debt %v", measured, c.Workload, c.N, row.Structure, row.Debt)
				}
			}
		}
	}
}
