package twolists

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) { whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity) }

func FuzzModel(f *testing.F) { whitebox.Fuzz(f, New[uint64]) }

// Of a thousand timers one fires every few ticks. The scans of both lists read equally many timers if the reach is
// the root of 1000 times those ticks squared.
func TestTheReachBalancesTheScans(t *testing.T) {
	for every, want := range map[structures.Tick]structures.Tick{1: 32, 30: 949} {
		l := New[int]()
		for i := range structures.Tick(1000) {
			l.Schedule(every*(i+1), 0)
		}
		for now := structures.Tick(1); now < 100_000; now++ {
			for range structures.Due(l, now) {
				l.Schedule(now+1000*every, 0)
			}
		}
		if _, q := slotted.Parts(&l.base); q.reach < want/3 || q.reach > want*3 {
			t.Errorf("a timer every %d ticks: the reach is %d, want about %d", every, q.reach, want)
		}
	}
}

func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	sound := func() *base[int] {
		l := New[int]()
		for _, at := range []structures.Tick{5, 6, 300, 301, 900, 901} {
			l.Schedule(at, 0)
		}
		l.Pop(6)
		if _, c := slotted.Parts(&l.base); c.list[due].Empty() {
			t.Fatal("nothing is due")
		}
		return &l.base
	}
	whitebox.FindsDamageToQueue(t, sound, map[string]func(*core){
		"lost":                func(c *core) { c.lists.PopFront(&c.list[long]) },
		"another list":        func(c *core) { c.in[c.list[short].Front()] = long },
		"beyond the horizon":  func(c *core) { c.horizon = 300 },
		"within the horizon":  func(c *core) { c.horizon = 900 },
		"earliest is later":   func(c *core) { c.earliest[short]++ },
		"earliest is earlier": func(c *core) { c.earliest[long]-- },
		"links":               func(c *core) { c.lists.From(c.list[short].Back(), c.list[short]) },
	})
}
