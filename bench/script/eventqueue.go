package script

// Queue is the priority queue of the workload generator. It holds the
// deadlines of the generator's own model and its planned events. It shares no code with
// the structures under test, so a fault of theirs cannot change the expected outcome.

import (
	"slices"

	"github.com/timerbench/timerbench/structures"
)

// Queue holds entries in the order of their ticks. Entries of one tick are in FIFO order.
// The zero Queue is empty. Push and Pop cost O(log n).
type Queue[E any] struct {
	items []item[E]
	count uint64 // entries pushed so far
}

type item[E any] struct {
	at    structures.Tick
	order uint64
	entry E
}

func (a item[E]) before(b item[E]) bool { return a.at < b.at || a.at == b.at && a.order < b.order }

// Reserve makes room for n entries.
func (q *Queue[E]) Reserve(n int) { q.items = slices.Grow(q.items, max(0, n-len(q.items))) }

// Len returns the number of entries.
func (q *Queue[E]) Len() int { return len(q.items) }

// Push adds an entry at tick at.
func (q *Queue[E]) Push(at structures.Tick, entry E) {
	q.count++
	it := item[E]{at, q.count, entry}
	q.items = append(q.items, it)
	i := len(q.items) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !it.before(q.items[parent]) {
			break
		}
		q.items[i] = q.items[parent]
		i = parent
	}
	q.items[i] = it
}

// First returns the earliest entry and its tick; the queue must not be empty.
func (q *Queue[E]) First() (structures.Tick, E) { return q.items[0].at, q.items[0].entry }

// Pop removes the earliest entry; the queue must not be empty.
func (q *Queue[E]) Pop() {
	n := len(q.items) - 1
	it := q.items[n]
	q.items = q.items[:n]
	if n == 0 {
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && q.items[child+1].before(q.items[child]) {
			child++
		}
		if !q.items[child].before(it) {
			break
		}
		q.items[i] = q.items[child]
		i = child
	}
	q.items[i] = it
}
