package hwheellist

import (
	"fmt"
	"math"
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

// shapes are besides the default wheels that overflow at once and soon, one with the most levels,
// and one whose slots do not divide the 63 bits evenly.
var shapes = []struct{ slots, levels int }{
	{4, 2}, {2, 1}, {2, 63}, {2, 3}, {128, 3}, {32, 13},
}

func TestConformance(t *testing.T) {
	whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity, schedtest.FIFO(), schedtest.Levels(8))
	for _, shape := range shapes[:longtest.Scale(t, 1, 1, 6)] {
		t.Run(fmt.Sprintf("slots=%d/levels=%d", shape.slots, shape.levels), func(t *testing.T) {
			schedtest.Run(t, func() structures.Scheduler[uint64] {
				return New[uint64](Slots(shape.slots), Levels(shape.levels))
			}, schedtest.FIFO(), schedtest.Levels(shape.levels))
		})
	}
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] {
		return New[uint64](Slots(4), Levels(2))
	}, schedtest.FIFO(), schedtest.Levels(2))
}

func TestBadOptionsPanic(t *testing.T) {
	for want, opts := range map[string][]Option{
		"hwheellist: Slots(0): want a power of two from 2 to 4096":    {Slots(0)},
		"hwheellist: Slots(1): want a power of two from 2 to 4096":    {Slots(1)},
		"hwheellist: Slots(100): want a power of two from 2 to 4096":  {Slots(100)},
		"hwheellist: Slots(8192): want a power of two from 2 to 4096": {Slots(8192)},
		"hwheellist: Slots(-64): want a power of two from 2 to 4096":  {Slots(-64)},
		"hwheellist: Levels(0): want a number from 1 to 8":            {Levels(0)},
		"hwheellist: Levels(-1): want a number from 1 to 8":           {Levels(-1)},
		"hwheellist: Levels(9): want a number from 1 to 8":            {Levels(9)},
		"hwheellist: Levels(12): want a number from 1 to 11":          {Levels(12), Slots(64)},
	} {
		checking.Panics(t, want, func() { New[int](opts...) })
	}
}

// place computes without bit operations what geometry.list computes with them: the
// level and the digit of the highest digit in which two ticks differ.
func place(deadline, cursor structures.Tick, slots int) (level, digit int) {
	for l := 0; deadline > 0; l++ {
		if deadline%structures.Tick(slots) != cursor%structures.Tick(slots) {
			level, digit = l, int(deadline%structures.Tick(slots))
		} else if l == 0 {
			digit = int(deadline % structures.Tick(slots))
		}
		deadline /= structures.Tick(slots)
		cursor /= structures.Tick(slots)
	}
	return level, digit
}

// small are geometries so small that all ticks of three top-level spans can be tried.
var small = []struct{ slots, levels int }{
	{2, 1}, {2, 2}, {2, 5}, {4, 1}, {4, 2}, {4, 3}, {8, 1}, {8, 2}, {16, 1}, {64, 1},
}

// forAllPairs calls f with all pairs of a cursor and a deadline not before it.
func forAllPairs(f func(g geometry, slots, levels int, cursor, deadline structures.Tick)) {
	for _, s := range small {
		g := newGeometry(s.slots, s.levels)
		end := 3 * structures.Tick(math.Pow(float64(s.slots), float64(s.levels)))
		for cursor := range end {
			for deadline := cursor; deadline < end; deadline++ {
				f(g, s.slots, s.levels, cursor, deadline)
			}
		}
	}
}

func TestListsAreThoseOfTheHighestDifferingDigit(t *testing.T) {
	forAllPairs(func(g geometry, slots, levels int, cursor, deadline structures.Tick) {
		level, digit := place(deadline, cursor, slots)
		want := min(level*slots+digit, levels*slots)
		list := g.list(deadline, cursor)
		start := g.spanStart(deadline)
		if list != g.overflow {
			start = g.start(list, cursor)
		}
		if list != want || start > deadline || list < slots && start != deadline {
			t.Fatalf("%d slots, %d levels, cursor %d: %d is in list %d, which starts at %d, want %d",
				slots, levels, cursor, deadline, list, start, want)
		}
		// On a higher level the list starts after the cursor, holds all from its start to the
		// deadline, and nothing before.
		if list >= slots && (start <= cursor || g.list(start, cursor) != list ||
			list != g.overflow && g.list(start-1, cursor) == list) {
			t.Fatalf("%d slots, %d levels, cursor %d: list %d of %d starts at %d",
				slots, levels, cursor, list, deadline, start)
		}
	})
}

func TestLevelsCoverAllTicks(t *testing.T) {
	for slots := minSlots; slots <= maxSlots; slots *= 2 {
		levels := allLevels(slots)
		g := newGeometry(slots, levels)
		for bit := range tickBits {
			tick := structures.Tick(1) << bit
			for _, pair := range [][2]structures.Tick{
				{tick, 0}, {tick, tick - 1}, {tick, tick / 2}, {tick | 1, 1},
				{math.MaxInt64, math.MaxInt64 ^ tick}, {math.MaxInt64, tick - 1},
			} {
				deadline, cursor := pair[0], pair[1]
				level, digit := place(deadline, cursor, slots)
				if got, want := g.list(deadline, cursor), level*slots+digit; got != want {
					t.Fatalf("%d slots: list(%d, cursor %d) = %d, want %d", slots, deadline, cursor, got, want)
				}
				if got := g.start(g.list(deadline, cursor), cursor); got > deadline || got < cursor {
					t.Fatalf("%d slots: the list of %d starts at %d, cursor %d", slots, deadline, got, cursor)
				}
			}
		}
		if top := g.list(math.MaxInt64, 0) / slots; top != levels-1 {
			t.Errorf("%d slots: the last tick is on level %d of %d", slots, top, levels)
		}
	}
}
