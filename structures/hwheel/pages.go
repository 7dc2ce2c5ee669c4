package hwheel

import (
	"math"
	"math/bits"
	"unsafe"
)

// pages is an array that grows. The zero pages is empty.
//
//   - All pages have the same length, the largest power of two of elements that
//     fits pageBytes, and at least one element. So a large element costs no more
//     room than a small one, and the page of an index is a shift away.
//   - A page never moves, except the first one while it is the only one: it starts
//     with firstBytes, and doubles. So no call copies more than one page.
//   - Elements are taken in order. Those taken are below fresh, and those that have
//     memory are below room.
type pages[E any] struct {
	page  []unsafe.Pointer
	room  uint32
	fresh uint32
}

const (
	pageBytes  = 96 << 10
	firstBytes = 4 << 10
)

// lenBits returns the binary logarithm of the largest power of two of elements that
// fits so many bytes, and 0 if not even two do. It is a constant to the compiler.
func lenBits(bytes, elementSize uintptr) int {
	return bits.Len(uint(bytes / (2 * elementSize)))
}

// at returns the element of an index, which must be below room. It skips the
// bounds check and the check for nil, which would load the first line of a page
// for nothing: a fifth of a hold among ten million timers.
func (p *pages[E]) at(index uint32) (e *E) {
	n := lenBits(pageBytes, unsafe.Sizeof(*e))
	return (*E)(unsafe.Add(p.page[index>>n], uintptr(index&(1<<n-1))*unsafe.Sizeof(*e)))
}

// take returns the index of the first of n elements that were never used. n must
// divide the length of every page.
func (p *pages[E]) take(n uint32) uint32 {
	if p.fresh == p.room {
		p.grow()
	}
	index := p.fresh
	p.fresh += n
	return index
}

// reserve makes room for n elements.
func (p *pages[E]) reserve(n uint64) {
	for uint64(p.room) < n {
		p.grow()
	}
}

// grow adds a page, or doubles the first one. It panics when all numbers of 32 bits
// are in use.
func (p *pages[E]) grow() {
	size := unsafe.Sizeof(*new(E))
	full := uint32(1) << lenBits(pageBytes, size)
	switch {
	case len(p.page) == 0:
		p.add(uint32(1) << lenBits(firstBytes, size))
	case p.room < full:
		first := unsafe.Slice((*E)(p.page[0]), p.room)
		p.page, p.room = p.page[:0], 0
		p.add(uint32(2 * len(first)))
		copy(unsafe.Slice((*E)(p.page[0]), p.room), first)
	case p.room > math.MaxUint32-full:
		panic("hwheel: too many timers: there are no more numbers for them")
	default:
		p.add(full)
	}
}

func (p *pages[E]) add(n uint32) {
	p.page = append(p.page, unsafe.Pointer(unsafe.SliceData(make([]E, n))))
	p.room += n
}
