package hwheel

import (
	"math"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
)

// record is what is known of one timer. Everything that an operation needs to
// know of it stands together: one cache line, or two for one in four.
type record[T any] struct {
	word     word
	deadline structures.Tick
	value    T
}

// word is the state of a record: how often it was taken and freed, where its timer
// is, and how often it has got another entry.
//
//	bits  0-31  generation: odd while an ID is out or ready to be given out
//	bits 32-47  place: linked, staged, or at the desk and at which position
//	bits 48-63  stamp: that of the one entry that counts
type word uint64

const (
	placeShift = 32
	placeMask  = word(0xffff) << placeShift

	linked = word(0)                    // it has an entry in a slot of the wheel
	staged = word(0x4000) << placeShift // its entry is among those about to fire
	atDesk = word(0x8000) << placeShift // it has none yet; the position is added

	nextGeneration = word(1)
	nextStamp      = word(1) << 48
)

func (w word) generation() uint32 { return uint32(w) }
func (w word) place() word        { return w & placeMask }
func (w word) stamp() uint16      { return uint16(w >> 48) }
func (w word) position() int      { return int(w>>placeShift) & deskMask }

// inWheel reports whether this is the word of a timer that has an entry in a slot.
func (w word) inWheel() bool { return w&(placeMask|1) == linked|1 }

// counts reports whether e is the entry, in a slot, of the timer that has this word:
// all others are dead. A dead one may pass, once stamps have come round.
func (w word) counts(e entry) bool { return w.inWheel() && w.stamp() == e.stamp() }

// spent reports whether the generations of a record are used up, after 2^31
// timers. Adding to the last one carries into the place, which is how a spent
// record is told from one that is new. It is never used again, so that no ID ever
// comes round a second time.
func (w word) spent() bool { return w.generation() == 0 && w != 0 }

// Records are allocated in pages, so that growing never copies any.
const (
	recordBits = 12
	recordMask = 1<<recordBits - 1
	// maxRecordPages is one less than an ID has bits for, so that the number of
	// the first record that was never used does not come round.
	maxRecordPages = 1<<(32-recordBits) - 1
)

// maxTimers is how many timers room can be reserved for: a little less than there
// are numbers of 32 bits for their records and entries.
const maxTimers = min(4_000_000_000, math.MaxInt)

// records holds all records. The zero records is ready to use. Record 0 is never
// given out.
type records[T any] struct {
	pages []unsafe.Pointer // of 1<<recordBits records each
	fresh uint32           // the first one that was never used
	free  stack            // those used before
	ahead prefetch.Batch
}

// at returns a record, which must be on a page that is there. It goes past the
// same checks as entries.at, and for the same reason.
func (r *records[T]) at(index uint32) *record[T] {
	return (*record[T])(unsafe.Add(r.pages[index>>recordBits], uintptr(index&recordMask)*unsafe.Sizeof(record[T]{})))
}

// has reports whether there is a record of the index in id.
func (r *records[T]) has(id structures.ID) bool {
	return int(uint32(id)>>recordBits) < len(r.pages)
}

// touch asks for the lines of a record.
func (r *records[T]) touch(index uint32) {
	p := unsafe.Pointer(r.at(index))
	r.ahead.Add(p)
	r.ahead.Add(unsafe.Add(p, unsafe.Sizeof(record[T]{})-1))
}

// take returns the index of a record not in use, the last one freed first.
func (r *records[T]) take() uint32 {
	if r.free.len() > 0 {
		return r.free.pop()
	}
	if r.fresh>>recordBits >= uint32(len(r.pages)) {
		r.addPage()
	}
	if r.fresh == 0 {
		r.fresh = 1
	}
	index := r.fresh
	r.fresh++
	return index
}

func (r *records[T]) addPage() {
	if len(r.pages) == maxRecordPages {
		panic("hwheel: too many timers: there are no more numbers for their records")
	}
	r.pages = append(r.pages, unsafe.Pointer(new([1 << recordBits]record[T])))
}

// idOf returns the ID of the timer in a record.
func idOf(index uint32, w word) structures.ID {
	return structures.ID(w.generation())<<32 | structures.ID(index)
}
