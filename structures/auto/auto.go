// Package auto is the default structure: an array for a handful of timers, the lists of package ladder for few, and the wheel of
// package hwheel for many.
//
// Up to 512 timers are in an array without order, while the scans for the earliest cost little: at most 32 comparisons for each
// timer that comes or moves, or 8 among more than 160, or up to 32 timers. Otherwise they are in lists, and at most 8 return to the
// array. If there are more than 12,000 timers, all move to the wheel, a few in each call. If fewer than an eighth of that remain,
// they move back. A timer costs O(1) for any delay, and fires exactly at its tick. The documentation of the two packages explains how
// they work and where the ideas come from.
//
// Timers that come in the order of their deadlines, as those with one delay do, are in up to four queues (package runs), in which
// nothing is sorted and nothing cascades. In the wheel, timers pass the arrival buffer first.
//
// All have the same records, so a timer keeps its ID and its value stays in place when the timer moves.
//
// Costs. Schedule, Reschedule and Cancel are O(1). Pop is O(1) plus the cascades: over its life a timer costs O(levels). In
// lists, a call may empty a slot of up to 12,000 timers. While timers move to the wheel, each call moves 16 timers, and Pop also
// moves the timers that may be due. In the wheel, a call moves what package hwheel says: 2,600 timers of ten million.
//
// Memory. An empty set takes less than 1 KiB. A timer takes 16 bytes and its value. In lists a timer takes 12 bytes more, a level
// takes 1 KiB, and the array or the fullest slot so far takes 48 bytes a timer, for up to 2048 timers. In the wheel a timer takes
// 5 bytes more if few timers are cancelled, and 15 if most are; in a queue 16, and up to 48 if most are. A chunk with a single
// timer takes 66 bytes. A level of the wheel takes 33 KiB from its first use on. Records are in pages of 4096.
//
// Pick it unless timers with equal deadlines must fire in the order of their scheduling; then pick package hwheellist. A tickless
// driver rarely wakes up in vain: Next names the start of a slot only if the slot has more than 32 timers, or more than one chunk
// in the wheel.
package auto

import (
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/hwheel"
	"github.com/timerbench/timerbench/structures/internal/ladder"
	"github.com/timerbench/timerbench/structures/internal/records"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/runs"
	"github.com/timerbench/timerbench/structures/shape"
)

// Option sets a parameter of Timers.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers with delays of up to a million ticks. The default is 0. More timers grow the structure.
func Capacity(n int) Option { return Option{rules.Capacity("auto", n, records.MaxTimers)} }

// HugePages asks Linux for huge pages once the records take a megabyte, unless the system gives none to programs that ask: see
// "timerbench doctor". A million timers then take a tenth less time. Memory grows by 10 MiB, so a call may take milliseconds.
func HugePages() Option { return Option{func(r *rules.Room) { r.HugePages = true }} }

var _ structures.Scheduler[int] = (*Timers[int])(nil)
var _ structures.Prefetcher = (*Timers[int])(nil)

// Timers is a set of pending timers with values of type T. Make it with New. It is a [structures.Scheduler].
type Timers[T any] struct{ core }

// core is Timers without the type of the values, so calls of its methods pass no dictionary.
type core struct {
	records  records.Set
	mode     mode
	noClear  bool          // the mode is few, and values have no references to clear
	listMax  int           // most timers in lists now: limit if the mode is few; otherwise 0
	limit    int           // most timers in lists
	wheelMin int           // with fewer timers in the wheel, all move back to lists
	lists    ladder.Queue  // it counts the timers in runs, too, while the mode is few
	wheel    *hwheel.Wheel // nil until it is needed
	runs     runs.Runs
}

// New returns an empty set of timers at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Timers[T] {
	room := rules.Apply(rules.Room{}, opts)
	t, n := newTimers[T](fewLimit), room.Capacity
	t.records.Huge = room.HugePages
	if n > 0 {
		t.lists.Reserve(min(n, fewLimit))
		t.records.ReserveTimers(uint64(n))
		t.runs.Reserve(n)
	}
	if n > fewLimit {
		t.wheel = hwheel.New(&t.records, &t.runs)
		t.wheel.Reserve(&t.records, uint64(n))
	}
	return t
}

func newTimers[T any](limit int) *Timers[T] {
	t := &Timers[T]{core{
		records: records.Of[T](),
		limit:   limit, wheelMin: limit / backShare, lists: ladder.New(fewLimit), runs: runs.New(),
	}}
	t.setMode(few)
	return t
}

// Schedule adds a pending timer. It costs O(1). In the wheel every 32nd call moves 32 timers to slots.
func (t *Timers[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	id, r := t.schedule(deadline)
	(*records.Valued[T])(unsafe.Pointer(r)).Value = value
	return id
}

// schedule is Schedule without the value. The caller writes the value to the record.
func (t *core) schedule(deadline structures.Tick) (structures.ID, *records.Record) {
	rs := &t.records
	deadline = rules.Clamp(rs.Clock, deadline)
	if t.lists.Len() >= t.listMax {
		if t.mode != many {
			t.moveToWheel()
		} else if t.wheel.Open() {
			return t.wheel.Arrive(deadline)
		}
		return t.wheel.Schedule(rs, deadline)
	}
	index, ok := rs.TryFree()
	if !ok {
		return t.lists.Schedule(rs, deadline)
	}
	// The same as t.lists.Schedule, whose call would take a tenth of the time of start-stop.
	r := rs.At(index)
	t.lists.Enter()
	if r.Start(deadline); deadline >= t.runs.From && (!r.Where.InList() || t.lists.InPile()) {
		return t.placeInRun(index, r)
	}
	if t.lists.Keeps(r.Where, deadline) {
		return records.IDOf(index, r.Generation), r
	}
	if t.lists.Came()&missSampleMask == 0 {
		return t.placeSlowly(index, r)
	}
	if t.lists.InPile() {
		return t.lists.AddToPile(rs, index, r)
	}
	return t.lists.Place(rs, index, r)
}

// Reschedule moves a pending timer. It costs O(1). In the wheel every 32nd call moves 32 timers to their new slots.
func (t *core) Reschedule(id structures.ID, deadline structures.Tick) bool {
	rs := &t.records
	r, ok := rs.Find(id)
	if !ok {
		return false
	}
	deadline = rules.Clamp(rs.Clock, deadline)
	if t.mode == few {
		if !r.Pending() {
			return false
		}
		if t.lists.Keeps(r.Where, deadline) || r.Where == records.InRun && deadline >= r.Deadline {
			r.Deadline = deadline
			return true
		}
		if r.Where == records.InRun {
			r.Deadline, r.Where = deadline, records.Nowhere // its entry is dead
			t.lists.Place(rs, uint32(id), r)
			return true
		}
		if t.lists.InPile() {
			return t.lists.MoveInPile(r, deadline)
		}
		return t.lists.Reschedule(rs, uint32(id), r, deadline)
	}
	if t.mode == changing {
		t.toWheel(uint32(id), r)
	}
	return t.wheel.Reschedule(rs, uint32(id), r, deadline)
}

// Cancel removes a pending timer. It costs O(1). In the wheel every 32nd call clears 32 places.
func (t *core) Cancel(id structures.ID) bool {
	rs := &t.records
	r, ok := rs.Find(id)
	if !ok {
		return false
	}
	if !t.noClear {
		if rs.ClearValue(r); t.mode != few {
			if t.mode == changing {
				t.toWheel(uint32(id), r)
			}
			if !r.Where.InSlot() {
				if r.Where == records.InRun {
					return t.cancelInRun(uint32(id), r)
				}
				return t.wheel.CancelElsewhere(rs, r)
			}
			if t.wheel.Leave(uint32(id), r) {
				t.wheel.ClearVacancies(rs)
			}
			return true
		}
	}
	if !r.Pending() {
		return false
	}
	if t.lists.LeavesNow(r) {
		return t.lists.CancelNow(rs, uint32(id), r)
	}
	t.lists.Count(-1)
	r.End()
	if !rs.TryRelease(uint32(id), r) {
		rs.Release(uint32(id), r) // last, so that no variable is saved across the call
	}
	return true
}

// Prefetch loads timers into the cache that will soon be cancelled or moved, at best 32 in a call: 2 to 4 ns an ID in the wheel.
func (t *core) Prefetch(ids []structures.ID) {
	if t.mode != few {
		t.wheel.Prefetch(&t.records, ids)
	}
}

// Pop removes the earliest timer if it is due. Ties are unspecified. It costs O(1) plus the cascades, O(levels) a timer, for jumps
// of any width.
func (t *Timers[T]) Pop(now structures.Tick) (due structures.Timer[T], ok bool) {
	rs := &t.records
	if now > rs.Clock {
		rs.Clock = now
	}
	if t.mode == few {
		if t.runs.Due <= rs.Clock {
			return records.Take[T](t.popRuns())
		}
		if t.lists.Quiet() > rs.Clock {
			return due, false
		}
		if t.lists.InPile() {
			return records.Take[T](t.lists.PopPile(rs))
		}
		return records.Take[T](t.lists.Pop(rs))
	}
	if t.mode == changing || t.wheel.Len()+t.runs.Live < t.wheelMin {
		t.moveOn()
	}
	if t.runs.Due <= rs.Clock || t.mode == few {
		return records.Take[T](t.popRuns())
	}
	if t.wheel.Quiet() > rs.Clock {
		return due, false
	}
	return records.Take[T](t.wheel.Pop(rs))
}

// Next returns the tick at which Pop next fires a timer or cascades a slot, which has many timers or timers that moved to later
// ticks. It costs O(1), plus the cascades, which the next Pop then saves.
func (t *core) Next() (at structures.Tick, ok bool) {
	if t.Len() == 0 {
		return 0, false
	}
	if t.mode == changing {
		t.moveOn()
	}
	rs := &t.records
	if t.mode == few {
		if at = t.firstInRuns(); at <= rs.Clock {
			return min(at, t.lists.Quiet()), true
		}
		return min(at, t.lists.Next(rs)), true
	}
	t.wheel.Settle(rs) // timers of the arrival buffer may go to runs
	if at = min(t.firstInRuns(), t.lists.Starts()); at <= rs.Clock {
		return min(at, t.wheel.Quiet()), true
	}
	return min(at, t.wheel.Next(rs)), true
}

// Len returns the number of pending timers. It costs O(1).
func (t *core) Len() int {
	if t.wheel == nil {
		return t.lists.Len()
	}
	return t.lists.Len() + t.wheel.Len() + t.runs.Live
}

// Work returns the sum of the counters of the lists, the wheel and the queues. Moved includes timers that move between them.
func (t *core) Work() structures.Work {
	sum := t.lists.Work()
	sum.Dropped += t.runs.Dropped
	if t.wheel != nil {
		w := t.wheel.Work()
		sum.SlotsVisited += w.SlotsVisited
		sum.Moved += w.Moved
	}
	return sum
}

// CheckInvariants walks the whole structure and names the first broken invariant. It costs O(slots + timers).
func (t *core) CheckInvariants() error { return t.records.Check(t.holders(true)...) }

// Snapshot returns the parts of the lists, of the wheel, or of both, depending on where the timers are. It costs O(n + slots).
func (t *core) Snapshot() shape.Snapshot { return t.records.Snapshot(t.holders(false)...) }

// holders returns the runs and the lists and the wheel, or which of the two has a timer, at least one.
func (t *core) holders(all bool) []records.Holder {
	if t.wheel == nil || t.wheel.Len() == 0 && !all {
		return []records.Holder{&t.runs, &t.lists}
	} else if t.lists.Len() == 0 && !all {
		return []records.Holder{&t.runs, t.wheel}
	}
	return []records.Holder{&t.runs, &t.lists, t.wheel}
}
