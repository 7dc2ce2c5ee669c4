package sortedlist

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, "sortedlist", slab.MaxCapacity,
		func(n int) structures.Scheduler[uint64] { return New[uint64](Capacity(n)) },
		func() structures.Scheduler[*schedtest.Payload] { return New[*schedtest.Payload]() }, schedtest.FIFO())
}

func FuzzModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return New[uint64]() }, schedtest.FIFO())
}

// The comparisons are counted by hand. Beside each step is the list after it.
func TestWorkCountsEveryComparison(t *testing.T) {
	l := New[int]()
	n := whitebox.NewNamed(l)
	whitebox.CountsComparisons(t, l, []whitebox.Step{
		{"schedule in order", func() { n.Schedule(10, 20, 30, 40) }, 3}, // 10 20 30 40
		{"schedule at the end", func() { n.Schedule(50) }, 1},           // 10 20 30 40 50
		{"schedule in the middle", func() { n.Schedule(25) }, 4},        // 10 20 25 30 40 50
		{"schedule at the start", func() { n.Schedule(5) }, 6},          // 5 10 20 25 30 40 50
		{"cancel", func() { n.Cancel(30) }, 0},                          // 5 10 20 25 40 50
		{"move to the end", func() { n.Move(10, 60) }, 1},               // 5 20 25 40 50 60
		{"move to the start", func() { n.Move(50, 1) }, 5},              // 1 5 20 25 40 60
		{"pop nothing", func() { l.Pop(0); l.Next() }, 0},               // the same
		{"pop two", func() { l.Pop(5); l.Pop(5); l.Pop(5) }, 0},         // 20 25 40 60
		{"schedule behind an equal one", func() { n.Schedule(25) }, 3},  // 20 25 25 40 60
		{"cancel the last, and schedule", func() { n.Cancel(60); n.Schedule(60) }, 1},
	})
}

func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	nine := func() *scheduler[int] { return &whitebox.Nine(New[int]()).scheduler }
	whitebox.FindsDamageToQueue(t, nine, map[string]func(*core){
		"order": func(c *core) { c.lists.SetDeadline(c.sorted.Back(), 1) },
		"lost":  func(c *core) { c.lists.PopFront(&c.sorted) },
		"links": func(c *core) { c.lists.Detach(c.lists.Next(c.sorted.Front())) },
		"empty": func(c *core) { c.sorted = fifo.List{} },
	})
}
