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
//   - A page never moves. The exception is the first page while it is the only one: it starts with firstBytes and
//     doubles. So no call copies more than one page.
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

// lenBits returns the binary logarithm of the largest power of two of elements that fits a number of
// bytes, or 0 if fewer than two fit. It is a constant to the compiler.
func lenBits(bytes, elementSize uintptr) int { return bits.Len(uint(bytes / (2 * elementSize))) }

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

// grow adds a page, or doubles the first one.
func (a *Array[E]) grow() {
	a.page, a.room = grow[E](a.page, a.room, 1<<lenBits(pageBytes, unsafe.Sizeof(*new(E))))
}

// grow adds a page of full elements to a table with room for some, or doubles the first page. It
// returns the table and the room. It panics if an index would need more than 32 bits.
func grow[E any](page []unsafe.Pointer, room, full uint32) ([]unsafe.Pointer, uint32) {
	n, old := full, []E(nil)
	switch {
	case len(page) == 0:
		n = min(full, 1<<lenBits(firstBytes, unsafe.Sizeof(*new(E))))
	case room < full:
		old = unsafe.Slice((*E)(page[0]), room)
		page, room, n = page[:0], 0, 2*room
	case room > math.MaxUint32-full:
		panic("paged: an index needs more than 32 bits")
	}
	added := make([]E, n)
	copy(added, old)
	return append(page, unsafe.Pointer(unsafe.SliceData(added))), room + n
}

// Rows is an Array to code that does not know the type of its elements. Make it with RowsOf. All its pages but the
// first hold rowsPerPage elements, whatever their size, so that it takes one multiplication to find an element.
type Rows struct {
	page  unsafe.Pointer // the table of pages
	size  uintptr        // of an element
	room  uint32
	fresh uint32
	grow  func(r *Rows)
}

const (
	rowBits     = 12
	rowsPerPage = 1 << rowBits
)

// RowsOf returns an empty array of elements of type E.
func RowsOf[E any]() Rows {
	var page []unsafe.Pointer
	return Rows{size: unsafe.Sizeof(*new(E)), grow: func(r *Rows) {
		page, r.room = grow[E](page, r.room, rowsPerPage)
		r.page = unsafe.Pointer(unsafe.SliceData(page))
	}}
}

// At returns the element of an index, as Array.At does.
func (r *Rows) At(index uint32) unsafe.Pointer {
	page := *(*unsafe.Pointer)(unsafe.Add(r.page, uintptr(index>>rowBits)*unsafe.Sizeof(r.page)))
	return unsafe.Add(page, uintptr(index%rowsPerPage)*r.size)
}

// Size returns the size of an element.
func (r *Rows) Size() uintptr { return r.size }

// Room returns the number of elements that have memory.
func (r *Rows) Room() uint32 { return r.room }

// Fresh returns the number of elements that were handed out.
func (r *Rows) Fresh() uint32 { return r.fresh }

// Take hands out one more element and returns its index.
func (r *Rows) Take() uint32 {
	if r.fresh == r.room {
		r.grow(r)
	}
	r.fresh++
	return r.fresh - 1
}

// Reserve makes room for n elements.
func (r *Rows) Reserve(n uint64) {
	for uint64(r.room) < n {
		r.grow(r)
	}
}
