package hwheellist

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

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

func TestListIsTheHighestDifferingDigit(t *testing.T) {
	forAllPairs(func(g geometry, slots, levels int, cursor, deadline structures.Tick) {
		level, digit := place(deadline, cursor, slots)
		want := level*slots + digit
		if level >= levels {
			want = levels * slots
		}
		if got := g.list(deadline, cursor); got != want {
			t.Fatalf("%d slots, %d levels: list(%d, cursor %d) = %d, want %d",
				slots, levels, deadline, cursor, got, want)
		}
	})
}

func TestStartIsTheFirstTickOfTheList(t *testing.T) {
	forAllPairs(func(g geometry, slots, levels int, cursor, deadline structures.Tick) {
		list := g.list(deadline, cursor)
		start := g.spanStart(deadline)
		if list != g.overflow() {
			start = g.start(list, cursor)
		}
		if start > deadline {
			t.Fatalf("%d slots, %d levels, cursor %d: %d is in a list that starts at %d",
				slots, levels, cursor, deadline, start)
		}
		if list < slots {
			if start != deadline {
				t.Fatalf("%d slots, cursor %d: %d is on level 0, in the slot of %d",
					slots, cursor, deadline, start)
			}
			return
		}
		// On a higher level the list starts after the cursor, holds all from its
		// start to the deadline, and nothing before.
		if start <= cursor || g.list(start, cursor) != list {
			t.Fatalf("%d slots, %d levels, cursor %d: list %d of %d starts at %d",
				slots, levels, cursor, list, deadline, start)
		}
		if list != g.overflow() && g.list(start-1, cursor) == list {
			t.Fatalf("%d slots, %d levels, cursor %d: list %d starts before %d",
				slots, levels, cursor, list, start)
		}
	})
}

func TestOrderOfListsIsOrderOfTime(t *testing.T) {
	forAllPairs(func(g geometry, slots, levels int, cursor, deadline structures.Tick) {
		if deadline > cursor && g.list(deadline-1, cursor) > g.list(deadline, cursor) {
			t.Fatalf("%d slots, %d levels, cursor %d: %d is in a later list than %d",
				slots, levels, cursor, deadline-1, deadline)
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
					t.Fatalf("%d slots: list(%d, cursor %d) = %d, want %d",
						slots, deadline, cursor, got, want)
				}
				if got := g.start(g.list(deadline, cursor), cursor); got > deadline || got < cursor {
					t.Fatalf("%d slots: the list of %d starts at %d, cursor %d",
						slots, deadline, got, cursor)
				}
			}
		}
		if top := g.list(math.MaxInt64, 0) / slots; top != levels-1 {
			t.Errorf("%d slots: the last tick is on level %d of %d", slots, top, levels)
		}
	}
}

// The table in the doc of geometry.
func TestLevelTable(t *testing.T) {
	g := newGeometry(256, allLevels(256))
	for level, perSlot := range []structures.Tick{1, 256, 65536, 16777216, 4294967296, 1 << 40, 1 << 48, 1 << 56} {
		if got := g.start(level*256+1, 0); got != perSlot {
			t.Errorf("a slot of level %d is %d ticks wide, want %d", level, got, perSlot)
		}
	}
	if g.levels != 8 {
		t.Errorf("%d levels, want 8", g.levels)
	}
}
