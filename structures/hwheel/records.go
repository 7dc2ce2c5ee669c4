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

// maxTimers is how many timers room can be reserved for: a little less than there
// are numbers of 32 bits for their records and entries, or on a machine of 32 bits
// no more than its memory could hold.
const maxTimers = min(4_000_000_000, math.MaxInt/16)

// records holds all records. The zero records is ready to use.
type records[T any] struct {
	pages[record[T]]
	free  stack // those used before
	ahead prefetch.Batch
}

// has reports whether there is a record of the index in id.
func (r *records[T]) has(id structures.ID) bool { return uint32(id) < r.room }

// touch asks for the lines of a record.
func (r *records[T]) touch(one *record[T]) {
	r.ahead.Add(unsafe.Pointer(one))
	r.ahead.Add(unsafe.Add(unsafe.Pointer(one), unsafe.Sizeof(*one)-1))
}

// touchAll asks for the records of entries, at once.
func (r *records[T]) touchAll(held []entry) {
	for _, e := range held {
		r.touch(r.at(e.index()))
	}
	r.ahead.Issue()
}

// idOf returns the ID of the timer in a record.
func idOf(index uint32, w word) structures.ID {
	return structures.ID(w.generation())<<32 | structures.ID(index)
}
