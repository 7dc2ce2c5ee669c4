// Package quadheap keeps timers in a 4-ary heap, as [libev] does.
//
// Pedigree. Johnson's d-ary heap. A 4-ary heap has half as many levels as a binary one: a timer moves up with half
// the comparisons, and down with the same number. LaMarca and Ladner showed that this pays off if the children of a
// node share a cache line. libev puts the root at index 3, so children begin at multiples of four, as here.
// [Go's runtime] has a 4-ary heap per P since 1.14, in which a stop only marks the timer: see package
// quadheaplazy. Differences here:
//
//   - An entry is 16 bytes, a deadline and a slot, so four children share a line of 64 bytes.
//   - The earliest of four children is chosen without a branch.
//   - Positions are in an array of their own, 4 bytes a timer.
//
// A timer takes 20 bytes, plus its value and ID. The arrays double when they grow. Work counts Comparisons of two deadlines.
//
// Pick it when in doubt, if the order of equal deadlines does not matter. rbtree has FIFO ties. With
// many timers, a wheel is faster: each of its operations is O(1).
//
// [Go's runtime]: https://github.com/golang/go/blob/go1.26.0/src/runtime/time.go
// [libev]: https://dist.schmorp.de/libev/Attic/libev-4.33.tar.gz
package quadheap

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// Option sets a parameter of a Heap.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^32-4. More timers grow the structure.
func Capacity(n int) Option { return Option{rules.Capacity("quadheap", n, dary.MaxLen)} }

// Heap is a 4-ary heap of timers with values of type T. Make it with New. It is a [structures.Scheduler].
type Heap[T any] struct{ base[T] }
type base[T any] = slotted.Moving[T, dary.Quad, *dary.Quad]

// New returns an empty heap at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	return &Heap[T]{slotted.NewMoving[T](dary.NewQuad(n), n)}
}

// Schedule adds a timer that is due at deadline. It costs O(log n), at most about log4(n) comparisons, on average O(1).
func (h *Heap[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return h.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs O(log n), about 4 log4(n) comparisons.
func (h *Heap[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return h.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(log n), about 4 log4(n) comparisons.
func (h *Heap[T]) Cancel(id structures.ID) bool { return h.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are unspecified. It costs O(log n), as Cancel.
func (h *Heap[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return h.base.Pop(now) }

// Next returns the earliest deadline. It costs O(1).
func (h *Heap[T]) Next() (at structures.Tick, ok bool) { return h.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (h *Heap[T]) Len() int { return h.base.Len() }
