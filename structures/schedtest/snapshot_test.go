package schedtest

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/shape"
)

// sound is a snapshot with a part of each shape that shows timers 1 to 7.
func sound() (shape.Snapshot, map[structures.ID]structures.Tick) {
	entry := func(id structures.ID) []shape.Entry {
		return []shape.Entry{{ID: id, Deadline: 10 * structures.Tick(id), Filed: 10 * structures.Tick(id)}}
	}
	s := shape.Snapshot{Parts: []shape.Part{
		{Name: "slots", Kind: shape.Slots, Size: 4, Width: 8, Now: 1, Cells: []shape.Cell{
			{Index: 1, From: 8, To: 15, Entries: entry(1)},
			{Index: 2, From: 16, To: 23, Entries: append(entry(2), shape.Entry{Deadline: 17, Filed: 17})},
		}},
		{Name: "heap", Kind: shape.Heap, Arity: 2, Cells: []shape.Cell{
			{Index: 0, Parent: -1, Entries: entry(3)}, {Index: 1, Parent: 0, Entries: entry(4)},
		}},
		{Name: "tree", Kind: shape.Tree, Arity: 2, Cells: []shape.Cell{
			{Index: 0, Parent: -1, Entries: entry(6)}, {Index: 1, Parent: 0, Child: 0, Entries: entry(5)},
		}},
		{Name: "list", Kind: shape.List, Cells: []shape.Cell{{Index: 0, Entries: entry(7)}}},
	}}
	pending := make(map[structures.ID]structures.Tick)
	for id := structures.ID(1); id <= 7; id++ {
		pending[id] = 10 * structures.Tick(id)
	}
	return s, pending
}

func TestCheckSnapshotNamesWhatIsWrong(t *testing.T) {
	if s, pending := sound(); CheckSnapshot(s, pending) != nil {
		t.Fatal(CheckSnapshot(s, pending))
	}
	if _, pending := sound(); CheckSnapshot(shape.Snapshot{}, pending) != nil {
		t.Error("a structure that does not show its shape is refused")
	}
	for want, spoil := range map[string]func(p []shape.Part, pending map[structures.ID]structures.Tick){
		"pending and not shown":          func(_ []shape.Part, pending map[structures.ID]structures.Tick) { pending[9] = 90 },
		"shown and not pending":          func(_ []shape.Part, pending map[structures.ID]structures.Tick) { delete(pending, 4) },
		"shown twice":                    func(p []shape.Part, _ map[structures.ID]structures.Tick) { p[3].Cells[0].Entries[0].ID = 1 },
		"with the deadline 70, want 71":  func(_ []shape.Part, pending map[structures.ID]structures.Tick) { pending[7] = 71 },
		"filed under 71, after":          func(p []shape.Part, _ map[structures.ID]structures.Tick) { p[3].Cells[0].Entries[0].Filed = 71 },
		"a stale entry has":              func(p []shape.Part, _ map[structures.ID]structures.Tick) { p[0].Cells[1].Entries[1].Deadline = 18 },
		"it is empty":                    func(p []shape.Part, _ map[structures.ID]structures.Tick) { p[3].Cells[0].Entries = nil },
		"slot 4 of 4":                    func(p []shape.Part, _ map[structures.ID]structures.Tick) { p[0].Cells[1].Index = 4 },
		"the clock points to 4":          func(p []shape.Part, _ map[structures.ID]structures.Tick) { p[0].Now = 4 },
		"slot 1 comes after slot 1":      func(p []shape.Part, _ map[structures.ID]structures.Tick) { p[0].Cells[1].Index = 1 },
		"it spans 8 to 14, want 8 ticks": func(p []shape.Part, _ map[structures.ID]structures.Tick) { p[0].Cells[0].To = 14 },
		"in a slot that starts at 16":    func(p []shape.Part, _ map[structures.ID]structures.Tick) { p[0].Cells[1].Entries[0].Filed = 15 },
		"it is node 1 with the parent 1": func(p []shape.Part, _ map[structures.ID]structures.Tick) { p[1].Cells[1].Parent = 1 },
		"before its parent":              func(p []shape.Part, _ map[structures.ID]structures.Tick) { p[1].Cells[1].Entries[0].Filed = 20 },
		"filed under 50, is not from 60": func(p []shape.Part, _ map[structures.ID]structures.Tick) { p[2].Cells[1].Child = 1 },
		"node 1 is child 2 of node 0":    func(p []shape.Part, _ map[structures.ID]structures.Tick) { p[2].Cells[1].Child = 2 },
		"it is cell 5":                   func(p []shape.Part, _ map[structures.ID]structures.Tick) { p[3].Cells[0].Index = 5 },
	} {
		s, pending := sound()
		spoil(s.Parts, pending)
		if err := CheckSnapshot(s, pending); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// forgetful shows all timers but the last.
type forgetful struct{ reference }

func (f *forgetful) Snapshot() shape.Snapshot {
	p := shape.Part{Name: "list", Kind: shape.List}
	for i, e := range f.Pending[:max(0, len(f.Pending)-1)] {
		p.Cells = append(p.Cells, shape.Cell{Index: i, Entries: []shape.Entry{{ID: e.ID, Deadline: e.Deadline, Filed: e.Deadline}}})
	}
	return shape.Snapshot{Parts: []shape.Part{p}}
}

func TestTheSuiteLooksAtSnapshots(t *testing.T) {
	c := newConfig(func() structures.Scheduler[uint64] { return &forgetful{} }, nil)
	failed := strings.Join(record(func(r reporter) { newSubject(r, c, "forgetful").schedule(5) }), "")
	if !strings.Contains(failed, `rule "Snapshot" broken: ID 0x1`) {
		t.Errorf("reported %q", failed)
	}
}
