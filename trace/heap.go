package trace

import "github.com/timerbench/timerbench/structures"

type pendingTimer struct {
	deadline structures.Tick
	seq      uint64 // of the last schedule or move, so that ties fire in this order
	key      uint32
	place    int // in the heap, from 1; 0: no longer pending
}

// byDeadline is a heap of pending timers for container/heap. A recorded program carries it, so it is not one of the structures.
type byDeadline []*pendingTimer

func (h byDeadline) Len() int { return len(h) }

func (h byDeadline) Less(i, j int) bool {
	if h[i].deadline != h[j].deadline {
		return h[i].deadline < h[j].deadline
	}
	return h[i].seq < h[j].seq
}

func (h byDeadline) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i+1, j+1
}

// Push implements heap.Interface.
func (h *byDeadline) Push(x any) {
	t := x.(*pendingTimer)
	*h = append(*h, t)
	t.place = len(*h)
}

// Pop implements heap.Interface.
func (h *byDeadline) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last], *h = nil, (*h)[:last]
	t.place = 0
	return t
}
