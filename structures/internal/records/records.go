// Package records holds the timers of packages ladder and hwheel, of package auto, which uses one of the two at a time, and of
// the structures on fifo.Timers.
package records

import (
	"math"
	"reflect"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/paged"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
)

// Record has the data of one timer. The value follows it in memory, so an operation loads one cache line, or two for one record
// in four if values have 8 bytes.
//
// The generation is odd while the ID of a timer is pending, or prepared for the next timer. It grows by one when a timer leaves
// and by one when an ID is prepared, so no ID is issued twice. When all 2^31 IDs of a record were used, the generation is 0
// again, and the record is never used again.
type Record struct {
	Deadline   structures.Tick
	Generation uint32
	Where      Where
}

// Pending reports whether the record has a timer, or is prepared for one.
func (r *Record) Pending() bool { return r.Generation&1 == 1 }

// Is reports whether an ID names the timer of the record, which may be only prepared.
func (r *Record) Is(id structures.ID) bool { return r.Generation == uint32(id>>32) }

// Start puts a timer into the record, which was free.
func (r *Record) Start(deadline structures.Tick) {
	r.Deadline = deadline
	r.Generation++
}

// End takes the timer out of the record, which has no value any more.
func (r *Record) End() { r.Generation++ }

// Valued is a record with its value.
type Valued[T any] struct {
	Record
	Value T // zero if it has pointers and the record has no timer
}

// Take returns the timer that fired and takes the value out of its record. ok is false if the record is nil.
func Take[T any](id structures.ID, r *Record) (due structures.Timer[T], ok bool) {
	if r == nil {
		return due, false
	}
	v := (*Valued[T])(unsafe.Pointer(r))
	due = structures.Timer[T]{ID: id, Deadline: r.Deadline, Value: v.Value}
	var none T
	v.Value = none
	return due, true
}

// MaxTimers is the limit of Capacity. A machine of 32 bits has no memory for more.
const MaxTimers = min(1<<28, math.MaxInt/64)

// Set is a set of records with their clock. Make it with Of. A record has a timer, or is prepared for one, or waits for its place
// to be cleared, or is free, or exhausted, or was never used.
//
// Set does not know the type of the values. So the operations of the structures are compiled once, and pass no dictionary of a
// generic type.
type Set struct {
	Clock structures.Tick
	paged.Rows
	clear   func(r *Record) // clears the value; nil if values have no pointers
	pointer bool            // values are a pointer each
	free    stack
}

// Of returns an empty set of records for values of type T.
func Of[T any]() Set {
	s := Set{Rows: paged.RowsOf[Valued[T]]()}
	if hasPointers(reflect.TypeFor[T]()) {
		s.pointer = unsafe.Sizeof(*new(T)) == unsafe.Sizeof(uintptr(0))
		s.clear = func(r *Record) { (*Valued[T])(unsafe.Pointer(r)).Value = *new(T) }
	}
	return s
}

// hasPointers reports whether values of a type refer to others.
func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return hasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return t.Kind() > reflect.Complex128 // the kinds that follow have pointers
}

// At returns the record of an index, which must be below Room.
func (s *Set) At(index uint32) *Record { return (*Record)(s.Rows.At(index)) }

// ClearValue drops the references of the value of a record. Cancel calls it first, so that it keeps nothing across the call.
func (s *Set) ClearValue(r *Record) {
	if s.clear != nil {
		if s.pointer {
			(*Valued[unsafe.Pointer])(unsafe.Pointer(r)).Value = nil // a call would take 1 ns
		} else {
			s.clear(r)
		}
	}
}

// HasPointers reports whether ClearValue has something to do.
func (s *Set) HasPointers() bool { return s.clear != nil }

// IDOf returns the ID of the timer in a record.
func IDOf(index, generation uint32) structures.ID {
	return structures.ID(generation)<<32 | structures.ID(index)
}

// Find returns the record that an ID names. ok is false if the timer of the ID is gone. Otherwise it is pending or only prepared,
// or no ID.
func (s *Set) Find(id structures.ID) (r *Record, ok bool) {
	if uint32(id) >= s.Fresh {
		return nil, false
	}
	r = s.At(uint32(id))
	return r, r.Generation == uint32(id>>32)
}

// HasFree reports whether a record is free.
func (s *Set) HasFree() bool { return s.free.depth > 0 || s.free.down() }

// TryFree returns the index of the record that was freed last. ok is false if none is at hand; then HasFree tells whether there
// is one.
func (s *Set) TryFree() (index uint32, ok bool) {
	top, at := s.free.top, s.free.depth-1
	if at >= uint(len(top)) {
		return 0, false
	}
	s.free.depth = at
	return top[at], true
}

// Free takes the record that was freed last, or a new one.
func (s *Set) Free() (index uint32) {
	if s.HasFree() {
		index, _ = s.TryFree()
		return index
	}
	index = s.Take()
	s.At(index).Where = Nowhere
	return index
}

// Release frees a record without a timer, unless all generations of the record were used.
func (s *Set) Release(index uint32, r *Record) {
	if !s.TryRelease(index, r) {
		s.free.up()
		s.TryRelease(index, r)
	}
}

// TryRelease is Release if there is room for one more free record. Otherwise it returns false.
func (s *Set) TryRelease(index uint32, r *Record) bool {
	top, depth := s.free.top, s.free.depth
	if depth >= uint(len(top)) {
		return false
	}
	if r.Generation != 0 {
		top[depth] = index
		s.free.depth = depth + 1
	}
	return true
}

// ReserveTimers makes room for n records.
func (s *Set) ReserveTimers(n uint64) {
	s.Reserve(n)
	s.free.reserve(n)
}

// PrefetchFree prefetches the next n records to be taken, or fewer at the end of a page.
func (s *Set) PrefetchFree(b *prefetch.Batch, n int) {
	top := s.free.top[:s.free.depth]
	s.Prefetch(b, top[len(top)-min(n, len(top)):])
}

// Prefetch prefetches the cache lines of records.
func (s *Set) Prefetch(b *prefetch.Batch, indexes []uint32) {
	for _, index := range indexes {
		s.add(b, index)
	}
	b.Issue()
}

// add adds the lines of a record to a batch.
func (s *Set) add(b *prefetch.Batch, index uint32) {
	r := s.At(index)
	b.Add(unsafe.Pointer(r))
	b.Add(unsafe.Add(unsafe.Pointer(r), s.Size-1))
}

// PrefetchIDs prefetches the records that IDs name.
func (s *Set) PrefetchIDs(b *prefetch.Batch, ids []structures.ID) {
	for len(ids) > 0 {
		n := min(len(ids), prefetch.Capacity/2)
		for _, id := range ids[:n] {
			if uint32(id) < s.Fresh {
				s.add(b, uint32(id))
			}
		}
		b.Issue()
		ids = ids[n:]
	}
}

// Where is the place of the timer of a record. The lowest four bits are a tag:
//
//	0-13      a place in a chunk of a wheel; the number of the chunk is above
//	Nowhere   in no slot and no list of many; in a list if there is anything above
//	InBuffer  in the arrival buffer of a wheel; the position is above. InRun: in a run; the record may be free
type Where uint32

// The tags.
const (
	TagBits = 4
	TagMask = 1<<TagBits - 1

	Places         = 14 // in a chunk
	Nowhere  Where = Places
	InBuffer Where = TagMask
	InRun    Where = math.MaxUint32
)

// Tag returns the tag, which is the place if the timer is in a chunk.
func (w Where) Tag() Where { return w & TagMask }

// InSlot reports whether the timer is in a chunk of a wheel.
func (w Where) InSlot() bool { return w.Tag() < Places }

// InList reports whether the record is in a list. It may be free.
func (w Where) InList() bool { return w.Tag() == Nowhere && w != Nowhere }

// mayBeFree reports whether a free record may have the place.
func (w Where) mayBeFree() bool { return w.Tag() == Nowhere || w == InRun }

// stack has the indexes of free records, the last freed on top. It grows by pages, of which the first one
// doubles, and never shrinks. The pages below the top page are full.
type stack struct {
	top   []uint32 // the page of the top
	depth uint     // used of it
	page  int      // its number
	pages [][]uint32
}

const (
	stackPage  = 1 << 14
	stackFirst = 1 << 7
)

// up makes the page after the full top page the top page, or doubles the first one.
func (f *stack) up() {
	if len(f.top) < stackPage {
		first := make([]uint32, max(stackFirst, 2*len(f.top)))
		copy(first, f.top)
		f.top, f.pages = first, append(f.pages[:0], first)
		return
	}
	if f.page++; f.page == len(f.pages) {
		f.pages = append(f.pages, make([]uint32, stackPage))
	}
	f.top, f.depth = f.pages[f.page], 0
}

// down makes the page below the empty top page the top page. It returns false if there is none.
func (f *stack) down() bool {
	if f.page == 0 {
		return false
	}
	f.page--
	f.top, f.depth = f.pages[f.page], stackPage
	return true
}

// reserve makes room for n indexes.
func (f *stack) reserve(n uint64) {
	page, depth := f.page, f.depth
	for uint64(f.page)*stackPage+uint64(len(f.top)) < n {
		f.up()
	}
	if f.page, f.depth = page, depth; n > 0 {
		f.top = f.pages[page]
	}
}
