package sketch

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/schedtest/model"
	"github.com/timerbench/timerbench/structures/shape"
)

// at returns entries of timers whose IDs are their deadlines.
func at(deadlines ...structures.Tick) []shape.Entry {
	var out []shape.Entry
	for _, d := range deadlines {
		out = append(out, shape.Entry{ID: structures.ID(d), Deadline: d, Filed: d})
	}
	return out
}

func list(deadlines ...structures.Tick) shape.Part {
	p := shape.Part{Name: "list", Kind: shape.List}
	for i, e := range at(deadlines...) {
		p.Cells = append(p.Cells, shape.Cell{Index: i, Entries: []shape.Entry{e}})
	}
	return p
}

// tree returns a tree from the parents and the sides of its nodes, due at 1, 2 and so on.
func tree(arity int, parents ...[2]int) shape.Part {
	p := shape.Part{Name: "tree", Kind: shape.Tree, Arity: arity}
	for i, parent := range parents {
		p.Cells = append(p.Cells, shape.Cell{Index: i, Parent: parent[0], Child: parent[1], Entries: at(structures.Tick(i + 1))})
	}
	return p
}

func ring(now int, cells ...shape.Cell) shape.Part {
	return shape.Part{Name: "ring", Kind: shape.Slots, Size: 16, Width: 1, Now: now, Cells: cells}
}

func slot(index int, entries ...shape.Entry) shape.Cell {
	return shape.Cell{Index: index, From: structures.Tick(index), To: structures.Tick(index), Entries: entries}
}

func snapshot(parts ...shape.Part) shape.Snapshot { return shape.Snapshot{Parts: parts} }

func TestWhatHasChangedIsMarked(t *testing.T) {
	left := shape.Entry{Deadline: 7, Filed: 7}
	later := shape.Entry{ID: 5, Deadline: 9, Filed: 5}
	tests := map[string]struct {
		before, now shape.Snapshot
		want        string
	}{
		"added":     {snapshot(list(5)), snapshot(list(5, 8)), "list:\n  5  +8\n"},
		"removed":   {snapshot(list(5, 6)), snapshot(list(6)), "list:\n  6\n"},
		"as before": {snapshot(list(5, 6)), snapshot(list(5, 6)), "list: as before\n"},
		"left in its slot": {
			snapshot(ring(0, slot(7, at(7)...))), snapshot(ring(0, slot(7, left))),
			"ring: 16 slots of 1 tick, the clock is at slot 0:\n     ┌ 7 ─┐\n  ·6·│ x7 │\n     └────┘\n",
		},
		"stale, beside a new one": {
			snapshot(ring(0, slot(7, left))), snapshot(ring(0, slot(7, left, at(8)[0]))),
			"ring: 16 slots of 1 tick, the clock is at slot 0:\n     ┌─ 7 ─┐\n  ·6·│ (7) │\n     │ +8  │\n     └─────┘\n",
		},
		"another deadline": {snapshot(list(5)), snapshot(shape.Part{Name: "list", Kind: shape.List, Cells: []shape.Cell{{Entries: []shape.Entry{later}}}}),
			"list:\n  >5→9\n"},
		"another parent": {
			snapshot(tree(0, [2]int{-1, 0}, [2]int{0, 0}, [2]int{1, 0})), snapshot(tree(0, [2]int{-1, 0}, [2]int{0, 0}, [2]int{0, 1})),
			"tree:\n   1\n  ┌┴─┐\n  2 >3\n",
		},
		"another side of a search tree": {
			snapshot(tree(2, [2]int{-1, 0}, [2]int{0, 0})), snapshot(tree(2, [2]int{-1, 0}, [2]int{0, 1})),
			"tree:\n  1\n  └──┐\n    >2\n",
		},
		"emptied":   {snapshot(list(5), tree(0, [2]int{-1, 0})), snapshot(list(5)), "list: as before\ntree: empty now\n"},
		"no timers": {snapshot(list(5)), snapshot(list()), "list:\n  no timers\n"},
	}
	for name, test := range tests {
		var s Sketch
		if s.show(&test.before, test.now); s.String() != test.want {
			got := s.String()
			t.Errorf("%s:\n%swant\n%s", name, got, test.want)
		}
	}
}

// A sketch that is wider than the page continues below.
func TestWideDrawingsAreBroken(t *testing.T) {
	var deadlines []structures.Tick
	var cells []shape.Cell
	star := [][2]int{{-1, 0}}
	for i := range 60 {
		deadlines = append(deadlines, structures.Tick(1_000_000+i))
		cells = append(cells, slot(i, at(structures.Tick(1_000_000+i))...))
		star = append(star, [2]int{0, i})
	}
	wide := shape.Part{Name: "ring", Kind: shape.Slots, Size: 64, Width: 1, Now: -1, Cells: cells}
	var s Sketch
	s.show(nil, snapshot(list(deadlines...), wide, tree(0, star...)))
	text := s.String()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > Columns {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, d := range deadlines {
		if n := strings.Count(text, fmt.Sprint(d)); n < 2 {
			t.Fatalf("deadline %d is there %d times, want it in the list and in the ring:\n%s", d, n, text)
		}
	}
	fail.Unless(t, text, "\n     60\n     61\n") // an outline of the wide tree
}

var update = flag.Bool("update", false, "rewrite the golden files")

// One structure of each shape, and the structures that leave entries behind.
func TestDrawings(t *testing.T) {
	for _, name := range []string{"list", "minheap", "quadheap-lazy", "pairingheap", "radixheap", "wheel", "hwheel", "calendar", "bucketheap", "rbtree", "skiplist"} {
		e, _ := catalog.Find(name)
		got := Drawing(Steps(e.New())).String()
		path := filepath.Join("testdata", name+".txt")
		if *update {
			fail.Write(t, path, got)
		}
		if got != fail.Read(t, path) {
			t.Errorf("%s is drawn in another way than %s shows: look at both, then run with -update:\n%s", name, path, got)
		}
	}
}

// The steps do what their titles say: the same timers fire in every exact structure, and
// each snapshot shows what a list of timers would.
func TestStepsDoWhatTheySay(t *testing.T) {
	if steps := Steps(new(model.Model[uint64])); steps != nil {
		t.Errorf("%d steps of what does not show its shape", len(steps))
	}
	for _, e := range catalog.All() {
		steps := Steps(e.New())
		if steps == nil {
			continue // it does not show its shape
		}
		if len(steps) != 7 {
			t.Errorf("%s: %d steps", e.Name, len(steps))
			continue
		}
		all := [][]structures.Tick{
			{103, 103, 110, 118, 180, 210, 300, 420, 700, 1500, 5000, 70_000},
			{103, 103, 110, 118, 180, 210, 300, 350, 420, 700, 1500, 5000, 70_000},
			{103, 103, 110, 118, 180, 300, 350, 420, 700, 1500, 5000, 70_000},
			{103, 103, 110, 180, 300, 350, 420, 700, 900, 1500, 5000, 70_000},
			{103, 103, 110, 130, 180, 300, 350, 420, 700, 900, 1500, 70_000},
			{110, 130, 180, 300, 350, 420, 700, 900, 1500, 70_000},
			{700, 900, 1500, 70_000},
		}
		wantFired := []structures.Tick{103, 103, 110, 130, 180, 300, 350, 420}
		if e.Name == "sweep" { // at tick 1000
			all[5], all[6] = all[4], []structures.Tick{1500, 70_000}
			wantFired = append(wantFired, 700, 900)
		}
		for i, want := range all {
			if got := pending(steps[i].Snapshot); !slices.Equal(got, want) {
				t.Errorf("%s after %q shows %v, want %v", e.Name, steps[i].Title, got, want)
			}
		}
		fired := slices.Concat(steps[5].Fired, steps[6].Fired)
		if e.Name == "sweep" {
			slices.Sort(fired) // any order
		}
		fail.UnlessSame(t, e.Name, fired, wantFired)
	}
}

func pending(s shape.Snapshot) []structures.Tick {
	var out []structures.Tick
	for _, p := range s.Parts {
		for _, c := range p.Cells {
			for _, e := range c.Entries {
				if !e.Stale() {
					out = append(out, e.Deadline)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}
