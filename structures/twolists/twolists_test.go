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
