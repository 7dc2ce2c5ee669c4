// Package prefetch asks the processor for cache lines ahead of their use.
//
// A load that misses the cache stalls the processor once its reorder buffer is full. One call of a scheduler fills a good part of
// that buffer, so its misses overlap with the misses of only the next two or three calls. A prefetch does not wait for its line.
// A structure that knows the timers that fire next prefetches their lines while it still works on the timers before them.
//
// Go has no prefetch for programs, so this package has a few lines of assembly. On machines without it, Issue does nothing.
package prefetch

import "unsafe"

// Line prefetches the line that p points into.
func Line(p unsafe.Pointer) {
	lines := [1]uintptr{uintptr(p)}
	issue(lines[:])
}

// Lines prefetches the lines that pointers point into.
func Lines[T any](pointers []*T) {
	issue(unsafe.Slice((*uintptr)(unsafe.Pointer(unsafe.SliceData(pointers))), len(pointers)))
}

// Capacity is the number of lines that a Batch holds: about twice as many as a core can load at a time.
const Capacity = 64

// Batch is a set of cache lines to prefetch together. The zero Batch is empty.
//
// Addresses are kept as numbers, which keep nothing alive. A prefetch of memory that was freed or used again does no harm.
type Batch struct {
	n     int
	lines [Capacity]uintptr
}

// Add adds the line that p points into. In a full batch it replaces another line.
func (b *Batch) Add(p unsafe.Pointer) {
	b.lines[b.n&(Capacity-1)] = uintptr(p)
	b.n++
}

// Issue prefetches the lines added, and empties the batch.
func (b *Batch) Issue() {
	issue(b.lines[:min(b.n, Capacity)])
	b.n = 0
}
