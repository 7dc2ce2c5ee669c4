package bucketed

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/quadheap"
)

// The conformance suite is run by the packages that choose an order.

func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	sound := func() *Scheduler[int] {
		s := New[int](quadheap.New[uint32](), 0)
		for _, deadline := range []structures.Tick{10, 10, 20} {
			s.Schedule(deadline, 0)
		}
		return &s
	}
	whitebox.FindsDamageToQueue(t, sound, map[string]func(*Queue){
		"order":           func(q *Queue) { q.order.Cancel(q.buckets[1].id) },
		"tick of bucket":  func(q *Queue) { q.buckets[1].tick++ },
		"found by tick":   func(q *Queue) { q.byTick.Delete(10); q.byTick.Put(10, 2) },
		"not found":       func(q *Queue) { q.byTick.Delete(10) },
		"bucket of timer": func(q *Queue) { q.in[1] = 2 },
		"deadline":        func(q *Queue) { q.lists.SetDeadline(1, 11) },
		"empty bucket":    func(q *Queue) { q.lists.PopFront(&q.buckets[2].list) },
		"freed bucket":    func(q *Queue) { q.free = append(q.free, 2) },
		"firing":          func(q *Queue) { q.firing = 1 },
	})
}
