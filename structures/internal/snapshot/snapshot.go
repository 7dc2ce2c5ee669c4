// Package snapshot builds the parts of snapshots that many structures have.
package snapshot

import "github.com/timerbench/timerbench/structures"

// Show returns the entry of a snapshot for a slot that is filed under a deadline.
type Show = func(slot uint32, deadline structures.Tick) structures.Entry

// List returns a list of entries, a cell for each.
func List(name string, entries []structures.Entry) structures.Part {
	p := structures.Part{Name: name, Shape: structures.List}
	for i, e := range entries {
		p.Cells = append(p.Cells, structures.Cell{Index: i, Entries: []structures.Entry{e}})
	}
	return p
}

// Heap returns a heap in an array of n entries, the root first.
func Heap(name string, arity, n int, entry func(i int) structures.Entry) structures.Part {
	p := structures.Part{Name: name, Shape: structures.Heap, Arity: arity}
	for i := range n {
		c := structures.Cell{Index: i, Parent: -1, Entries: []structures.Entry{entry(i)}}
		if i > 0 {
			c.Parent, c.Child = (i-1)/arity, (i-1)%arity
		}
		p.Cells = append(p.Cells, c)
	}
	return p
}
