package auto

import (
	"slices"

	"github.com/timerbench/timerbench/structures"
)

// front is the next timers to fire, sorted. An entry is stale unless its record has the
// same generation and deadline.
type front struct {
	entries []entry // the latest first
	limit   structures.Tick
}

// entry is a timer of the front.
type entry struct {
	deadline          structures.Tick
	index, generation uint32
}

const frontLen = 32 // most entries of the front

// last returns the deadline of the earliest entry.
func (f *front) last() (at structures.Tick, ok bool) {
	if n := len(f.entries); n > 0 {
		return f.entries[n-1].deadline, true
	}
	return 0, false
}

// insert adds an entry to the front, which has room for it. It returns the number of
// comparisons.
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

// stands reports whether an entry is not stale. This is its record.
func stands[T any](e entry, r *record[T]) bool {
	return r.generation == e.generation && r.deadline == e.deadline
}

// sort fills the front, which is empty, with timers, at most frontLen. It counts for each
// one how many are later, without a branch. It returns the number of comparisons.
func (f *front) sort(timers []entry) (compared uint64) {
	entries := slices.Grow(f.entries[:0], frontLen)[:len(timers)]
	for i, e := range timers {
		at := 0
		for _, other := range timers[:i] {
			at += toInt(other.deadline >= e.deadline)
		}
		for _, other := range timers[i+1:] {
			at += toInt(other.deadline > e.deadline)
		}
		entries[at] = e
	}
	f.entries = entries
	return uint64(len(timers) * len(timers))
}

// toInt is 1 for true. The compiler makes no branch of it.
func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
