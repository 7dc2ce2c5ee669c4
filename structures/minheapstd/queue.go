package minheapstd

import (
	"container/heap"

	"github.com/timerbench/timerbench/structures"
)

// item is a pending timer.
type item[T any] struct {
	deadline structures.Tick
	value    T
	id       structures.ID
	slot     uint32 // of the table that issued id
	index    int    // in the heap
}

// queue is the heap.Interface over the items.
type queue[T any] struct {
	items       []*item[T]
	comparisons uint64
}

var _ heap.Interface = (*queue[int])(nil)

func (q *queue[T]) Len() int { return len(q.items) }

func (q *queue[T]) Less(i, j int) bool {
	q.comparisons++
	return q.items[i].deadline < q.items[j].deadline
}

func (q *queue[T]) Swap(i, j int) {
	q.items[i], q.items[j] = q.items[j], q.items[i]
	q.items[i].index = i
	q.items[j].index = j
}

func (q *queue[T]) Push(x any) {
	it := x.(*item[T])
	it.index = len(q.items)
	q.items = append(q.items, it)
}

func (q *queue[T]) Pop() any {
	last := len(q.items) - 1
	it := q.items[last]
	q.items[last] = nil // or the array would keep the item, and its value, alive
	q.items = q.items[:last]
	return it
}
