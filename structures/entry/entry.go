// Package entry has the type of an entry of the catalog: what the benchmark suite and the report know
// of a structure. It imports no structure.
package entry

import "github.com/timerbench/timerbench/structures"

// Order is what a structure promises about timers with equal deadlines.
type Order int

// The orders of equal deadlines.
const (
	Unspecified Order = iota // any
	FIFO                     // in the order in which they were scheduled or rescheduled
)

// String returns the order as tables show it.
func (o Order) String() string {
	if o == FIFO {
		return "FIFO"
	}
	return "unspecified"
}

// Family is a kind of structure. Charts give each a hue.
type Family string

// The families.
const (
	Heaps  Family = "heaps"
	Wheels Family = "wheels"
	Trees  Family = "trees"
	Lists  Family = "lists"
)

// Entry is one structure, as the benchmark measures it: with values of 8 bytes.
type Entry = For[uint64]

// For is one structure, for values of type T.
type For[T any] struct {
	Name    string // as on charts and command lines: "hwheel", "rbtree-gods"
	Summary string // one line: what it is and who uses it
	Family  Family
	Package string // import path
	Source  string // the publication or program that the idea comes from
	Costs   Costs
	Ties    Order

	// Limit is the most timers that it is made for: more would take a benchmark hours. 0: any.
	Limit int

	// Allocates marks a structure that allocates in the steady state, as the code that it stands
	// for.
	Allocates bool

	// MaxBytes is the most heap that a timer takes among 10,000 and more, with its value of 8
	// bytes, beside the empty structure or 256 KiB, whichever is more, whatever happened before.
	// 0: not declared.
	MaxBytes int

	// ThirdParty is the module whose container it adapts; empty for our own.
	ThirdParty string

	// MaxLate bounds how late a timer may fire, given its delay. Nil: exact.
	MaxLate func(delay structures.Tick) structures.Tick

	// Late is MaxLate in words, for tables; empty: exact.
	Late string

	New func() structures.Scheduler[T]
}

// Exact reports whether every timer fires at its deadline.
func (e For[T]) Exact() bool { return e.MaxLate == nil }
