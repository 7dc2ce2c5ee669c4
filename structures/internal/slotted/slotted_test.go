package slotted_test

import (
	"math"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// sorted is a queue that keeps its slots in order in a slice.
type sorted struct{ entries []entry }

type entry struct {
	deadline structures.Tick
	slot     uint32
}

func (q *sorted) Add(slot uint32, deadline structures.Tick) {
	behind := func(e entry, deadline structures.Tick) int {
		if e.deadline <= deadline {
			return -1
		}
		return 1
	}
	i, _ := slices.BinarySearchFunc(q.entries, deadline, behind)
	q.entries = slices.Insert(q.entries, i, entry{deadline, slot})
}

func (q *sorted) Remove(slot uint32) {
	q.entries = slices.DeleteFunc(q.entries, func(e entry) bool { return e.slot == slot })
}

func (q *sorted) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	if len(q.entries) == 0 {
		return 0, math.MaxInt64
	}
	first := q.entries[0]
	if first.deadline > clock {
		return 0, first.deadline
	}
	q.entries = slices.Delete(q.entries, 0, 1)
	return first.slot, first.deadline
}

func (q *sorted) Next(structures.Tick) structures.Tick { return q.entries[0].deadline }
func (q *sorted) Work() structures.Work                { return structures.Work{} }

func (q *sorted) Walk(b *snapshot.Builder) error {
	b.Begin(shape.Part{Name: "sorted", Kind: shape.List})
	b.Sorted = true
	for _, e := range q.entries {
		b.Timer(shape.Cell{}, e.slot, e.deadline)
	}
	return nil
}

// counted counts the calls of Pop.
type counted struct {
	sorted
	pops int
}

func (q *counted) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	q.pops++
	return q.sorted.Pop(clock)
}

// Once the queue has said when something will be due, Pop does not ask it before.
func TestTheQueueIsNotAskedBeforeSomethingIsDue(t *testing.T) {
	s := slotted.New[int](counted{}, 0)
	_, q := slotted.Parts(&s)
	s.Schedule(100, 0)
	id := s.Schedule(200, 0)
	for _, step := range []struct {
		now  structures.Tick
		ok   bool
		pops int
	}{
		{5, false, 1}, {50, false, 1}, {99, false, 1}, {100, true, 2}, {100, false, 3}, {150, false, 3}, {150, false, 3},
	} {
		if _, ok := s.Pop(step.now); ok != step.ok || q.pops != step.pops {
			t.Fatalf("Pop(%d) = %t after %d calls of the queue, want %t after %d", step.now, ok, q.pops, step.ok, step.pops)
		}
	}
	s.Reschedule(id, 160)
	if _, ok := s.Pop(160); !ok {
		t.Fatal("a timer that was moved to earlier does not fire")
	}
}
