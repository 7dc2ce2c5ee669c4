package replay_test

import (
	"testing"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/minheap"
)

// announced is a heap that is told of timers before they are cancelled or moved.
type announced struct {
	*minheap.Heap[uint64]
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

func (a *announced) Cancel(id structures.ID) bool { return a.Heap.Cancel(a.use(id)) }

func (a *announced) Reschedule(id structures.ID, at structures.Tick) bool {
	return a.Heap.Reschedule(a.use(id), at)
}

// Where the program knows what comes, the structure is told of each timer in the batch in which
// it is cancelled or moved; elsewhere it is told of none.
func TestAStructureIsToldWhatTheProgramKnows(t *testing.T) {
	for name, known := range map[string]bool{
		"churn-batch": true, "reschedule-batch": true, "churn": false, "reschedule": false,
	} {
		w, _ := workload.Find(name)
		s := w.Script(1000, 1)
		a := &announced{Heap: minheap.New[uint64](), named: map[structures.ID]bool{}}
		i := begun(entry.Entry{New: func() structures.Scheduler[uint64] { return a }})
		fail.If(t, check(i, s.Fill(), false))
		block := s.Next(3200, nil)
		fail.If(t, check(i, block, false), name)
		calls := block.Count(script.KindCancel) + block.Count(script.KindReschedule)
		switch {
		case calls < 1200:
			t.Fatalf("%s: %d timers are cancelled or moved", name, calls)
		case known && (a.unnamed > 0 || a.batches != (calls+31)/32):
			t.Errorf("%s: %d batches for %d timers, of which %d were not named", name, a.batches, calls, a.unnamed)
		case !known && a.batches > 0:
			t.Errorf("%s: the structure is told of %d batches", name, a.batches)
		}
		batches, next := a.batches, s.Next(320, nil)
		next.Known = false // the caller of a later block may not know its next operations
		if err := check(i, next, false); err != nil || a.batches != batches {
			t.Errorf("%s: %d batches in an unknown block, error %v", name, a.batches-batches, err)
		}
	}
}
