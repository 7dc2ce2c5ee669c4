// Package buckettree keeps the timers of a tick in a bucket, and the buckets in a red-black tree. A bucket
// exists only while it holds a timer. So no tick is visited for nothing, and the tree is balanced once for
// all timers of a tick.
//
// Pedigree. The red-black tree of Linux's [hrtimer], which has a node for each timer. Differences
// here: the tree has a node for each tick, and a hash table finds it. So the tree, which is rbtree, is
// searched only for a tick without a bucket.
//
// A timer takes about 30 bytes, plus its value, and each of the k buckets takes 90 to 125.
// Work counts Comparisons in the tree, and SlotsVisited: buckets that fired.
//
// Pick it if many timers share their deadlines and buckets are opened in the order of time, which is cheap
// in the tree. Otherwise pick bucketheap or rbtree.
//
// [hrtimer]: https://github.com/torvalds/linux/blob/v6.12/kernel/time/hrtimer.c
package buckettree

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/bucketed"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/rbtree"
)

var _ structures.Scheduler[int] = (*Tree[int])(nil)

// Option sets a parameter of a Tree.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. Buckets are made when they are needed.
func Capacity(n int) Option { return Option{rules.Capacity("buckettree", n, slab.MaxCapacity)} }

// Tree is a red-black tree of buckets of timers with values of type T. Make it with New. It is a [structures.Scheduler].
type Tree[T any] struct{ base[T] }
type base[T any] = bucketed.Scheduler[T]

// New returns an empty tree at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Tree[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	return &Tree[T]{bucketed.New[T](rbtree.New[uint32](), n)}
}

// Schedule adds a timer that is due at deadline. It costs O(1) expected, or O(log k) for the first timer of a tick.
func (t *Tree[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return t.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs as much as Cancel and Schedule.
func (t *Tree[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return t.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(1) amortized.
func (t *Tree[T]) Cancel(id structures.ID) bool { return t.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are FIFO. It costs O(1) amortized.
func (t *Tree[T]) Pop(now structures.Tick) (due structures.Timer[T], ok bool) { return t.base.Pop(now) }

// Next returns the earliest deadline. It costs O(1).
func (t *Tree[T]) Next() (at structures.Tick, ok bool) { return t.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (t *Tree[T]) Len() int { return t.base.Len() }
