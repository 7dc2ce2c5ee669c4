// Package records holds the timers of package ladder, of package hwheel, and of package
// auto, which are in the two by turns.
package records

import (
	"math"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/paged"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
)

// Record holds all data of one timer, so that an operation loads one cache line, or
// two for one record in four.
//
// The generation is odd while the ID of a timer is pending, or prepared for the next
// timer. It grows by one when a timer leaves and by one when an ID is prepared. So no ID
// is issued twice. When all 2^31 IDs of a record are used, the generation is 0 again,
// and the record is never used any more.
type Record[T any] struct {
	Deadline   structures.Tick
	Generation uint32
	Where      Where
	Value      T // zero if the record has no timer
}

// Pending reports whether the record has a timer, or is prepared for one.
func (r *Record[T]) Pending() bool { return r.Generation&1 == 1 }

// Is reports whether an ID names the timer of the record, which may be only prepared.
func (r *Record[T]) Is(id structures.ID) bool { return r.Generation == uint32(id>>32) }

// Start puts a timer into the record, which was free.
func (r *Record[T]) Start(deadline structures.Tick, value T) {
	r.Deadline, r.Value = deadline, value
	r.Generation++
}

// End takes the timer out of the record.
func (r *Record[T]) End() {
	var none T
	r.Value = none
	r.Generation++
}

// MaxTimers is the limit of Capacity. A machine of 32 bits has no memory for more.
const MaxTimers = min(1<<28, math.MaxInt/64)

// Set is the records, and the clock that goes with them. The zero Set is empty. A record
// has a timer, or is prepared for one, or waits for its place to be cleared, or is free, or
// exhausted, or was never used.
type Set[T any] struct {
	Clock structures.Tick
	paged.Array[Record[T]]
	free      paged.Array[uint32] // a stack of the indexes of free records
	freeCount uint32
}

// AfterClock returns the tick after the clock, or the last tick of all.
func (s *Set[T]) AfterClock() structures.Tick { return s.Clock + min(1, math.MaxInt64-s.Clock) }

// IDOf returns the ID of the timer in a record.
func IDOf(index, generation uint32) structures.ID {
	return structures.ID(generation)<<32 | structures.ID(index)
}

// Has reports whether the record that an ID names was ever used.
func (s *Set[T]) Has(id structures.ID) bool { return uint32(id) < s.Fresh() }

// HasFree reports whether a record is free.
func (s *Set[T]) HasFree() bool { return s.freeCount > 0 }

// TakeFree returns the index of the record that was freed last. There must be one.
func (s *Set[T]) TakeFree() uint32 {
	s.freeCount--
	return *s.free.At(s.freeCount)
}

// Release makes a record free that has no timer, unless all its generations are used.
func (s *Set[T]) Release(index uint32, r *Record[T]) {
	if s.Full() {
		s.MakeRoom(1)
	}
	s.Push(index, r)
}

// MakeRoom makes room for n more free records.
func (s *Set[T]) MakeRoom(n uint32) { s.free.Reserve(uint64(s.freeCount) + uint64(n)) }

// Full reports whether there is no room for one more free record.
func (s *Set[T]) Full() bool { return s.freeCount == s.free.Room() }

// Push is Release where there is room.
func (s *Set[T]) Push(index uint32, r *Record[T]) {
	if r.Generation != 0 {
		*s.free.At(s.freeCount) = index
		s.freeCount++
	}
}

// ReserveTimers makes room for n records.
func (s *Set[T]) ReserveTimers(n uint64) {
	s.Reserve(n)
	s.free.Reserve(n)
}

// PrefetchFree prefetches the n records that are taken next, as far as they are free, by
// way of next, which has room for them.
func (s *Set[T]) PrefetchFree(b *prefetch.Batch, next []uint32) {
	next = next[:min(uint32(len(next)), s.freeCount)]
	for i := range next {
		next[i] = *s.free.At(s.freeCount - 1 - uint32(i))
	}
	s.Prefetch(b, next)
}

// Prefetch prefetches the cache lines of records.
func (s *Set[T]) Prefetch(b *prefetch.Batch, indexes []uint32) {
	for _, index := range indexes {
		s.add(b, index)
	}
	b.Issue()
}

// add adds the lines of a record to a batch.
func (s *Set[T]) add(b *prefetch.Batch, index uint32) {
	r := s.At(index)
	b.Add(unsafe.Pointer(r))
	b.Add(unsafe.Add(unsafe.Pointer(r), unsafe.Sizeof(*r)-1))
}

// PrefetchIDs prefetches the records that IDs name.
func (s *Set[T]) PrefetchIDs(b *prefetch.Batch, ids []structures.ID) {
	for len(ids) > 0 {
		n := min(len(ids), prefetch.Capacity/2)
		for _, id := range ids[:n] {
			if s.Has(id) {
				s.add(b, uint32(id))
			}
		}
		b.Issue()
		ids = ids[n:]
	}
}
