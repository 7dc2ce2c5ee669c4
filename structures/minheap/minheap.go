// Package minheap keeps timers in a binary heap, the first choice of most timer code: container/heap,
// Java's [DelayQueue], [libuv], [libevent].
//
// Pedigree. The heap of Williams and Floyd. Differences here:
//
//   - An entry is 16 bytes, a deadline and a slot. Sifting compares the deadlines that it moves, and calls nothing.
//   - Positions are in an array of their own, 4 bytes a timer, so Cancel does not search.
//   - Sifting moves a hole instead of swapping, and chooses the earlier child without a branch.
//
// A timer takes 20 bytes, plus its value and ID. Work counts Comparisons of two deadlines.
//
// Pick it for the least code, and as a baseline. quadheap is faster from 1000 timers on, rbtree has
// FIFO ties, and every operation of a wheel is O(1).
//
// [DelayQueue]: https://github.com/openjdk/jdk/blob/7e4ba760678ddd5ea869b363af67ad393e253684/src/java.base/share/classes/java/util/concurrent/DelayQueue.java
// [libuv]: https://github.com/libuv/libuv/blob/v1.44.2/src/timer.c
// [libevent]: https://github.com/libevent/libevent/blob/8e1b7b22d621207beb9906e1e2faafda928c4da6/minheap-internal.h
package minheap

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// Option sets a parameter of a Heap.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. More timers grow the structure.
func Capacity(n int) Option { return Option{rules.Capacity("minheap", n, slab.MaxCapacity)} }

// Heap is a binary heap of timers with values of type T. Make it with New. It is a [structures.Scheduler].
type Heap[T any] struct{ base[T] }
type base[T any] = slotted.Moving[T, dary.Binary, *dary.Binary]

// New returns an empty heap at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	return &Heap[T]{slotted.NewMoving[T](dary.NewBinary(n), n)}
}

// Schedule adds a timer that is due at deadline. It costs O(log n), at most log2(n) comparisons, on average O(1).
func (h *Heap[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return h.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs O(log n), at most 2 log2(n) + 1 comparisons.
func (h *Heap[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return h.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(log n), at most 2 log2(n) + 1 comparisons.
func (h *Heap[T]) Cancel(id structures.ID) bool { return h.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are unspecified. It costs O(log n), as Cancel.
func (h *Heap[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return h.base.Pop(now) }

// Next returns the earliest deadline. It costs O(1).
func (h *Heap[T]) Next() (at structures.Tick, ok bool) { return h.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (h *Heap[T]) Len() int { return h.base.Len() }
