package replay

import (
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/minheap"
)

// recorder takes down the calls that it gets. A timer is known by its value.
type recorder struct {
	structures.Scheduler[uint64]
	values map[structures.ID]uint64
	calls  []recordedCall
}

type recordedCall struct {
	name  string
	at    structures.Tick
	value uint64
}

func newRecorder() *recorder {
	return &recorder{Scheduler: minheap.New[uint64](), values: make(map[structures.ID]uint64)}
}

func (r *recorder) Schedule(deadline structures.Tick, value uint64) structures.ID {
	id := r.Scheduler.Schedule(deadline, value)
	r.values[id] = value
	r.calls = append(r.calls, recordedCall{"schedule", deadline, value})
	return id
}

func (r *recorder) Cancel(id structures.ID) bool {
	r.calls = append(r.calls, recordedCall{"cancel", 0, r.values[id]})
	return r.Scheduler.Cancel(id)
}

func (r *recorder) Reschedule(id structures.ID, deadline structures.Tick) bool {
	r.calls = append(r.calls, recordedCall{"reschedule", deadline, r.values[id]})
	return r.Scheduler.Reschedule(id, deadline)
}

func (r *recorder) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	r.calls = append(r.calls, recordedCall{"pop", now, 0})
	return r.Scheduler.Pop(now)
}

func entryOf(s structures.Scheduler[uint64]) catalog.Entry {
	return catalog.Entry{New: func() structures.Scheduler[uint64] { return s }}
}

// Under one name, lean loops and the proved ones do the same.
func TestLeanLoopsMakeTheCallsOfTheProvedOnes(t *testing.T) {
	t.Parallel()
	for _, w := range workload.All() {
		s := w.Script(testSize(w), 1)
		proved, lean := newRecorder(), newRecorder()
		a, b := New(entryOf(proved)), New(entryOf(lean))
		fill := s.Fill()
		a.Time(fill)
		b.Time(fill)
		for range 2 {
			block := s.Next(1000, nil)
			a.Time(block)
			b.Reserve(block)
			b.TimeLean(Lean(block, w.Kind().FiresOnly))
			if err := b.CheckLean(block, b.Outcome()); err != nil {
				t.Errorf("%s: %v", w.Name, err)
			}
		}
		if !slices.Equal(proved.calls, lean.calls) {
			t.Errorf("%s: the proved loops make %d calls, the lean ones %d others", w.Name, len(proved.calls), len(lean.calls))
		}
	}
}
