// Package ordered makes a scheduler of any container that keeps keys in order. It is the common part of the
// adapters of third-party containers.
//
// Such containers refuse a key that is equal to another one, or replace the other one. So a key is a deadline and
// a sequence number, which also makes equal deadlines FIFO. Values stay in the slab, and a container never holds
// a reference to one.
package ordered

import (
	"cmp"
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Key is the key of a pending timer. Each slot has one Key for all of its timers, so a container of interfaces
// allocates none. A Key is written only while it is in no container.
type Key struct {
	Deadline structures.Tick
	Sequence uint64 // of the call that scheduled or moved it
	Slot     uint32 // not part of the order
}

// Compare compares two keys. It returns a negative number if a comes first.
func Compare(a, b *Key) int {
	if a.Deadline != b.Deadline {
		return cmp.Compare(a.Deadline, b.Deadline)
	}
	return cmp.Compare(a.Sequence, b.Sequence)
}

// Container keeps keys in the order of Compare. No two of them are equal.
type Container interface {
	Insert(*Key)  // no other is equal
	Remove(*Key)  // one that is there
	First() *Key  // nil: there is none
	RemoveFirst() // there is one
	Ascend(func(*Key) bool)
	Len() int
	Comparisons() uint64 // calls of Compare so far
}

// Queue is a slotted.Queue on a container.
type Queue struct {
	keys     []*Key // by slot, which keeps its key for every timer in it
	sequence uint64
	in       Container
}

// Scheduler keeps the contract of structures.Scheduler on a container. A method costs as much as the container takes.
type Scheduler[T any] = slotted.Scheduler[T, Queue, *Queue]

// New returns an empty scheduler on an empty container, with room for capacity values.
func New[T any](in Container, capacity int) Scheduler[T] {
	return slotted.New[T](Queue{keys: make([]*Key, 1, capacity+1), in: in}, capacity)
}

// Add inserts the key of slot.
func (q *Queue) Add(slot uint32, deadline structures.Tick) {
	if int(slot) == len(q.keys) {
		q.keys = append(q.keys, &Key{Slot: slot})
	}
	q.sequence++
	k := q.keys[slot] // in no container now
	k.Deadline, k.Sequence = deadline, q.sequence
	q.in.Insert(k)
}

// Remove removes the key of slot.
func (q *Queue) Remove(slot uint32) { q.in.Remove(q.keys[slot]) }

// Pop removes the first key if it is due.
func (q *Queue) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	first := q.in.First()
	if first == nil {
		return slab.None, math.MaxInt64
	}
	if first.Deadline > clock {
		return slab.None, first.Deadline
	}
	slot, at = first.Slot, first.Deadline
	q.in.RemoveFirst()
	return slot, at
}

// Next returns the deadline of the first key.
func (q *Queue) Next(structures.Tick) structures.Tick { return q.in.First().Deadline }

// Work returns the number of calls of the comparator.
func (q *Queue) Work() structures.Work { return structures.Work{Comparisons: q.in.Comparisons()} }

// Shown is a container that shows its shape. It must not change.
type Shown interface{ Show(b *snapshot.Builder) }

// Walk adds the shape of the container, or the keys in order. It checks the properties that are visible from
// outside: the order, the size, and that each key belongs to its slot.
func (q *Queue) Walk(b *snapshot.Builder) {
	c, shown := q.in.(Shown)
	if shown {
		c.Show(b)
	} else {
		b.Begin(shape.Part{Name: "the keys, in order (the container does not show its nodes)", Kind: shape.List})
	}
	met, last := 0, Key{}
	q.in.Ascend(func(k *Key) bool {
		rules.Must(met == 0 || Compare(&last, k) < 0, "deadline %d, number %d, comes after deadline %d, number %d",
			k.Deadline, k.Sequence, last.Deadline, last.Sequence)
		rules.Must(*q.keys[k.Slot] == *k, "the key of deadline %d is not that of slot %d", k.Deadline, k.Slot)
		if !shown {
			b.Timer(shape.Cell{}, k.Slot, k.Deadline)
		}
		met, last = met+1, *k
		return true
	})
	rules.Must(q.in.Len() == met, "met %d keys of %d in the container", met, q.in.Len())
}
