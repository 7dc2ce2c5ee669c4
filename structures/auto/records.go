package auto

import (
	"math"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/paged"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
)

// record holds all data of one timer, so that an operation loads one cache line, or
// two for one record in four.
//
// The generation is odd while the ID of a timer is pending, or prepared for the next
// timer. It grows by one when a timer leaves and by one when an ID is prepared. So no ID
// is issued twice. When all 2^31 IDs of a record are used, the generation is 0 again,
// and the record is never used any more.
type record[T any] struct {
	deadline   structures.Tick
	generation uint32
	where      where
	value      T // zero if the record has no timer
}

// where says where a timer is: a chunk and the place in it, or a position of the arrival
// buffer, or nowhere.
//
//	bits 0-3   the place in a chunk, or inArrivals, or nowhere
//	bits 4-30  the number of the chunk, or the position
//	bit 31     the chunk is in a slot above level 0
type where uint32

const (
	placeBits = 4
	placeMask = 1<<placeBits - 1

	nowhere    where = chunkLen // the record has no timer, or its timer has left its place
	inArrivals where = placeMask

	above where = 1 << 31 // the sign: see buffers.move
)

func (w where) place() where  { return w & placeMask }
func (w where) chunk() uint32 { return uint32(w&^above) >> placeBits }

// inSlot reports whether the timer is in a slot.
func (w where) inSlot() bool { return w.place() < chunkLen }

// maxTimers is the limit of Capacity. A machine of 32 bits has no memory for more.
const maxTimers = min(1<<28, math.MaxInt/64)

// records holds all records. The zero records is empty. A record has a timer, or is
// prepared for one, or is in departures or vacancies, or is free, or exhausted, or was never
// used.
type records[T any] struct {
	paged.Array[record[T]]
	free      paged.Array[uint32] // a stack of the indexes of free records
	freeCount uint32
}

// take returns the index of a record that is not in use: the one that was freed last, if
// there is any.
func (rs *records[T]) take() uint32 {
	if rs.freeCount > 0 {
		rs.freeCount--
		return *rs.free.At(rs.freeCount)
	}
	return rs.Take()
}

// release makes a record free, unless all its generations are used.
func (rs *records[T]) release(index uint32, r *record[T]) {
	rs.makeRoom(1)
	rs.push(index, r)
}

// makeRoom makes room for n more free records.
func (rs *records[T]) makeRoom(n uint32) { rs.free.Reserve(uint64(rs.freeCount) + uint64(n)) }

// full reports whether there is no room for one more free record.
func (rs *records[T]) full() bool { return rs.freeCount == rs.free.Room() }

// push is release where there is room.
func (rs *records[T]) push(index uint32, r *record[T]) {
	if r.generation != 0 {
		*rs.free.At(rs.freeCount) = index
		rs.freeCount++
	}
}

// prefetchFree prefetches the n records that are taken next, as far as they are free. n
// is at most bufferLen.
func (rs *records[T]) prefetchFree(b *prefetch.Batch, n uint32) {
	n = min(n, rs.freeCount, bufferLen)
	var next [bufferLen]uint32
	for i := range next[:n] {
		next[i] = *rs.free.At(rs.freeCount - 1 - uint32(i))
	}
	rs.prefetch(b, next[:n])
}

// prefetch prefetches the cache lines of records.
func (rs *records[T]) prefetch(b *prefetch.Batch, indexes []uint32) {
	for _, index := range indexes {
		r := rs.At(index)
		b.Add(unsafe.Pointer(r))
		b.Add(unsafe.Add(unsafe.Pointer(r), unsafe.Sizeof(*r)-1))
	}
	b.Issue()
}

// idOf returns the ID of the timer in a record.
func idOf(index, generation uint32) structures.ID {
	return structures.ID(generation)<<32 | structures.ID(index)
}
