package schedtest

import (
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/shape"
)

// checkSnapshot checks a snapshot after some checks of the invariants, which go the same way.
func (s *subject) checkSnapshot() {
	shown, ok := s.s.(shape.Shown)
	if !ok {
		return
	}
	pending := make(map[structures.ID]structures.Tick, s.model.Len())
	for _, e := range s.model.Pending {
		pending[e.ID] = e.Deadline
	}
	if err := CheckSnapshot(shown.Snapshot(), pending); err != nil {
		s.fail("Snapshot", "%v", err)
	}
}

// CheckSnapshot returns an error unless the snapshot shows each pending timer once, with its deadline, and all other
// entries as stale, and its cells are arranged as the kind of their part requires. A snapshot without parts passes.
func CheckSnapshot(got shape.Snapshot, pending map[structures.ID]structures.Tick) error {
	if len(got.Parts) == 0 {
		return nil
	}
	seen := make(map[structures.ID]bool, len(pending))
	for _, p := range got.Parts {
		if err := rules.FirstBroken(p.Name, func() { checkPart(p, pending, seen) }); err != nil {
			return err
		}
	}
	for id, deadline := range pending {
		if !seen[id] {
			return fmt.Errorf("ID %#x with deadline %d is pending and not shown", id, deadline)
		}
	}
	return nil
}

func checkPart(p shape.Part, pending map[structures.ID]structures.Tick, seen map[structures.ID]bool) {
	for at, c := range p.Cells {
		checkPlace(p, at)
		for _, e := range c.Entries {
			if e.Stale() {
				rules.Must(e.Filed == e.Deadline, "a stale entry has the deadline %d and is filed under %d", e.Deadline, e.Filed)
				continue
			}
			deadline, ok := pending[e.ID]
			rules.Must(ok, "ID %#x with deadline %d is shown and not pending", e.ID, e.Deadline)
			rules.Must(!seen[e.ID], "ID %#x is shown twice", e.ID)
			rules.Must(e.Deadline == deadline, "ID %#x is shown with the deadline %d, want %d", e.ID, e.Deadline, deadline)
			rules.Must(e.Filed <= e.Deadline, "ID %#x is filed under %d, after its deadline %d", e.ID, e.Filed, e.Deadline)
			seen[e.ID] = true
		}
	}
	if p.Kind == shape.Tree && p.Arity == 2 {
		checkSearchTree(p)
	}
}

// checkPlace checks where the cell at a place of a part stands.
func checkPlace(p shape.Part, at int) {
	c := p.Cells[at]
	rules.Must(len(c.Entries) > 0, "cell %d: it is empty", at)
	switch p.Kind {
	case shape.Slots:
		rules.Must(c.Index >= 0 && c.Index < p.Size && p.Now >= -1 && p.Now < p.Size,
			"slot %d of %d, the clock points to %d", c.Index, p.Size, p.Now)
		rules.Must(at == 0 || c.Index > p.Cells[max(at, 1)-1].Index,
			"slot %d comes after slot %d", c.Index, p.Cells[max(at, 1)-1].Index)
		rules.Must(c.From <= c.To && (p.Width == 0 || c.To == math.MaxInt64 || c.To-c.From == p.Width-1),
			"it spans %d to %d, want %d ticks",
			c.From, c.To, p.Width)
		for _, e := range c.Entries {
			rules.Must(e.Filed >= c.From, "an entry filed under %d is in a slot that starts at %d", e.Filed, c.From)
		}
	case shape.Heap, shape.Tree:
		rules.Must(c.Index == at && c.Parent < at && (c.Parent < 0) == (at == 0),
			"cell %d: it is node %d with the parent %d", at, c.Index, c.Parent)
		filed := c.Entries[0].Filed
		rules.Must(p.Kind == shape.Tree || at == 0 || filed >= p.Cells[c.Parent].Entries[0].Filed,
			"cell %d: it is filed under %d, before its parent",
			at, filed)
	default:
		rules.Must(c.Index == at, "cell %d: it is cell %d", at, c.Index)
	}
}

// checkSearchTree checks that a tree, read from left to right, is in order: each node is filed within the span that its parent leaves.
func checkSearchTree(p shape.Part) {
	type span struct {
		first, last structures.Tick
		taken       [2]bool // children
	}
	spans := make([]span, len(p.Cells))
	for i, c := range p.Cells {
		within := span{first: math.MinInt64, last: math.MaxInt64}
		if i > 0 {
			parent, at := &spans[c.Parent], p.Cells[c.Parent].Entries[0].Filed
			rules.Must(c.Child&1 == c.Child && !parent.taken[c.Child&1],
				"node %d is child %d of node %d, which has another one or cannot",
				i, c.Child, c.Parent)
			parent.taken[c.Child] = true
			if within = (span{first: parent.first, last: at}); c.Child == 1 {
				within = span{first: at, last: parent.last}
			}
		}
		filed := c.Entries[0].Filed
		rules.Must(filed >= within.first && filed <= within.last,
			"node %d, filed under %d, is not from %d to %d", i, filed, within.first, within.last)
		spans[i] = within
	}
}
