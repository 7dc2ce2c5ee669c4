package ladder

import (
	"math/bits"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// front is the next timers to fire, sorted. An entry is stale unless its record has the
// same generation and deadline.
type front struct {
	entries []entry // the latest first; at most frontLen, unless all have the same deadline
	limit   structures.Tick
}

// entry is a timer of the front.
type entry struct {
	deadline          structures.Tick
	index, generation uint32
}

const frontLen = 32

// current reports whether an entry is not stale. This is its record.
func current(e entry, r *records.Record) bool {
	return r.Generation == e.generation && r.Deadline == e.deadline
}

// insert adds an entry, and returns the number of comparisons.
func (f *front) insert(e entry) (compared uint64) {
	entries := append(f.entries, e)
	i := len(entries) - 1
	for ; i > 0 && entries[i-1].deadline < e.deadline; i-- {
		entries[i] = entries[i-1]
	}
	entries[i] = e
	f.entries = entries
	return uint64(len(entries) - i)
}

// sort fills the front, which is empty, with at most frontLen timers. It returns the number of
// comparisons. If oneDigit is set, the deadlines differ in their last digit only.
func (f *front) sort(timers []entry, oneDigit bool) (compared uint64) {
	entries := slices.Grow(f.entries[:0], frontLen)[:len(timers)]
	f.entries = entries
	if oneDigit && len(timers) > fewToCompare {
		sortByDigit(entries, timers)
		return 0
	}
	for i, e := range timers { // count how many are later, without a branch
		at := 0
		for _, other := range timers[:i] {
			at += toInt(other.deadline >= e.deadline)
		}
		for _, other := range timers[i+1:] {
			at += toInt(other.deadline > e.deadline)
		}
		entries[at] = e
	}
	return uint64(len(timers) * len(timers))
}

const fewToCompare = 8 // so many timers are sorted faster by comparisons than by digit

// sortByDigit fills entries with timers, the latest first: by the last digit of the deadline.
func sortByDigit(entries, timers []entry) {
	var heads [digitMask + 1]uint8 // 1 + the first timer with a digit; 0: none
	var behind [frontLen + 1]uint8 // by 1 + timer: the next one with the same digit
	digits := uint64(0)
	for i, e := range timers {
		digit := uint64(e.deadline) & digitMask
		behind[i+1] = heads[digit]
		heads[digit] = uint8(i + 1)
		digits |= 1 << digit
	}
	n := 0
	for digits != 0 {
		digit := (bits.Len64(digits) - 1) & digitMask
		digits &^= 1 << digit
		for i := heads[digit]; i != 0; i = behind[i] {
			entries[n] = timers[i-1]
			n++
		}
	}
}

// toInt is 1 for true. The compiler makes no branch of it.
func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
