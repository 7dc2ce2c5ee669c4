// Package paged is an array that grows by pages, so that no call copies much.
package paged

import (
	"math"
	"math/bits"
	"unsafe"
)

// Array is an array that grows. Make it with ArrayOf.
type Array[E any] struct{ pages }

// ArrayOf returns an empty array. A page holds the largest power of two of elements that fits pageBytes, at least one. So an
// index is split into page and offset by a shift.
func ArrayOf[E any]() Array[E] {
	return Array[E]{pagesOf[E](1 << lenBits(pageBytes, unsafe.Sizeof(*new(E))))}
}

// At returns the element of an index, which must be below Room. Nothing checks that. Ordinary arrays would check bounds, and load
// the first line of the page to check it for nil, which makes a hold among ten million timers slower by a fifth.
func (a *Array[E]) At(index uint32) (e *E) {
	n := lenBits(pageBytes, unsafe.Sizeof(*e))
	page := *(*unsafe.Pointer)(unsafe.Add(a.table, uintptr(index>>n)*unsafe.Sizeof(a.table)))
	return (*E)(unsafe.Add(page, uintptr(index&(1<<n-1))*unsafe.Sizeof(*e)))
}

// Rows is an Array to code that does not know the type of its elements. Make it with RowsOf. All its pages but the first hold
// rowsPerPage elements, whatever their size, so that it takes one multiplication to find an element.
type Rows struct {
	pages
	Size uintptr // of an element
}

const (
	pageBytes   = 96 << 10
	firstBytes  = 512
	rowBits     = 12
	rowsPerPage = 1 << rowBits
)

// RowsOf returns an empty array of elements of type E.
func RowsOf[E any]() Rows { return Rows{pagesOf[E](rowsPerPage), unsafe.Sizeof(*new(E))} }

// At returns the element of an index, as Array.At does.
func (r *Rows) At(index uint32) unsafe.Pointer {
	page := *(*unsafe.Pointer)(unsafe.Add(r.table, uintptr(index>>rowBits)*unsafe.Sizeof(r.table)))
	return unsafe.Add(page, uintptr(index%rowsPerPage)*r.Size)
}

// pages are the pages of an array. A page never moves. The exception is the first page while it is the only one: it starts with
// firstBytes and doubles. So no call copies more than one page.
type pages struct {
	table unsafe.Pointer // of the pages
	Room  uint32         // elements below have memory
	Fresh uint32         // elements below were handed out
	Huge  bool           // pages after the first hugeFrom bytes come many at once, on huge pages of the system
	grow  func(p *pages) // adds a page, or doubles the first one
}

// A block has hugeBytes of pages, and memory before them that nobody touches, up to the start of a huge page. Among huge pages, a
// processor seldom walks page tables.
const hugeFrom, hugePage, hugeBytes = 1 << 20, 2 << 20, 8 << 20

// pagesOf returns no pages, of full elements each. To grow panics if an index would need more than 32 bits.
func pagesOf[E any](full uint32) pages {
	var table []unsafe.Pointer
	size := unsafe.Sizeof(*new(E))
	return pages{grow: func(p *pages) {
		n, old := full, []E(nil)
		switch {
		case p.Room > math.MaxUint32-full:
			panic("paged: an index needs more than 32 bits")
		case p.Room == 0:
			n = min(full, 1<<lenBits(firstBytes, size))
		case p.Room < full:
			old = unsafe.Slice((*E)(table[0]), p.Room)
			table, n, p.Room = table[:0], 2*p.Room, 0
		case p.Huge && uintptr(p.Room)*size >= hugeFrom:
			n *= uint32(max(1, min(hugeBytes/size, uintptr(math.MaxUint32-p.Room))/uintptr(full)))
		}
		elements := uintptr(n)
		if n > full {
			elements = (hugeBytes+hugePage)/size + 1
		}
		added := make([]E, elements)
		if copy(added, old); n > full {
			start := unsafe.Pointer(unsafe.SliceData(added))
			ahead := -uintptr(start) % hugePage
			askForHugePages(unsafe.Add(start, ahead))
			added = added[(ahead+size-1)/size:]
		}
		for at := uint32(0); at < n; at += full {
			table = append(table, unsafe.Pointer(&added[at]))
		}
		p.Room += n
		p.table = unsafe.Pointer(unsafe.SliceData(table))
	}}
}

// Take hands out one more element and returns its index.
func (p *pages) Take() uint32 {
	if p.Fresh == p.Room {
		p.grow(p)
	}
	p.Fresh++
	return p.Fresh - 1
}

// Reserve makes room for n elements.
func (p *pages) Reserve(n uint64) {
	for uint64(p.Room) < n {
		p.grow(p)
	}
}

// lenBits returns the binary logarithm of the largest power of two of elements that fits a number of bytes, or 0 if fewer than
// two fit. It is a constant to the compiler.
func lenBits(bytes, elementSize uintptr) int { return bits.Len(uint(bytes / (2 * elementSize))) }
