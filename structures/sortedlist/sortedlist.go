// Package sortedlist keeps timers in a linked list in the order of their deadlines. Small kernels do
// this, and every faster structure is compared with it.
//
// Pedigree. Scheme 2 of Varghese and Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP 1987). [Zephyr]
// (kernel/timeout.c) by default and [FreeRTOS] (list.c) ship it on millions of devices. Since 2026 a build of Zephyr
// can choose one of four other structures (docs/published.md). Differences here:
//
//   - Zephyr stores the difference to the timer before, and FreeRTOS stores ticks that wrap around.
//     Here deadlines have 63 bits, and nothing counts down.
//   - Both search from the front. Here the search begins at the end, as Varghese and Lauck propose, so timers with
//     the same delay need no search. For random delays, a search passes half of the list from either end.
//
// A timer takes 16 bytes, plus its value and ID. Work counts Comparisons of two deadlines.
//
// Pick it for a dozen timers, or for any number of timers with the same delay.
//
// [Zephyr]: https://github.com/zephyrproject-rtos/zephyr/blob/b3d805b40d3d4e2a6d0364aaab9ef87fbc68f7d3/kernel/timeout.c
// [FreeRTOS]: https://github.com/FreeRTOS/FreeRTOS-Kernel/blob/c1b4c1ab75a148a0b949bf4ffc3133d003f78a9c/timers.c
package sortedlist

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*List[int])(nil)

// Option sets a parameter of a List.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. More timers grow the structure.
func Capacity(n int) Option { return Option{rules.Capacity("sortedlist", n, slab.MaxCapacity)} }

// List is a sorted list of timers with values of type T. Make it with New. It is a [structures.Scheduler].
type List[T any] struct{ base[T] }
type base[T any] = slotted.Moving[T, core, *core]

// New returns an empty list at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *List[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	return &List[T]{slotted.NewMoving[T](core{lists: fifo.New(n)}, n)}
}

// Schedule adds a timer that is due at deadline. It costs O(n): a comparison for each timer that is due later.
func (l *List[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return l.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs as much as Schedule, or O(1) if the timer stays between its neighbors.
func (l *List[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return l.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(1).
func (l *List[T]) Cancel(id structures.ID) bool { return l.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are FIFO. It costs O(1).
func (l *List[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return l.base.Pop(now) }

// Next returns the earliest deadline. It costs O(1).
func (l *List[T]) Next() (at structures.Tick, ok bool) { return l.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (l *List[T]) Len() int { return l.base.Len() }

// core is the queue of slots: a list, the earliest deadline first.
type core struct {
	lists       fifo.Lists
	sorted      fifo.List
	comparisons uint64
}

// Add inserts a slot behind all that are not due later.
func (c *core) Add(slot uint32, deadline structures.Tick) {
	c.lists.SetDeadline(slot, deadline)
	before := c.sorted.Back()
	for ; before != slab.None; before = c.lists.Prev(before) {
		c.comparisons++
		if c.lists.Deadline(before) <= deadline {
			break
		}
	}
	c.lists.InsertAfter(&c.sorted, before, slot)
}

func (c *core) Move(slot uint32, deadline structures.Tick) {
	before, behind := c.lists.Prev(slot), c.lists.Next(slot)
	if (before == slab.None || c.lists.Deadline(before) <= deadline) &&
		(behind == slab.None || deadline < c.lists.Deadline(behind)) {
		c.lists.SetDeadline(slot, deadline)
		return
	}
	c.Remove(slot)
	c.Add(slot, deadline)
}

func (c *core) Remove(slot uint32) { c.lists.Remove(&c.sorted, slot) }

func (c *core) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	if c.sorted.Empty() {
		return slab.None, math.MaxInt64
	}
	if at = c.Next(clock); at > clock {
		return slab.None, at
	}
	return c.lists.PopFront(&c.sorted), at
}

func (c *core) Next(structures.Tick) structures.Tick { return c.lists.Deadline(c.sorted.Front()) }

func (c *core) Work() structures.Work { return structures.Work{Comparisons: c.comparisons} }

func (c *core) Walk(b *snapshot.Builder) {
	b.Begin(shape.Part{Name: "list, sorted", Kind: shape.List})
	b.Sorted = true
	c.lists.Check(c.sorted)
	b.Each(c.lists.All(c.sorted))
}
