package calendar

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity, schedtest.FIFO())
}

func FuzzAgainstModel(f *testing.F) { whitebox.Fuzz(f, New[uint64], schedtest.FIFO()) }

// coreOf returns the queue of slots of a calendar queue.
func coreOf(q *Queue[int]) *core {
	_, c := slotted.Parts(&q.base)
	return c
}

func TestCapacityReservesAtMostABucketATimer(t *testing.T) {
	for _, n := range []int{0, 1, 16, 17, 32, 33, 1000, 1024, 1025} {
		q := New[int](Capacity(n))
		for i := range n {
			q.Schedule(structures.Tick(i*7919%1031), i)
		}
		if got := cap(coreOf(q).buckets); got != 8 && got > n {
			t.Errorf("Capacity(%d): room for %d buckets, want at most as many as timers", n, got)
		}
	}
}
