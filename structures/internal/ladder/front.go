package ladder

import (
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// front holds the next timers to fire, sorted, the latest first. An entry is stale unless its record has the same generation and
// deadline. A timer that moved there and back may have several entries, of which the first fires it.
type front struct {
	entries []entry
	limit   structures.Tick // a front of at most frontLen entries takes timers that are due before this tick
}

// takes reports whether a timer with a deadline goes to the front. Otherwise it goes to a list.
func (f *front) takes(deadline structures.Tick) bool {
	if n := len(f.entries); n > frontLen {
		return deadline < f.entries[n-frontLen].deadline
	}
	return deadline < f.limit
}

// entry is a timer of the front.
type entry struct {
	deadline          structures.Tick
	index, generation uint32
}

func entryOf(index uint32, r *records.Record) entry { return entry{r.Deadline, index, r.Generation} }

const (
	// frontLen is the maximum number of entries that a new entry passes, unless they have equal deadlines.
	frontLen = 32
	// sortedLen is the maximum number of timers of a slot that are sorted together, which takes up to 20 us.
	sortedLen = 2048
)

// current reports whether an entry is not stale. r is its record.
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

// toFront sorts the timers of a slot of a level, which are in q.emptied, and merges them with the front. differ is 0 if they are
// sorted.
func (q *Queue) toFront(timers []entry, level uint, differ structures.Tick) {
	f, n := &q.front, len(timers)
	alone := len(f.entries) == 0
	into := &q.spare
	switch {
	case differ == 0:
		if alone {
			f.entries, q.emptied = timers, f.entries
		}
	case n <= fewToCompare*int(level) || level > 2:
		if alone {
			into = &f.entries
		}
		timers = byComparison(into, timers)
		q.work.Comparisons += uint64(n * n)
	default:
		if level == 2 {
			timers = byDigit(&q.spare, timers, 0)
			into = &q.emptied
		}
		if alone {
			into = &f.entries
		}
		timers = byDigit(into, timers, digitBits*(level-1))
	}
	if !alone {
		f.merge(timers)
		q.work.Comparisons += uint64(n)
	}
	if n > 0 {
		q.due = min(q.due, f.entries[len(f.entries)-1].deadline)
	}
}

// merge merges sorted timers with the front.
func (f *front) merge(timers []entry) {
	i, j := len(f.entries)-1, len(timers)-1
	f.entries = append(f.entries, timers...)
	for at := len(f.entries) - 1; j >= 0; at-- {
		if i >= 0 && f.entries[i].deadline < timers[j].deadline {
			f.entries[at] = f.entries[i]
			i--
		} else {
			f.entries[at] = timers[j]
			j--
		}
	}
}

const fewToCompare = 12 // up to this number of timers per level, comparisons sort faster than digits

// byComparison sorts timers by comparisons into another slice.
func byComparison(into *[]entry, timers []entry) []entry {
	sorted := room(into, len(timers))
	for i, e := range timers { // the place of a timer is the number of later timers
		at := 0
		for _, other := range timers[:i] {
			at += toInt(other.deadline >= e.deadline)
		}
		for _, other := range timers[i+1:] {
			at += toInt(other.deadline > e.deadline)
		}
		sorted[at] = e
	}
	return sorted
}

// byDigit sorts timers into another slice by a digit of the deadline. The sort is stable.
func byDigit(into *[]entry, timers []entry, shift uint) []entry {
	sorted := room(into, len(timers))
	var ends [digitMask + 1]uint32 // by digit: first the number of timers, then the place of the next one
	for i := range timers {
		ends[uint64(timers[i].deadline)>>(shift&63)&digitMask]++
	}
	end := uint32(0)
	for digit := digitMask; digit >= 0; digit-- {
		end, ends[digit] = end+ends[digit], end
	}
	for i := range timers {
		digit := uint64(timers[i].deadline) >> (shift & 63) & digitMask
		sorted[ends[digit]] = timers[i]
		ends[digit]++
	}
	return sorted
}

// room sets the length of a slice to n, and returns it.
func room(into *[]entry, n int) []entry {
	*into = slices.Grow((*into)[:0], n)[:n]
	return *into
}

// toInt returns 1 for true and 0 for false. The compiler uses no branch.
func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
