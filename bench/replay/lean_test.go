package replay

import (
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
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

func entryOf(s structures.Scheduler[uint64]) entry.Entry {
	return entry.Entry{New: func() structures.Scheduler[uint64] { return s }}
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

// announced is a recorder that is told of timers before they are cancelled or moved.
type announced struct {
	*recorder
	named   map[structures.ID]bool
	unnamed int
	batches int
}

func (a *announced) Prefetch(ids []structures.ID) {
	clear(a.named)
	for _, id := range ids {
		a.named[id] = true
	}
	a.batches++
}

func (a *announced) use(id structures.ID) structures.ID {
	if !a.named[id] {
		a.unnamed++
	}
	return id
}

func (a *announced) Cancel(id structures.ID) bool { return a.recorder.Cancel(a.use(id)) }

func (a *announced) Reschedule(id structures.ID, at structures.Tick) bool {
	return a.recorder.Reschedule(a.use(id), at)
}

// Where the program knows what comes, the structure is told of each timer in the batch in which
// it is cancelled or moved; elsewhere it is told of none.
func TestAStructureIsToldWhatTheProgramKnows(t *testing.T) {
	for name, known := range map[string]bool{
		"churn-batch": true, "reschedule-batch": true, "churn": false, "reschedule": false,
	} {
		for _, lean := range []bool{false, true} {
			w, _ := workload.Find(name)
			s := w.Script(1000, 1)
			a := &announced{recorder: newRecorder(), named: map[structures.ID]bool{}}
			i := New(entry.Entry{New: func() structures.Scheduler[uint64] { return a }})
			fill := s.Fill()
			i.Time(fill)
			block := s.Next(3200, nil)
			if lean {
				i.Reserve(block)
				i.TimeLean(Lean(block, false))
			} else if i.Time(block); i.Check(block, i.Outcome()) != nil {
				t.Errorf("%s: %v", name, i.Check(block, i.Outcome()))
			}
			calls := block.Count(script.KindCancel) + block.Count(script.KindReschedule)
			switch {
			case calls < 1600:
				t.Fatalf("%s: %d timers are cancelled or moved", name, calls)
			case known && (a.unnamed > 0 || a.batches != (calls+batch-1)/batch):
				t.Errorf("%s, lean %t: %d batches for %d timers, of which %d were not named",
					name, lean, a.batches, calls, a.unnamed)
			case !known && a.batches > 0:
				t.Errorf("%s, lean %t: the structure is told of %d batches", name, lean, a.batches)
			}
		}
	}
}
