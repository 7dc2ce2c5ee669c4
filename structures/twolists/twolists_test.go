package twolists

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, "twolists", slab.MaxCapacity,
		func(n int) structures.Scheduler[uint64] { return New[uint64](Capacity(n)) },
		func() structures.Scheduler[*schedtest.Payload] { return New[*schedtest.Payload]() })
}

func FuzzModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return New[uint64]() })
}

// The work is counted by hand: which list each scan goes through, and what it moves.
func TestScansGoThroughTheListThatIsDue(t *testing.T) {
	l := New[int]()
	n := whitebox.NewNamed(l)
	for _, step := range []struct {
		name string
		do   func()
		want structures.Work
	}{
		{"schedule", func() { n.Schedule(100, 200, 333, 400, 600, 1000) }, structures.Work{}},
		{"next is known", func() { l.Next() }, structures.Work{}},
		{"pop nothing", func() { l.Pop(99) }, structures.Work{}},
		{"one of three is due", func() { l.Pop(100); l.Pop(100) }, structures.Work{Comparisons: 3, Moved: 1}},
		{"cancel the first", func() { n.Cancel(200) }, structures.Work{}},
		{"the short list is scanned for the next", func() { l.Next(); l.Next() }, structures.Work{Comparisons: 1}},
		{"move the last one of it", func() { n.Move(333, 450) }, structures.Work{}},
		{"next is known", func() { l.Next() }, structures.Work{}},
		{"cancel the first of the long list", func() { n.Cancel(400) }, structures.Work{}},
		{"the long list is scanned for the next", func() { l.Next() }, structures.Work{Comparisons: 3}},
		// 450 is due, 600 goes to the short list.
		{"the long list is due", func() { l.Pop(450); l.Pop(450) }, structures.Work{Comparisons: 3, Moved: 2}},
		{"a new one within the horizon", func() { n.Schedule(783) }, structures.Work{}},
		{"a new one beyond it", func() { n.Schedule(784) }, structures.Work{}},
		// Two of the short list and two of the long one, sorted by three comparisons or more.
		{"all are due", func() {
			for range structures.Due[int](l, 1000) {
			}
		}, structures.Work{Comparisons: 2 + 2 + 4, Moved: 4}},
	} {
		before := l.Work()
		step.do()
		if got := l.Work().Sub(before); got != step.want {
			t.Errorf("%s: work %+v, want %+v", step.name, got, step.want)
		}
		if err := l.CheckInvariants(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
	}
}

func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	sound := func() *scheduler[int] {
		l := New[int]()
		for _, at := range []structures.Tick{5, 6, 300, 301, 900, 901} {
			l.Schedule(at, 0)
		}
		l.Pop(6)
		if _, c := slotted.Parts(&l.scheduler); c.list[due].Empty() {
			t.Fatal("nothing is due")
		}
		return &l.scheduler
	}
	whitebox.FindsDamageToQueue(t, sound, map[string]func(*core){
		"lost":                func(c *core) { c.lists.PopFront(&c.list[long]) },
		"another list":        func(c *core) { c.in[c.list[short].Front()] = long },
		"beyond the horizon":  func(c *core) { c.horizon = 300 },
		"within the horizon":  func(c *core) { c.horizon = 900 },
		"earliest is later":   func(c *core) { c.earliest[short]++ },
		"earliest is earlier": func(c *core) { c.earliest[long]-- },
		"links":               func(c *core) { c.lists.Detach(c.list[short].Front()) },
	})
}
