package hwheel

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// where says in words of school arithmetic what geometry.place says in bits.
func where(fine, ring uint, levels int, deadline, cursor structures.Tick) (level, slot int, width structures.Tick) {
	near, size := structures.Tick(1)<<fine, structures.Tick(1)<<ring
	if deadline-cursor <= near {
		return 0, int(deadline % near), 1
	}
	level, width = 1, near
	for level < levels-1 && (deadline-cursor)/size >= width {
		level++
		width *= near
	}
	return level, int(near + structures.Tick(level-1)*size + deadline/width%size), width
}

// tryPlace compares place with where, and makes sure of what the wheel counts on.
func tryPlace(t *testing.T, g *geometry, deadline, cursor structures.Tick) {
	level, want, width := where(g.levelBits, g.ringBits, g.levels, deadline, cursor)
	slot, first := g.slotFor(deadline, cursor)
	turn, here := structures.Tick(1)<<g.levelBits, g.slot0(deadline)
	if level > 0 {
		turn, here = 1<<g.ringBits, g.slotAt(level, deadline)
	}
	var broken string
	switch {
	case slot != want || g.levelOf(slot) != level:
		broken = "it is another slot"
	case first <= cursor:
		broken = "it does not start after the cursor"
	case first > deadline || deadline-first >= width || first%width != 0 || first != g.slotStart(level, deadline):
		broken = "it does not hold the deadline"
	case first/width-cursor/width > turn:
		broken = "it comes up once before: it is more than a turn of the ring ahead"
	case slot != here:
		broken = "it is not the one that is looked at then"
	default:
		return
	}
	t.Fatalf("fine %d, ring %d: place(%d, cursor %d) = slot %d from %d on, want slot %d on level %d: %s",
		g.levelBits, g.ringBits, deadline, cursor, slot, first, want, level, broken)
}

// small are shapes of which all pairs of ticks up to end can be tried: enough for
// three levels at least, and for their rings to turn.
var small = []struct {
	fine, ring uint
	end        structures.Tick
}{{1, 2, 300}, {1, 4, 300}, {2, 3, 700}, {3, 4, 700}, {2, 6, 1200}}

func TestPlaceOfEveryDeadline(t *testing.T) {
	for _, shape := range small {
		g := newGeometry(shape.fine, shape.ring)
		for cursor := range shape.end {
			for deadline := cursor + 1; deadline < shape.end; deadline++ {
				tryPlace(t, &g, deadline, cursor)
			}
		}
	}
}

func TestPlaceAtEveryPowerOfTwo(t *testing.T) {
	var ticks []structures.Tick
	for bits := range 63 {
		ticks = append(ticks, 1<<bits-1, 1<<bits, 1<<bits+1, math.MaxInt64-1<<bits, math.MaxInt64-1<<bits+1)
	}
	for _, shape := range shapes {
		g := newGeometry(shape.fine, shape.ring)
		for _, cursor := range ticks {
			for _, deadline := range append(ticks, math.MaxInt64) {
				if deadline > cursor {
					tryPlace(t, &g, deadline, cursor)
				}
			}
		}
	}
}

// What leaves a slot when it starts has room on the levels below, and not in another
// slot that starts at the same tick.
func TestEverySlotCascadesDown(t *testing.T) {
	for _, shape := range shapes {
		g := newGeometry(shape.fine, shape.ring)
		for level := 1; level < g.levels; level++ {
			width := uint64(1) << g.widthBits(level)
			for _, number := range []uint64{1, 2, 3, 1<<shape.ring - 1, 1 << shape.ring} {
				start := number * width
				if start/width != number || start > math.MaxInt64 {
					continue
				}
				last := min(start+(width-1), math.MaxInt64)
				for _, deadline := range []uint64{start, start + width>>g.levelBits, start + width/2, last} {
					slot, first := g.slotFor(structures.Tick(deadline), structures.Tick(start-1))
					below := g.levelOf(slot)
					if below >= level || below > 0 && first == structures.Tick(start) {
						t.Fatalf("fine %d, ring %d: deadline %d goes from the slot of level %d at %d to that of level %d at %d",
							shape.fine, shape.ring, deadline, level, start, below, first)
					}
				}
			}
		}
	}
}

func TestFirstOnFindsTheSlotOfEveryDeadline(t *testing.T) {
	w := newWheel[int](newGeometry(1, 2))
	for cursor := range structures.Tick(130) {
		w.cursor = cursor
		for deadline := cursor + 1; deadline < 200; deadline++ {
			slot, first := w.slotFor(deadline, cursor)
			level := w.levelOf(slot)
			w.occupied.Set(slot)
			if s := w.firstOfLevel(level); s != (slotStart{true, slot, first}) {
				t.Fatalf("cursor %d, deadline %d: found %+v, want slot %d at %d", cursor, deadline, s, slot, first)
			}
			w.occupied.Clear(slot)
			// Neighbours belong to other levels.
			w.occupied.Set((slot + 1) % w.slotCount())
			if s := w.firstOfLevel(level); s.known && w.levelOf(s.slot) != level {
				t.Fatalf("cursor %d: found %+v, want one of level %d", cursor, s, level)
			}
			w.occupied.Clear((slot + 1) % w.slotCount())
		}
		for level := range w.levels {
			if s := w.firstOfLevel(level); s != noSlot {
				t.Fatalf("cursor %d: found %+v on level %d, which is empty", cursor, s, level)
			}
		}
	}
}

func TestSlotsAreNumberedLevelByLevel(t *testing.T) {
	for _, shape := range shapes {
		g := newGeometry(shape.fine, shape.ring)
		slot := 0
		for level := range g.levels {
			size := 1 << shape.ring
			if level == 0 {
				size = 1 << shape.fine
			}
			for range size {
				if got := g.levelOf(slot); got != level {
					t.Fatalf("fine %d, ring %d: slot %d is on level %d, want %d", shape.fine, shape.ring, slot, got, level)
				}
				slot++
			}
		}
		if g.slotCount() != slot || g.levels > maxLevels {
			t.Errorf("fine %d, ring %d: %d slots on %d levels, want %d", shape.fine, shape.ring, g.slotCount(), g.levels, slot)
		}
		// The levels reach all there is, and none of them is more than that takes.
		if top := g.widthBits(g.levels-1) + shape.ring; top < 63 || g.widthBits(g.levels-2)+shape.ring >= 64 {
			t.Errorf("fine %d, ring %d: %d levels reach 2^%d ticks", shape.fine, shape.ring, g.levels, top)
		}
	}
}

// The table of levels in the doc comment is that of the default geometry.
func TestTableOfLevels(t *testing.T) {
	source, err := os.ReadFile("geometry.go")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(string(source)) {
		if row, ok := strings.CutPrefix(line, "//\t"); ok {
			rows = append(rows, strings.Join(strings.Fields(row), " "))
		}
	}
	g := newGeometry(8, 12)
	want := []string{"level ticks per slot ticks per level"}
	for level := range g.levels {
		ring := g.ringBits
		if level == 0 {
			ring = g.levelBits
		}
		all := "all there is"
		if g.widthBits(level)+ring < 63 {
			all = amount(1 << (g.widthBits(level) + ring))
		}
		want = append(want, fmt.Sprintf("%d %s %s", level, amount(1<<g.widthBits(level)), all))
	}
	if got, want := strings.Join(rows, "\n"), strings.Join(want, "\n"); got != want {
		t.Errorf("the doc comment has\n%s\nwant\n%s", got, want)
	}
}

func amount(n uint64) string {
	if n >= 1e9 {
		return fmt.Sprintf("about %.1e", float64(n))
	}
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
