// Package shape describes how a timer structure looks at one moment, so that it can be
// drawn and checked. The contract of package structures does not ask for it.
package shape

import "github.com/timerbench/timerbench/structures"

// Snapshot is the shape of a structure at one moment. Without parts it does not show it.
type Snapshot struct{ Parts []Part }

// Shown is a structure that shows its shape, found by a type assertion. A call copies every
// entry.
type Shown interface{ Snapshot() Snapshot }

// Kind is how the cells of a part are arranged.
type Kind int

// The kinds.
const (
	Slots Kind = iota // slots by number, each for a span of ticks; empty ones are left out
	Heap              // a heap in an array, the root first: no node is filed after its children
	Tree              // nodes linked to one another, each parent before its children
	List              // one after the other
)

// Part is one of the arrays, trees and lists that a structure is made of.
type Part struct {
	Name  string // what it is: "level 1", "heap", "arrival buffer"
	Kind  Kind
	Cells []Cell
	Size  int             // Slots: their number, empty ones included
	Width structures.Tick // Slots: the ticks that each covers; 0: they differ
	Now   int             // Slots: the number of the slot to which the clock points; -1: none
	Arity int             // Heap: the children of a full node. Tree: 2 if a search tree, else 0
}

// Cell is a slot of a wheel, a node of a heap or a tree, or a place of a list.
type Cell struct {
	Index   int             // Slots: the number of the slot. Otherwise the place in Cells
	Parent  int             // Heap and Tree: the place of the parent in Cells; -1: the root
	Child   int             // Heap and Tree: which child of its parent it is, from 0
	From    structures.Tick // Slots: the first tick of its span
	To      structures.Tick // Slots: the last tick of its span
	Levels  int             // List: the number of lists that link it, in a skip list; else 0
	Red     bool            // Tree: the colour in a red-black tree that shows it
	Entries []Entry         // in order, at least one
}

// Entry is an entry of a cell. Each pending timer has one that is not stale.
type Entry struct {
	// ID is that of the timer. 0: the entry is stale.
	ID structures.ID
	// Deadline is that of the timer; of a stale entry the same as Filed.
	Deadline structures.Tick
	// Filed is the deadline for which the entry was put here: maybe before Deadline.
	Filed structures.Tick
}

// Stale reports whether no pending timer belongs to the entry.
func (e Entry) Stale() bool { return e.ID == 0 }

// Moved reports whether the timer has a later deadline than the entry.
func (e Entry) Moved() bool { return e.Filed < e.Deadline }
