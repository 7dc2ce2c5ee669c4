package hwheel

import (
	"math"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
)

// record holds all data of one timer, so that an operation loads one cache line, or
// two for one record in four.
type record[T any] struct {
	state    state
	deadline structures.Tick
	value    T // zero if the record has no timer
}

// state is the generation, the location and the version of a record:
//
//	bits  0-31  generation
//	bits 32-47  location: in a slot, staged, or a position of the arrival buffer
//	bits 48-63  version
//
// Its invariants:
//
//   - The ID of a timer is the generation and the index of its record. The
//     generation is odd while that ID is pending, or prepared for the next timer.
//     It grows by one when a timer leaves and by one when an ID is prepared. So no
//     ID is issued twice.
//   - The version is that of the live entry of the timer. It changes when that
//     entry dies. So all other entries of the record are dead, except that versions
//     repeat after 65,536 changes.
type state uint64

const (
	locationShift = 32
	locationMask  = state(0xffff) << locationShift

	inSlot     = state(0)                       // the live entry is in a slot
	staged     = state(0x4000) << locationShift // the timer is about to fire
	inArrivals = state(0x8000) << locationShift // there is no entry; the position is added

	nextGeneration = state(1)
	nextVersion    = state(1) << 48
)

func (s state) generation() uint32 { return uint32(s) }
func (s state) location() state    { return s & locationMask }
func (s state) version() uint16    { return uint16(s >> 48) }
func (s state) position() int      { return int(s>>locationShift) & arrivalsMask }

// pendingInSlot reports whether the record has a timer whose entry is in a slot.
func (s state) pendingInSlot() bool { return s&(locationMask|1) == inSlot|1 }

// owns reports whether e, an entry in a slot, is the live entry of the timer. After
// 65,536 versions a dead entry may pass, too. That is harmless: the record alone
// decides when a timer fires, so such an entry costs one look at the record.
func (s state) owns(e entry) bool { return s.pendingInSlot() && s.version() == e.version() }

// exhausted reports whether all 2^31 generations of a record are used. The last one
// carries into the location, which tells an exhausted record from a new one. It is
// never used again, so that no ID repeats.
func (s state) exhausted() bool { return s.generation() == 0 && s != 0 }

// maxTimers is the limit of Capacity. The numbers of records and entries have 32
// bits, and a machine of 32 bits has no memory for more.
const maxTimers = min(4_000_000_000, math.MaxInt/16)

// records holds all records. The zero records is empty. A record is prepared for a
// timer or has one, or is free, or exhausted, or was never used.
type records[T any] struct {
	pages[record[T]]
	free  stack // indexes of records that were used before
	ahead prefetch.Batch
}

// has reports whether the index in id is that of a record.
func (r *records[T]) has(id structures.ID) bool { return uint32(id) < r.room }

// prefetch adds the cache lines of a record to the batch.
func (r *records[T]) prefetch(one *record[T]) {
	r.ahead.Add(unsafe.Pointer(one))
	r.ahead.Add(unsafe.Add(unsafe.Pointer(one), unsafe.Sizeof(*one)-1))
}

// prefetchAll prefetches the records of entries.
func (r *records[T]) prefetchAll(held []entry) {
	for _, e := range held {
		r.prefetch(r.at(e.index()))
	}
	r.ahead.Issue()
}

// idOf returns the ID of the timer in a record.
func idOf(index uint32, s state) structures.ID {
	return structures.ID(s.generation())<<32 | structures.ID(index)
}
