package ladder

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

func newSet() *records.Set {
	rs := records.Of[int]()
	return &rs
}

// A slot that starts with the first timer of the front or after it waits, also if listed is too low because a timer has left its list.
func TestRefillWaitsForTheFront(t *testing.T) {
	for start, want := range map[structures.Tick]bool{79: true, 80: false, 81: false, 82: false} {
		q, rs := New(0), newSet()
		q.Begin(70) // slots have one tick
		q.front.limit = 100
		q.Schedule(rs, 80) // in front
		q.front.limit = 0
		q.Schedule(rs, start)
		q.listed, rs.Clock = 70, 90
		if got := q.refill(rs); got != want {
			t.Errorf("a slot at %d is emptied before a timer at 80 fires: %t, want %t", start, got, want)
		}
		if err := rs.Check(&q); err != nil {
			t.Error(err)
		}
	}
}
