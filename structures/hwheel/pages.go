package hwheel

import (
	"math"
	"math/bits"
	"unsafe"
)

// pages is an array that grows. The zero pages is empty. Its invariants:
//
//   - A page holds the largest power of two of elements that fits pageBytes, at
//     least one. So an index is split into page and offset by a shift.
//   - A page never moves. The exception is the first page while it is the only
//     one: it starts with firstBytes and doubles. So no call copies more than one
//     page.
//   - Elements below room have memory. Elements below fresh were handed out.
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
// fits so many bytes, or 0 if not even two fit. It is a constant to the compiler.
func lenBits(bytes, elementSize uintptr) int {
	return bits.Len(uint(bytes / (2 * elementSize)))
}

// at returns the element of an index, which must be below room. Nothing checks
// that. Ordinary arrays would check bounds, and load the first line of the page to
// check it for nil, which makes a hold among ten million timers slower by a fifth.
func (p *pages[E]) at(index uint32) (e *E) {
	n := lenBits(pageBytes, unsafe.Sizeof(*e))
	table := unsafe.Pointer(unsafe.SliceData(p.page))
	page := *(*unsafe.Pointer)(unsafe.Add(table, uintptr(index>>n)*unsafe.Sizeof(table)))
	return (*E)(unsafe.Add(page, uintptr(index&(1<<n-1))*unsafe.Sizeof(*e)))
}

// take hands out n elements and returns the index of the first. n must divide the
// length of every page.
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

// grow adds a page, or doubles the first one. It panics if an index would need more
// than 32 bits.
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
		panic("hwheel: too many timers: their numbers have 32 bits")
	default:
		p.add(full)
	}
}

// add adds a page of n elements.
func (p *pages[E]) add(n uint32) {
	p.page = append(p.page, unsafe.Pointer(unsafe.SliceData(make([]E, n))))
	p.room += n
}
