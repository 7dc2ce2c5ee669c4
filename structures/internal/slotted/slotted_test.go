package slotted_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

// counted is a heap that counts the calls of Pop.
type counted struct {
	dary.Quad
	pops int
}

func (q *counted) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	q.pops++
	return q.Quad.Pop(clock)
}

// Once the queue has said when something will be due, Pop does not ask it before.
func TestTheQueueIsNotAskedBeforeSomethingIsDue(t *testing.T) {
	s := slotted.New[int](counted{Quad: dary.NewQuad(0)}, 0)
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
