// Package runs holds timers that come in the order of their deadlines, as timers with one delay do. Each run is a queue: a new timer
// goes to the end, and the next timer to fire is at the front. So nothing is sorted, nothing cascades, and memory is touched in sequence.
package runs

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// Runs holds timers in up to mostRuns runs. New makes one. A timer goes to the run with the latest end that is not
// after its deadline. So each of a few delays finds a run of its own.
//
// A timer has one entry. It is dead if its record has another generation, or is not in a run. A timer that moves to a later tick keeps
// its entry, and the record has the deadline. If there are more dead entries than timers, each page that is added, and each 32nd timer
// that leaves, removes those of some pages. A run opens if two of three timers are in order. All close if most timers do not fit them.
//
// Invariants:
//
//   - The entries of a run are in the order of their deadlines, and the end is not before the last one. The runs are in the order of
//     their ends, the latest first.
//   - Due is the deadline of the first entry. An entry has no deadline after that of its timer, and none is the last tick of all.
//   - From is the end of the last run if the runs are open, otherwise the last tick of all.
type Runs struct {
	Due   structures.Tick // of the first entry, or the last tick of all
	other structures.Tick // no run but that of front has an entry before this tick
	From  structures.Tick // a timer that is due before this tick fits no run; the last tick of all: the runs are closed
	Live  int             // timers, unless another holder counts them
	front *page           // the page of the first entry; nil: there is none
	tail  *page           // the last page of the last run if the runs are open; or full
	above structures.Tick // the end of the run before that one, or the last tick of all
	used  int
	runs  [mostRuns]run
	pages int // in runs
	free  *page
	// The next page to sweep is that after before in a run, or its first one.
	at        int
	before    *page
	left      uint32 // calls of Leave
	Dropped   uint64 // dead entries that were removed so far
	OpenAfter int    // more timers in order than outOfOrder times the others open a run
	inOrder   int    // how many more Miss was told of
	last      structures.Tick
	missed    int
	ahead     *prefetch.Batch // nil until a run opens
}

type run struct {
	first, last *page
	end         structures.Tick
}

// page is a part of a run. Only the last page of a run may be without entries.
type page struct {
	next    *page
	from, n uint32 // the entries are from from to n
	entries [pageLen]Entry
}

// Entry is a timer of a run.
type Entry struct {
	Deadline          structures.Tick
	Index, generation uint32
}

const (
	mostRuns              = 4
	pageLen               = 127 // 2 KiB
	openAfter, outOfOrder = 32, 2
	slack                 = 2 * mostRuns * pageLen // dead entries that are never too many
	perPage               = 4                      // pages swept for each page added
	aheadLen, aheadFrom   = 16, 4096               // entries prefetched together; fewer records are in a near cache
	// MissedShare is the share of the timers that went elsewhere that Miss is told of.
	MissedShare = 32
	// Never is Due if there is no entry.
	Never = structures.Tick(math.MaxInt64)
)

// full stands for a page to which nothing can be added.
var full = page{n: pageLen}

// New returns runs without timers.
func New() Runs {
	return Runs{Due: Never, other: Never, From: Never, above: Never, tail: &full, OpenAfter: openAfter}
}

// Reserve makes room for n timers.
func (q *Runs) Reserve(n int) {
	q.ahead = new(prefetch.Batch)
	q.addPages(n/pageLen + mostRuns)
}

func (q *Runs) addPages(n int) {
	pages := make([]page, n)
	for i := range pages {
		pages[i].next, q.free = q.free, &pages[i]
	}
}

// Add adds a new timer with a deadline that is not before From. It returns false if AddSlowly must do so.
func (q *Runs) Add(index uint32, r *records.Record) bool {
	deadline, p := r.Deadline, q.tail
	if deadline >= q.above || p.n >= pageLen {
		return false
	}
	p.entries[p.n] = Entry{deadline, index, r.Generation}
	p.n++
	r.Where = records.InRun
	q.From = deadline
	if deadline < q.Due {
		q.Due, q.front = deadline, p
	}
	return true
}

// AddSlowly adds a timer that Add did not. pending is the number of all timers. It returns false if no run takes it.
func (q *Runs) AddSlowly(rs *records.Set, index uint32, r *records.Record, pending int) bool {
	q.saveEnd()
	i, deadline := 0, r.Deadline
	for i < q.used && deadline < q.runs[i].end {
		i++
	}
	if i == q.used || q.From == Never || deadline == Never || !q.makeRoom(rs, i, pending) {
		return false
	}
	q.tail, q.above = q.runs[i].last, Never
	q.Add(index, r)
	q.runs[i].end = deadline
	if first := q.runs[i].first; first.n == first.from+1 {
		q.find() // the run had no entries
	}
	q.setTail(true)
	return true
}

// saveEnd writes the end of the last run, which Add leaves to From.
func (q *Runs) saveEnd() {
	if q.From != Never {
		q.runs[q.used-1].end = q.From
	}
}

// setTail prepares Add for the last run, or closes the runs.
func (q *Runs) setTail(open bool) {
	q.From, q.above, q.tail = Never, Never, &full
	if !open {
		return
	}
	w := &q.runs[q.used-1]
	q.From = w.end
	if p := w.last; p != nil && (p.from < p.n || q.used == 1) { // otherwise AddSlowly finds the first entry of all
		q.tail = p
	}
	if q.used > 1 {
		q.above = q.runs[q.used-2].end
	}
}

// makeRoom makes room at the end of a run. It returns false if the runs close instead.
func (q *Runs) makeRoom(rs *records.Set, i, pending int) bool {
	w := &q.runs[i]
	if w.last != nil && w.last.n < pageLen {
		return true
	}
	if q.missed*MissedShare > 3*pageLen {
		q.setOpen(false)
		return false
	}
	q.missed = 0
	if q.pages*pageLen > 2*pending+slack {
		q.sweep(rs, perPage)
		if w.last != nil && w.last.n < pageLen {
			return true
		}
	}
	if q.free == nil {
		q.addPages(1 + q.pages/2) // few allocations while a run grows
	}
	p := q.free
	q.free = p.next
	p.next, p.from, p.n = nil, 0, 0
	q.pages++
	if w.last == nil {
		w.first = p
	} else {
		w.last.next = p
	}
	w.last = p
	return true
}

func (q *Runs) release(p *page) {
	p.next, q.free = q.free, p
	q.pages--
}

// Miss notes the deadline of a new timer that went elsewhere, and may open a run.
func (q *Runs) Miss(deadline structures.Tick) {
	q.missed++
	if deadline < q.last {
		q.inOrder = max(0, q.inOrder-outOfOrder)
	} else if q.inOrder++; q.inOrder >= q.OpenAfter {
		q.inOrder = 0
		q.setOpen(true)
	}
	q.last = deadline
}

// Moved takes the first entry, whose timer moved to a later tick. If that happens often, the runs close.
func (q *Runs) Moved(rs *records.Set) {
	q.missed += MissedShare
	q.Take(rs)
}

// setOpen adds a run for timers that fit no other run, or closes the runs to new timers.
func (q *Runs) setOpen(open bool) {
	q.saveEnd()
	if q.missed = 0; !open || q.used == mostRuns {
		q.removeEmpty()
	}
	if open && q.used < mostRuns {
		q.runs[q.used] = run{end: math.MinInt64}
		q.used++
		if q.ahead == nil {
			q.ahead = new(prefetch.Batch)
		}
	}
	q.setTail(open)
}

// removeEmpty removes the runs without entries.
func (q *Runs) removeEmpty() {
	used := 0
	for _, w := range q.runs[:q.used] {
		if w.last == nil || w.first.from == w.last.n && w.first == w.last {
			if w.last != nil {
				q.release(w.last)
			}
			continue
		}
		q.runs[used] = w
		used++
	}
	clear(q.runs[used:])
	q.used, q.at, q.before = used, 0, nil
	q.find()
}
