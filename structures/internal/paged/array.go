// Package paged is an array that grows by pages, so that no call copies much.
package paged

import (
	"math"
	"math/bits"
	"unsafe"
)

// Array is an array that grows. The zero Array is empty. Its invariants:
//
//   - A page holds the largest power of two of elements that fits pageBytes, at
//     least one. So an index is split into page and offset by a shift.
//   - A page never moves. The exception is the first page while it is the only
//     one: it starts with firstBytes and doubles. So no call copies more than one
//     page.
//   - Elements below room have memory. Elements below fresh were handed out.
type Array[E any] struct {
	page  []unsafe.Pointer
	room  uint32
	fresh uint32
}

const (
	pageBytes  = 96 << 10
	firstBytes = 512
)

// lenBits returns the binary logarithm of the largest power of two of elements that
// fits so many bytes, or 0 if not even two fit. It is a constant to the compiler.
func lenBits(bytes, elementSize uintptr) int {
	return bits.Len(uint(bytes / (2 * elementSize)))
}

// At returns the element of an index, which must be below Room. Nothing checks
// that. Ordinary arrays would check bounds, and load the first line of the page to
// check it for nil, which makes a hold among ten million timers slower by a fifth.
func (a *Array[E]) At(index uint32) (e *E) {
	n := lenBits(pageBytes, unsafe.Sizeof(*e))
	table := unsafe.Pointer(unsafe.SliceData(a.page))
	page := *(*unsafe.Pointer)(unsafe.Add(table, uintptr(index>>n)*unsafe.Sizeof(table)))
	return (*E)(unsafe.Add(page, uintptr(index&(1<<n-1))*unsafe.Sizeof(*e)))
}

// Room returns the number of elements that have memory.
func (a *Array[E]) Room() uint32 { return a.room }

// Fresh returns the number of elements that were handed out.
func (a *Array[E]) Fresh() uint32 { return a.fresh }

// Take hands out one more element and returns its index.
func (a *Array[E]) Take() uint32 {
	if a.fresh == a.room {
		a.grow()
	}
	a.fresh++
	return a.fresh - 1
}

// Reserve makes room for n elements.
func (a *Array[E]) Reserve(n uint64) {
	for uint64(a.room) < n {
		a.grow()
	}
}

// grow adds a page, or doubles the first one. It panics if an index would need more
// than 32 bits.
func (a *Array[E]) grow() {
	size := unsafe.Sizeof(*new(E))
	full := uint32(1) << lenBits(pageBytes, size)
	switch {
	case len(a.page) == 0:
		a.add(uint32(1) << lenBits(firstBytes, size))
	case a.room < full:
		first := unsafe.Slice((*E)(a.page[0]), a.room)
		a.page, a.room = a.page[:0], 0
		a.add(uint32(2 * len(first)))
		copy(unsafe.Slice((*E)(a.page[0]), a.room), first)
	case a.room > math.MaxUint32-full:
		panic("paged: an index needs more than 32 bits")
	default:
		a.add(full)
	}
}

// add adds a page of n elements.
func (a *Array[E]) add(n uint32) {
	a.page = append(a.page, unsafe.Pointer(unsafe.SliceData(make([]E, n))))
	a.room += n
}
