// Package buckettree keeps timers in one bucket per tick and the buckets in a red-black tree. A
// bucket exists only while it holds a timer: no tick is visited at which nothing happens, and
// the tree is balanced once for all timers of a tick.
//
// Pedigree. The literature describes Linux's hrtimer this way; the kernel itself has a node for
// each timer. What is different here: a hash table finds the bucket of a tick, so that the
// tree, which is rbtree, is searched only for ticks that have none yet.
//
// Costs, for b buckets: Schedule, Reschedule and Cancel O(1) expected where the bucket is there
// and stays, else O(log b) to open one and O(1) amortised to close it; Pop and Next O(1)
// amortised. About 30 bytes a timer beside its value, and 90 to 125 a bucket.
//
// Work counts Comparisons, those of the tree, and SlotsVisited: buckets whose timers fire.
//
// Ties. FIFO, by the last Schedule or Reschedule.
//
// Pick it where many timers share their deadlines and buckets are opened in the order of time,
// which is cheap in the tree. Otherwise pick bucketheap, or rbtree.
package buckettree

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/bucketed"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/rbtree"
)

var _ structures.Scheduler[int] = (*Tree[int])(nil)

// An Option sets up a Tree.
type Option func(*option.Room)

// Capacity reserves room for n timers, from 0, the default, to 2^32-2; buckets are made as
// needed.
func Capacity(n int) Option { return option.Capacity("buckettree", n, slab.MaxCapacity) }

// Tree is a red-black tree of buckets of timers with values of type T. Make it with New.
type Tree[T any] struct{ scheduler[T] }

type scheduler[T any] = bucketed.Scheduler[T]

// New returns an empty tree at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Tree[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Tree[T]{bucketed.New[T](rbtree.New[uint32](), n)}
}
