package skiplist

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity, schedtest.FIFO())
}

func FuzzAgainstModel(f *testing.F) { whitebox.Fuzz(f, New[uint64], schedtest.FIFO()) }

func TestHalfOfEachLevelIsInTheNext(t *testing.T) {
	const n = 1 << 18
	for _, seed := range []uint64{0, 1, math.MaxUint64} {
		list := New[int](Capacity(n))
		coreOf(list).random = random(seed)
		for i := range n {
			list.Schedule(1, i)
		}
		var onLevel [maxHeight]float64
		c := coreOf(list)
		for _, tower := range c.towers[1 : n+1] {
			for level := range c.height(tower) {
				onLevel[level]++
			}
		}
		for level, got := range onLevel {
			p := math.Pow(0.5, float64(level))
			want, deviation := n*p, math.Sqrt(n*p*(1-p))
			if math.Abs(got-want) > 4*deviation+1 {
				t.Errorf("seed %d: %.0f timers on level %d, want %.1f or so", seed, got, level, want)
			}
		}
	}
}

// coreOf returns the queue of a list.
func coreOf(list *List[int]) *core {
	_, c := slotted.Parts(&list.Scheduler)
	return c
}
