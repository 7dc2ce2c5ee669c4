package hwheellist

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity, schedtest.FIFO(), schedtest.Levels(levels))
}

// inSteps is a wheel that empties its slots one timer at a tick.
func inSteps() structures.Scheduler[uint64] {
	w := New[uint64]()
	_, queue := fifo.Parts(&w.base)
	c := queue.(*core)
	c.perTick, c.planEveryMask = 1, 0
	return w
}

// The timers of two slots move ahead in time although those of the first one fire while those of the second one move.
func TestStepsKeepPaceWhileTimersFire(t *testing.T) {
	for _, width := range []int{slots, slots * slots} { // of levels 1 and 2
		w, rng := inSteps().(*Wheel[uint64]), rand.New(rand.NewPCG(1, 2))
		const n, most = 40_000, 2*40_000/window + levels
		start := structures.Tick(80 * width)
		for i := range n {
			w.Schedule(start+structures.Tick(rng.IntN(2*width)), uint64(i))
		}
		for now := start - structures.Tick(ring/slots*width); w.Len() > 0; now++ {
			for ok := true; ok; {
				before := w.Work().Moved
				_, ok = w.Pop(now)
				if moved := w.Work().Moved - before; moved > most {
					t.Fatalf("Pop(%d) moved %d of %d timers, want at most %d", now, moved, n, most)
				}
			}
		}
	}
}

func TestConformanceInSteps(t *testing.T) {
	schedtest.Run(t, inSteps, schedtest.FIFO(), schedtest.Levels(levels))
}

func FuzzInSteps(f *testing.F) {
	schedtest.Fuzz(f, inSteps, schedtest.FIFO(), schedtest.Levels(levels))
}

// Each tick from the cursor on has one place, whose span holds it and, above level 0, lies after the cursor.
func TestPlacesCoverAllTicks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		cursor := structures.Tick(rng.Int64() >> rng.IntN(63))
		deadline := cursor + structures.Tick(rng.Int64()>>rng.IntN(63))
		if deadline < cursor { // it overflowed
			deadline = math.MaxInt64
		}
		p := place(deadline, cursor)
		width := structures.Tick(1) << (p >> ringBits * digit)
		c := core{cursor: cursor}
		if at := c.start(bit(p)); deadline < at || deadline-at >= width || p >= ring && at <= cursor || placeOf(uint64(p>>ringBits), at) != p {
			t.Fatalf("at %d deadline %d is in list %d, from %d, of %d ticks", cursor, deadline, p, at, width)
		}
	}
}
