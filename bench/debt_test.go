package bench

import (
	"context"
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
// the time that is measured; in the workloads of the list it pays, and so do the structures that put work off by design.
func TestWorkThatIsPutOffIsSeenAsDebt(t *testing.T) {
	const tries = 5 // a busy machine disturbs drains, which take less than a millisecond
	lazy := entry.Entry{Name: "tombstones", Allocates: true, New: func() structures.Scheduler[uint64] { return &tombstones{Heap: minheap.New[tomb]()} }}
	for name, moves := range map[string]int{"churn, standing still": 0, "reschedule, standing still": 1} {
		w := workload.Workload{Name: name, Tick: time.Millisecond, Model: still{moves: moves}}
		got := 0.0
		for try := 0; try < tries && got < 2*results.MostDebt; try++ {
			got = debtsOf(t, w, lazy)["tombstones"]
		}
		if got < 2*results.MostDebt {
			t.Errorf("%s: the debt of tombstones grows by %.0f %% of the time", name, 100*got)
		}
	}
	for _, name := range []string{"churn", "reschedule"} {
		w, _ := workload.Find(name)
		list := []entry.Entry{lazy}
		for _, s := range []string{"quadheap-lazy", "auto"} {
			e, _ := catalog.Find(s)
			list = append(list, e)
		}
		for try := range tries {
			got := debtsOf(t, w, list...)
			t.Logf("%s: %v", name, got)
			if !slices.ContainsFunc(list, func(e entry.Entry) bool { return got[e.Name] > results.MostDebt }) {
				break
			}
			if try == tries-1 {
				t.Errorf("%s: the debts grow by these parts of the time: %v", name, got)
			}
		}
	}
}

// A run measures the debts that its profile names: with a budget after the first passes, without one with the cell. The floor
// and the control have none, and a cell without cancels and moves has none.
func TestARunMeasuresDebts(t *testing.T) {
	for _, budget := range []time.Duration{0, time.Minute} {
		cfg := tinyRun(t, []string{"minheap", "quadheap-lazy"}, []string{"hold", "churn"})
		cfg.N, cfg.Budget.Limit, cfg.Profile.MemorySizes = nil, budget, nil
		cfg.Profile.Sizes, cfg.Profile.Debts, cfg.Profile.DebtsFirst = []int{20}, map[int][]string{20: nil, 30: {"churn"}}, false
		var steps []string
		h := Hooks{Progress: func(p Progress) { steps = append(steps, p.Name) }}
		ctx, cancel := context.WithCancel(t.Context())
		var r *results.Run
		h.Checkpoint = func(now *results.Run) error {
			if r = now; slices.Contains(steps, "churn, n 30, growth of debt") || budget == 0 && len(r.Done) == 6 {
				cancel() // not more passes for a minute
			}
			return nil
		}
		if _, err := Run(ctx, planOf(t, cfg), h); err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
		for _, c := range r.Cells {
			for _, row := range c.Rows {
				if want := c.Workload == "churn" && row.Role == results.RoleStructure; (row.Debt != nil) != want {
					t.Errorf("budget %s: %s, n %d, %s: debt %v", budget, c.Workload, c.N, row.Structure, row.Debt)
				}
			}
		}
		if at := slices.Index(steps, "churn, n 20, growth of debt"); (at >= 3) != (budget > 0) {
			t.Errorf("budget %s: steps %q", budget, steps)
		}
	}
}
