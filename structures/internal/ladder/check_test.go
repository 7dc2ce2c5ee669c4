package ladder

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

type (
	queue = *Queue
	set   = *records.Set
)

// sound returns a queue at tick 64 with timers in the front and in lists, and a free record in a list.
func sound(t *testing.T, most int) (*Queue, *records.Set) {
	t.Helper()
	q, rs := New(most), newSet()
	q.Spread(rs)
	for _, at := range []structures.Tick{64, 70, 71, 72, 200, 201, 9000} {
		q.Schedule(rs, at)
	}
	rs.Clock = 64
	q.Pop(rs)
	q.Count(-1)
	r := rs.At(5)
	r.End()
	rs.Release(5, r)
	if err := check(&q, rs); err != nil || len(q.front.entries) != 3 || !r.Where.InList() {
		t.Fatalf("%d timers in front, a free record at %#x: %v", len(q.front.entries), r.Where, err)
	}
	return &q, rs
}

func check(q *Queue, rs *records.Set) error { return rs.Check(q) }

func TestCheckFindsHarm(t *testing.T) {
	for name, harm := range map[string]func(q queue, rs set){
		"a timer is not counted":            func(q queue, _ set) { q.left++ },
		"the base is after the clock":       func(q queue, _ set) { q.base = 65 },
		"a timer in front is due too early": func(q queue, _ set) { q.due = 71 },
		"a list starts too early":           func(q queue, _ set) { q.listed = 193 },
		"the front is not sorted":           func(q queue, _ set) { q.front.entries[0].deadline = 1 },
		"the front has one timer less":      func(q queue, _ set) { q.front.entries = q.front.entries[1:] },
		"a slot is not occupied":            func(q queue, _ set) { q.occupied[q.next().level()] = 0 },
		"an empty slot is occupied":         func(q queue, _ set) { q.occupied[q.next().level()] |= 1 << digitMask },
		"a level is not occupied":           func(q queue, _ set) { q.levels = 0 },
		"a deadline is before its slot":     func(_ queue, rs set) { rs.At(6).Deadline = 500 },
		"a record names another place":      func(_ queue, rs set) { rs.At(6).Where ^= 1 << records.TagBits },
		"a record in a list does not say":   func(_ queue, rs set) { rs.At(6).Where = records.Nowhere },
		"a record says it is in a list":     func(_ queue, rs set) { rs.At(0).Where = rs.At(6).Where },
		"a slot starts at a wrong tick":     func(q queue, _ set) { q.nodes.heads[q.next()].before++ },
		"a link back is wrong":              func(q queue, _ set) { q.nodes.all[q.nodes.heads[q.next()].first].before = 3 },
		"a free record is pending":          func(_ queue, rs set) { rs.At(0).Generation++ },
		"a record is free twice":            func(_ queue, rs set) { rs.Release(0, rs.At(0)) },
		"a pending record is free":          func(_ queue, rs set) { rs.Release(6, rs.At(6)) },
		"a record is lost":                  func(_ queue, rs set) { rs.TryFree() },
	} {
		for _, most := range []int{0, 100} {
			q, rs := sound(t, most)
			if harm(q, rs); check(q, rs) == nil {
				t.Errorf("%s, for %d timers: Check finds nothing", name, most)
			}
		}
	}
	q, rs := sound(t, 100)
	if q.nodes.free = 0; check(q, rs) == nil {
		t.Error("Check does not find that the free nodes are lost")
	}
}

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
		if err := check(&q, rs); err != nil {
			t.Error(err)
		}
	}
}
