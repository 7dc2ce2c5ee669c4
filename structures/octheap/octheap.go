// Package octheap keeps timers in an 8-ary heap whose deadlines are in an array of their own: the
// deadlines of the eight children of a node fill one cache line.
//
// Pedigree. LaMarca and Ladner, "The Influence of Caches on the Performance of Heaps" (1996), give a node as many
// children as fit a cache line. C and Rust have SIMD instructions to choose among eight; Go has none, so a choice
// takes seven comparisons without a branch. quadheap has four entries to a line. This heap has two thirds as many
// levels, but an entry that moves touches a second line, for its slot.
//
// A timer takes 16 bytes, plus its value and ID. The arrays double when they grow.
// Work counts Comparisons of two deadlines: eight to choose among the entry that moves down and its eight children.
//
// Pick it if you want a heap and timers are moved or cancelled more often than they fire, as most timers stay near the leaves.
package octheap

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// Option sets a parameter of a Heap.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^32-8. More timers grow the structure.
func Capacity(n int) Option { return Option{rules.Capacity("octheap", n, maxLen)} }

// Heap is an 8-ary heap of timers with values of type T. Make it with New. It is a [structures.Scheduler].
type Heap[T any] struct{ base[T] }
type base[T any] = slotted.Moving[T, core, *core]

// New returns an empty heap at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	c := core{at: make([]uint32, 1, 1+n)} // slot 0 is never issued
	c.keys, c.slots = newArrays(root + n)
	return &Heap[T]{slotted.NewMoving[T](c, n)}
}

// Schedule adds a timer that is due at deadline. It costs O(log n), on average O(1).
func (h *Heap[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return h.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs O(log n), at most 8 log8(n) + 1 comparisons.
func (h *Heap[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return h.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(log n), at most 8 log8(n) + 1 comparisons.
func (h *Heap[T]) Cancel(id structures.ID) bool { return h.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are unspecified. It costs O(log n), as Cancel.
func (h *Heap[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return h.base.Pop(now) }

// Next returns the earliest deadline. It costs O(1).
func (h *Heap[T]) Next() (at structures.Tick, ok bool) { return h.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (h *Heap[T]) Len() int { return h.base.Len() }

const (
	arity = 8
	root  = arity - 1 // so that children begin at a multiple of eight, where a line begins

	// maxLen is the largest number of timers: an index must fit 32 bits, and an int.
	maxLen = min(1<<32, math.MaxInt) - 1 - root

	inCache = 1 << 14 // deadlines that fit the second-level cache
)

// core is the queue of slots: keys[root] is the earliest deadline, and none is before its parent.
type core struct {
	keys        []structures.Tick
	slots       []uint32 // of the keys
	at          []uint32 // per slot: the index of its key
	comparisons uint64
	ahead       structures.Tick // written so that the compiler keeps the reads ahead in down
}

// newArrays returns empty arrays with room for indexes below n, which begin at a cache line.
func newArrays(n int) ([]structures.Tick, []uint32) {
	size := 1 << bits.Len(uint(max(n, 2*arity)-1))
	return make([]structures.Tick, root, size), make([]uint32, root, size)
}

func (c *core) Add(slot uint32, deadline structures.Tick) {
	for int(slot) >= len(c.at) {
		c.at = append(c.at, 0)
	}
	n := len(c.keys)
	if n == cap(c.keys) {
		if n-root == maxLen {
			panic(fmt.Sprintf("octheap: more than %d timers pending", maxLen))
		}
		keys, slots := newArrays(2 * n)
		c.keys, c.slots = append(keys, c.keys[root:]...), append(slots, c.slots[root:]...)
	}
	c.keys, c.slots = c.keys[:n+1], c.slots[:n+1]
	c.up(n, slot, deadline)
}

// up moves the hole at i towards the root until the deadline fits.
func (c *core) up(i int, slot uint32, deadline structures.Tick) {
	keys, slots := c.keys, c.slots
	compared := uint64(0)
	for i > root {
		p := dary.Parent(arity, i)
		above := keys[p]
		compared++
		if above <= deadline {
			break
		}
		keys[i], slots[i] = above, slots[p]
		c.at[slots[p]] = uint32(i)
		i = p
	}
	keys[i], slots[i] = deadline, slot
	c.at[slot] = uint32(i)
	c.comparisons += compared
}

// down moves the hole at i towards the leaves until the deadline fits. Beyond the cache it reads
// the children of all eight siblings ahead.
func (c *core) down(i int, slot uint32, deadline structures.Tick) {
	keys, slots := c.keys, c.slots
	compared, far, ahead := uint64(0), 0, structures.Tick(0)
	if len(keys) > inCache {
		far = len(keys)/arity - arity
	}
	for k := dary.Child(arity, i); k < len(keys); k = dary.Child(arity, i) {
		if k < far {
			for g := dary.Child(arity, k); g < dary.Child(arity, k+arity); g += arity {
				ahead |= keys[g]
			}
		}
		if k+arity > len(keys) { // the last group, not full
			compared += uint64(len(keys) - k)
			for j := k + 1; j < len(keys); j++ {
				if keys[j] < keys[k] {
					k = j
				}
			}
		} else {
			compared += arity
			k += earliest((*[arity]structures.Tick)(keys[k:]))
		}
		below := keys[k]
		if below >= deadline {
			break
		}
		keys[i], slots[i] = below, slots[k]
		c.at[slots[k]] = uint32(i)
		i = k
	}
	keys[i], slots[i] = deadline, slot
	c.at[slot] = uint32(i)
	c.comparisons += compared
	c.ahead = ahead
}

// earliest returns which of eight deadlines comes first, without a branch.
func earliest(k *[arity]structures.Tick) int {
	l := dary.Earliest(k[0], k[1], k[2], k[3])
	r := dary.Earliest(k[4], k[5], k[6], k[7]) + arity/2
	if k[r] < k[l] {
		l = r
	}
	return l
}

func (c *core) shrink() (slot uint32, deadline structures.Tick) {
	n := len(c.keys) - 1
	slot, deadline = c.slots[n], c.keys[n]
	c.keys, c.slots = c.keys[:n], c.slots[:n]
	return slot, deadline
}

func (c *core) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	if len(c.keys) == root {
		return 0, math.MaxInt64
	}
	if at = c.keys[root]; at > clock {
		return 0, at
	}
	slot = c.slots[root]
	if last, deadline := c.shrink(); len(c.keys) > root {
		c.down(root, last, deadline)
	}
	return slot, at
}

// Remove removes the key of slot. The last one takes its place, and is moved from there.
func (c *core) Remove(slot uint32) {
	i := c.at[slot]
	if last, deadline := c.shrink(); int(i) < len(c.keys) {
		c.at[last] = i
		c.Move(last, deadline)
	}
}

func (c *core) Move(slot uint32, deadline structures.Tick) {
	i := int(c.at[slot])
	c.comparisons++
	if deadline < c.keys[i] {
		c.up(i, slot, deadline)
	} else {
		c.down(i, slot, deadline)
	}
}

func (c *core) Next(structures.Tick) structures.Tick { return c.keys[root] }

func (c *core) Work() structures.Work { return structures.Work{Comparisons: c.comparisons} }

// Walk adds the heap. As at names the index of each slot, no slot has two keys.
func (c *core) Walk(b *snapshot.Builder) {
	rules.Must(len(c.slots) == len(c.keys), "%d slots and %d keys", len(c.slots), len(c.keys))
	dary.AddTo(b, "8-ary heap", arity, len(c.keys)-root, func(i int) (uint32, structures.Tick) { return c.slots[root+i], c.keys[root+i] })
	for i, slot := range c.slots[root:] {
		rules.Must(int(c.at[slot]) == root+i, "slot %d has key %d, its index says another one", slot, root+i)
	}
}
