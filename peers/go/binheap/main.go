// Command binheap is a plain binary heap with positions, written alike in C++, Go, Java and Rust, so
// that the rows compare the languages.
package main

import (
	"fmt"
	"os"

	timerbench "github.com/timerbench/timerbench/peers/go"
)

type entry struct {
	at   int64
	slot uint32
}

type binheap struct {
	heap     []entry
	position []uint32 // in the heap, by slot
}

func (h *binheap) put(i uint32, e entry) {
	h.heap[i] = e
	h.position[e.slot] = i
}

func (h *binheap) up(i uint32, e entry) {
	for i > 0 {
		parent := (i - 1) / 2
		if h.heap[parent].at <= e.at {
			break
		}
		h.put(i, h.heap[parent])
		i = parent
	}
	h.put(i, e)
}

func (h *binheap) down(i uint32, e entry) {
	n := uint32(len(h.heap))
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && h.heap[child+1].at < h.heap[child].at {
			child++
		}
		if e.at <= h.heap[child].at {
			break
		}
		h.put(i, h.heap[child])
		i = child
	}
	h.put(i, e)
}

func (h *binheap) fix(i uint32, e entry) {
	if i > 0 && e.at < h.heap[(i-1)/2].at {
		h.up(i, e)
	} else {
		h.down(i, e)
	}
}

func (h *binheap) remove(i uint32) {
	last := len(h.heap) - 1
	e := h.heap[last]
	h.heap = h.heap[:last]
	if int(i) < last {
		h.fix(i, e)
	}
}

func (h *binheap) Reserve(slots int) {
	if more := slots - len(h.position); more > 0 {
		h.position = append(h.position, make([]uint32, more)...)
	}
}

func (h *binheap) Schedule(slot uint32, at int64) {
	h.heap = append(h.heap, entry{})
	h.up(uint32(len(h.heap)-1), entry{at, slot})
}

func (h *binheap) Cancel(slot uint32) { h.remove(h.position[slot]) }

func (h *binheap) Reschedule(slot uint32, at int64) { h.fix(h.position[slot], entry{at, slot}) }

func (h *binheap) Pop(now int64, fired *timerbench.Fired) {
	for len(h.heap) > 0 && h.heap[0].at <= now {
		slot := h.heap[0].slot
		h.remove(0)
		fired.Add(now, slot)
	}
}

func (h *binheap) Len() int { return len(h.heap) }

func main() {
	if err := timerbench.Serve("binary heap with positions", timerbench.Virtual|timerbench.Intrusive, func() *binheap { return &binheap{} }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
