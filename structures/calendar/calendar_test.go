package calendar

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
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

func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	sound := func() *base[int] {
		q := New[int]()
		for range 3 { // in one bucket
			q.Schedule(3, 0)
		}
		q.Schedule(4, 0)
		q.Next()
		return &q.base
	}
	whitebox.FindsDamageToQueue(t, sound, map[string]func(*core){
		"order":     func(c *core) { c.nodes.SetDeadline(c.bucket(c.day(3)).Front(), 19) },
		"bucket":    func(c *core) { c.nodes.SetDeadline(c.bucket(c.day(3)).Back(), 4) },
		"links":     func(c *core) { c.nodes.From(c.bucket(c.day(3)).Back(), fifo.List{}) },
		"lost":      func(c *core) { *c.bucket(c.day(3)) = fifo.List{} },
		"size":      func(c *core) { c.size++ },
		"today":     func(c *core) { c.today++ },
		"yesterday": func(c *core) { c.first, c.today = 0, c.today+1 },
		"first":     func(c *core) { c.first = c.bucket(c.day(3)).Back() },
		"not today": func(c *core) { c.today-- },
		"width":     func(c *core) { c.width++ },
		"shift":     func(c *core) { c.shift = -1 },
		"buckets":   func(c *core) { c.buckets = c.buckets[:4] },
	})
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
