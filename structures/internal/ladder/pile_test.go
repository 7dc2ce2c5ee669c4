package ladder

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// Check finds a timer of a pile that is lost, at another place or due at another tick, and a wrong first one.
func TestCheckFindsHarmInThePile(t *testing.T) {
	for name, harm := range map[string]func(q *Queue, rs *records.Set){
		"another place":            func(_ *Queue, rs *records.Set) { rs.At(3).Where = rs.At(4).Where },
		"another deadline":         func(_ *Queue, rs *records.Set) { rs.At(3).Deadline++ },
		"an earlier entry":         func(q *Queue, _ *records.Set) { q.front.entries[0].deadline = 1 },
		"a lost timer":             func(q *Queue, _ *records.Set) { q.front.entries = q.front.entries[:9] },
		"another owner":            func(q *Queue, _ *records.Set) { q.front.entries[3].index = 4 },
		"a place that is not free": func(q *Queue, rs *records.Set) { q.CancelNow(rs, 3, rs.At(3)); q.front.entries[3].deadline = 500 },
		"a wrong first":            func(q *Queue, _ *records.Set) { q.first-- },
		"due too late":             func(q *Queue, _ *records.Set) { q.due++ },
		"a base before all ticks":  func(q *Queue, _ *records.Set) { q.base = -1 },
	} {
		q, rs := New(MaxFew), newSet()
		for i := range 10 {
			q.Schedule(rs, structures.Tick(100-i))
		}
		if err := check(&q, rs); err != nil {
			t.Fatal(err)
		}
		if harm(&q, rs); check(&q, rs) == nil {
			t.Errorf("%s: Check finds nothing", name)
		}
	}
}
