package hwheel

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// geometries are the default, the one with the most levels, and some in between.
var geometries = []geometry{newGeometry(8, 12), newGeometry(1, 2), newGeometry(2, 3), newGeometry(2, 6), newGeometry(5, 6)}

func (g *geometry) String() string { return fmt.Sprintf("%d,%d", g.levelBits, g.ringBits) }

// slotByDivision does with divisions what slotFor does with bits.
func slotByDivision(g *geometry, deadline, cursor structures.Tick) (level, slot int, width structures.Tick) {
	slots0, ring := structures.Tick(1)<<g.levelBits, structures.Tick(1)<<g.ringBits
	if deadline-cursor <= slots0 {
		return 0, int(deadline % slots0), 1
	}
	level, width = 1, slots0
	for level < g.levels-1 && (deadline-cursor)/ring >= width {
		level++
		width *= slots0
	}
	return level, int(slots0 + structures.Tick(level-1)*ring + deadline/width%ring), width
}

// checkSlotFor compares slotFor with slotByDivision, and checks what the wheel relies
// on.
func checkSlotFor(t *testing.T, g *geometry, deadline, cursor structures.Tick) {
	level, want, width := slotByDivision(g, deadline, cursor)
	slot, start := g.slotFor(deadline, cursor)
	revolution, here := structures.Tick(1)<<g.levelBits, g.slot0(deadline)
	if level > 0 {
		revolution, here = 1<<g.ringBits, g.slotAt(level, deadline)
	}
	var broken string
	switch {
	case slot != want || g.levelOf(slot) != level:
		broken = "it is another slot"
	case start <= cursor:
		broken = "it does not start after the cursor"
	case start > deadline || deadline-start >= width || start%width != 0 || start != g.slotStart(level, deadline):
		broken = "it does not hold the deadline"
	case start/width-cursor/width > revolution:
		broken = "it is more than a revolution ahead"
	case slot != here:
		broken = "it is not the slot of the level for the deadline"
	default:
		return
	}
	t.Fatalf("%v: slotFor(%d, cursor %d) = slot %d from %d on, want slot %d of level %d: %s",
		g, deadline, cursor, slot, start, want, level, broken)
}

func TestSlotForEveryDeadline(t *testing.T) {
	// All pairs of ticks up to the end: enough for three levels to turn.
	for _, c := range []struct {
		g   geometry
		end structures.Tick
	}{{newGeometry(1, 2), 300}, {newGeometry(1, 4), 300}, {newGeometry(2, 3), 700}, {newGeometry(3, 4), 700}, {newGeometry(2, 6), 1200}} {
		for cursor := range c.end {
			for deadline := cursor + 1; deadline < c.end; deadline++ {
				checkSlotFor(t, &c.g, deadline, cursor)
			}
		}
	}
}

func TestSlotForAtEveryPowerOfTwo(t *testing.T) {
	ticks := []structures.Tick{math.MaxInt64}
	for bits := range 63 {
		ticks = append(ticks, 1<<bits-1, 1<<bits, 1<<bits+1, math.MaxInt64-1<<bits, math.MaxInt64-1<<bits+1)
	}
	for _, g := range geometries {
		for _, cursor := range ticks {
			for _, deadline := range ticks {
				if deadline > cursor {
					checkSlotFor(t, &g, deadline, cursor)
				}
			}
		}
	}
}

// All deadlines of a slot have slots on the levels below when it starts, and not
// slots above level 0 that start at the same tick.
func TestEverySlotCascadesDown(t *testing.T) {
	for _, g := range geometries {
		for level := 1; level < g.levels; level++ {
			width := uint64(1) << g.widthBits(level)
			for _, number := range []uint64{1, 2, 3, 1<<g.ringBits - 1, 1 << g.ringBits} {
				start := number * width
				if start/width != number || start > math.MaxInt64 {
					continue
				}
				last := min(start+(width-1), math.MaxInt64)
				for _, deadline := range []uint64{start, start + width>>g.levelBits, start + width/2, last} {
					slot, first := g.slotFor(structures.Tick(deadline), structures.Tick(start-1))
					below := g.levelOf(slot)
					if below >= level || below > 0 && first == structures.Tick(start) {
						t.Fatalf("%v: deadline %d cascades from the slot of level %d at %d to that of level %d at %d",
							&g, deadline, level, start, below, first)
					}
				}
			}
		}
	}
}

func TestSlotsAreNumberedLevelByLevel(t *testing.T) {
	for _, g := range geometries {
		slot := 0
		for level := range g.levels {
			size := 1 << g.ringBits
			if level == 0 {
				size = 1 << g.levelBits
			}
			for range size {
				if got := g.levelOf(slot); got != level {
					t.Fatalf("%v: slot %d is on level %d, want %d", &g, slot, got, level)
				}
				slot++
			}
		}
		if g.slotCount() != slot || g.levels > maxLevels {
			t.Errorf("%v: %d slots on %d levels, want %d", &g, g.slotCount(), g.levels, slot)
		}
		// The levels reach all ticks, and the last one is needed for that.
		if top := g.widthBits(g.levels-1) + g.ringBits; top < 63 || g.widthBits(g.levels-2)+g.ringBits >= 64 {
			t.Errorf("%v: %d levels reach 2^%d ticks", &g, g.levels, top)
		}
	}
}

// The table in the doc comment is that of the default geometry.
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
		ringBits := g.ringBits
		if level == 0 {
			ringBits = g.levelBits
		}
		all := "all there is"
		if g.widthBits(level)+ringBits < 63 {
			all = amount(1 << (g.widthBits(level) + ringBits))
		}
		want = append(want, fmt.Sprintf("%d %s %s", level, amount(1<<g.widthBits(level)), all))
	}
	if got, want := strings.Join(rows, "\n"), strings.Join(want, "\n"); got != want {
		t.Errorf("the doc comment has\n%s\nwant\n%s", got, want)
	}
}

// amount writes a number as the table does.
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
