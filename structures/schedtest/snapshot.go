package schedtest

import (
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
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
		for at, c := range p.Cells {
			if err := checkPlace(p, at); err != nil {
				return fmt.Errorf("%s, cell %d: %w", p.Name, at, err)
			}
			for _, e := range c.Entries {
				if err := checkEntry(e, pending, seen); err != nil {
					return fmt.Errorf("%s, cell %d: %w", p.Name, at, err)
				}
			}
		}
		if p.Kind == shape.Tree && p.Arity == 2 {
			if err := checkSearchTree(p); err != nil {
				return fmt.Errorf("%s: %w", p.Name, err)
			}
		}
	}
	for id, deadline := range pending {
		if !seen[id] {
			return fmt.Errorf("ID %#x with deadline %d is pending and not shown", id, deadline)
		}
	}
	return nil
}

func checkEntry(e shape.Entry, pending map[structures.ID]structures.Tick, seen map[structures.ID]bool) error {
	if e.Stale() {
		if e.Filed != e.Deadline {
			return fmt.Errorf("a stale entry has the deadline %d and is filed under %d", e.Deadline, e.Filed)
		}
		return nil
	}
	deadline, ok := pending[e.ID]
	switch {
	case !ok:
		return fmt.Errorf("ID %#x with deadline %d is shown and not pending", e.ID, e.Deadline)
	case seen[e.ID]:
		return fmt.Errorf("ID %#x is shown twice", e.ID)
	case e.Deadline != deadline:
		return fmt.Errorf("ID %#x is shown with the deadline %d, want %d", e.ID, e.Deadline, deadline)
	case e.Filed > e.Deadline:
		return fmt.Errorf("ID %#x is filed under %d, after its deadline %d", e.ID, e.Filed, e.Deadline)
	}
	seen[e.ID] = true
	return nil
}

// checkPlace checks where the cell at a place of a part stands.
func checkPlace(p shape.Part, at int) error {
	c := p.Cells[at]
	if len(c.Entries) == 0 {
		return fmt.Errorf("it is empty")
	}
	switch p.Kind {
	case shape.Slots:
		switch {
		case c.Index < 0 || c.Index >= p.Size || p.Now < -1 || p.Now >= p.Size:
			return fmt.Errorf("slot %d of %d, the clock points to %d", c.Index, p.Size, p.Now)
		case at > 0 && c.Index <= p.Cells[at-1].Index:
			return fmt.Errorf("slot %d comes after slot %d", c.Index, p.Cells[at-1].Index)
		case c.From > c.To || p.Width > 0 && c.To < math.MaxInt64 && c.To-c.From != p.Width-1:
			return fmt.Errorf("it spans %d to %d, want %d ticks", c.From, c.To, p.Width)
		}
		for _, e := range c.Entries {
			if e.Filed < c.From {
				return fmt.Errorf("an entry filed under %d is in a slot that starts at %d", e.Filed, c.From)
			}
		}
	case shape.Heap, shape.Tree:
		if c.Index != at || c.Parent >= at || (c.Parent < 0) != (at == 0) {
			return fmt.Errorf("it is node %d with the parent %d", c.Index, c.Parent)
		}
		if p.Kind == shape.Heap && at > 0 && c.Entries[0].Filed < p.Cells[c.Parent].Entries[0].Filed {
			return fmt.Errorf("it is filed under %d, before its parent", c.Entries[0].Filed)
		}
	default:
		if c.Index != at {
			return fmt.Errorf("it is cell %d", c.Index)
		}
	}
	return nil
}

// checkSearchTree checks that a tree, read from left to right, is in order.
func checkSearchTree(p shape.Part) error {
	children := make([][2]int, len(p.Cells))
	for i, c := range p.Cells {
		if c.Parent < 0 {
			continue
		}
		if c.Child < 0 || c.Child > 1 || children[c.Parent][c.Child] != 0 {
			return fmt.Errorf("node %d is child %d of node %d, which has another one or cannot", i, c.Child, c.Parent)
		}
		children[c.Parent][c.Child] = i
	}
	last := structures.Tick(math.MinInt64)
	var walk func(i int) error
	walk = func(i int) error {
		if left := children[i][0]; left > 0 {
			if err := walk(left); err != nil {
				return err
			}
		}
		filed := p.Cells[i].Entries[0].Filed
		if filed < last {
			return fmt.Errorf("node %d, filed under %d, is to the right of %d", i, filed, last)
		}
		last = filed
		if right := children[i][1]; right > 0 {
			return walk(right)
		}
		return nil
	}
	if len(p.Cells) == 0 {
		return nil
	}
	return walk(0)
}
