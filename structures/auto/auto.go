// Package auto is the structure to pick without thinking: the lists of package ladder while timers
// are few, and the wheel of package hwheel when they are many.
//
// Up to 12,000 timers are in lists. When there are more, all of them move to the wheel, a few in each
// call. When fewer than an eighth of the limit are left, they move back. In both, a timer costs O(1)
// for any delay and fires exactly at its tick. The documentation of the two packages explains how,
// and where the ideas come from.
//
// Both hold the same records, so a timer that moves keeps its ID, and its value stays in place.
//
// Costs. Schedule, Reschedule and Cancel are O(1). Pop is O(1) plus the cascades: over its life a
// timer costs O(levels). In lists, one call empties a slot, which is at most 12,000 timers. While
// timers move from the lists to the wheel, each call moves 16 of them, and Pop also moves those that
// may be due. In the wheel, if the clock goes tick by tick, a call moves at most about one of 3840
// pending timers, or 900 for each level, whatever their deadlines: 2,600 of ten million. A clock that
// jumps pays for everything that it passes.
//
// Ties. Timers with equal deadlines fire in unspecified order.
//
// Memory. An empty set takes less than 1 KiB. A timer takes 16 bytes and its value. In lists it takes
// 12 bytes more, a level takes 1 KiB, and the fullest slot so far takes 48 bytes a timer, for up to
// 2048 timers. In the wheel it takes 5 to 15 bytes more: 5 if few timers are cancelled, 15 if most
// are. A timer that is alone in its chunk takes 66 bytes for it. A level of the wheel takes 33 KiB
// from its first use on. Records come in pages of 4096, of which the first one doubles.
//
// Pick it unless timers with equal deadlines must fire in the order of their scheduling; then pick
// package hwheellist. A tickless driver rarely wakes up for nothing: Next names the start of a slot
// that cascades only if the slot has more than 32 timers, or in the wheel more than one chunk.
package auto

import (
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/hwheel"
	"github.com/timerbench/timerbench/structures/internal/ladder"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/records"
	"github.com/timerbench/timerbench/structures/shape"
)

// Option sets a parameter of Timers.
type Option func(*option.Room)

// Capacity reserves room for n timers of up to a million ticks. The default is 0, and New panics if n
// is negative or too large. More timers grow the structure.
func Capacity(n int) Option { return option.Capacity("auto", n, records.MaxTimers) }

// holder is the interface of the lists and the wheel, which hold timers of the same records.
// Operations do not go through it, as an indirect call takes a tenth of their time. They call
// what the holder of the mode has in its place.
type holder interface {
	Schedule(rs *records.Set, deadline structures.Tick) (structures.ID, *records.Record)
	Reschedule(
		rs *records.Set, index uint32, r *records.Record, deadline structures.Tick,
	) bool
	Pop(rs *records.Set) (structures.ID, *records.Record)
	Next(rs *records.Set) structures.Tick
	Quiet() structures.Tick
	Len() int
	Work() structures.Work

	Begin(at structures.Tick)
	Adopt(rs *records.Set, index uint32)
	End(rs *records.Set) structures.Tick
	TakeFirst(rs *records.Set) (index uint32, ok bool)
}

var (
	_ structures.Scheduler[int] = (*Timers[int])(nil)
	_ structures.Prefetcher     = (*Timers[int])(nil)
	_ holder                    = (*ladder.Queue)(nil)
	_ holder                    = (*hwheel.Wheel)(nil)
)

// Timers is a set of pending timers. Make it with New. It keeps the contract of
// structures.Scheduler, and is for one goroutine at a time.
type Timers[T any] struct{ core }

// core is Timers without the type of the values. So its methods carry no dictionary.
type core struct {
	records records.Set
	mode    mode
	room    int // limit if the mode is few; otherwise 0
	limit   int // most timers in lists
	again   int // the wheel ends with fewer
	lists   ladder.Queue
	wheel   *hwheel.Wheel // nil until it is needed
}

// New returns an empty set of timers whose clock is at tick 0. It panics if an option is
// invalid.
func New[T any](opts ...Option) *Timers[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	t := newTimers[T](fewLimit)
	if n > 0 {
		t.lists.Reserve(min(n, fewLimit))
		t.records.ReserveTimers(uint64(n))
	}
	if n > fewLimit {
		t.makeWheel()
		t.wheel.Reserve(&t.records, uint64(n))
	}
	return t
}

func newTimers[T any](limit int) *Timers[T] {
	t := &Timers[T]{core{
		records: records.Of[T](),
		limit:   limit, again: limit / fewAgain, lists: ladder.New(fewLimit),
	}}
	t.setMode(few)
	return t
}

// Schedule adds a pending timer that is due at deadline, in ticks, and returns its ID. A
// deadline at or before the clock counts as the tick after the clock. Schedule costs
// O(1). Every 32nd call moves 32 timers from the arrival buffer to slots.
func (t *Timers[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	id, r := t.schedule(deadline)
	(*records.Valued[T])(unsafe.Pointer(r)).Value = value
	return id
}

// schedule is Schedule without the value, which belongs into the record.
func (t *core) schedule(deadline structures.Tick) (structures.ID, *records.Record) {
	rs := &t.records
	if deadline <= rs.Clock {
		deadline = rs.AfterClock()
	}
	if t.lists.Len() >= t.room {
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
	// As t.lists.Schedule. The call would take a tenth of start-stop, as those of
	// t.records.Release and t.wheel.Schedule would.
	r := rs.At(index)
	t.lists.Come()
	if r.Start(deadline); t.lists.Keeps(r.Where, deadline) {
		return records.IDOf(index, r.Generation), r
	}
	return t.lists.Place(rs, index, r)
}

// Reschedule moves a pending timer to deadline. The timer keeps its ID and its value. It
// returns false, and changes nothing, if id is not pending. It costs O(1). Every 32nd
// call moves 32 timers to their new slots.
func (t *core) Reschedule(id structures.ID, deadline structures.Tick) bool {
	rs := &t.records
	if !rs.Has(id) {
		return false
	}
	r := rs.At(uint32(id))
	if !r.Is(id) {
		return false
	}
	if deadline <= rs.Clock {
		deadline = rs.AfterClock()
	}
	if t.mode == few {
		if !r.Pending() {
			return false
		}
		if t.lists.Keeps(r.Where, deadline) {
			r.Deadline = deadline
			return true
		}
		return t.lists.Reschedule(rs, uint32(id), r, deadline)
	}
	if t.mode == changing && r.Where.InList() {
		return t.rescheduleListed(uint32(id), r, deadline)
	}
	return t.wheel.Reschedule(rs, uint32(id), r, deadline)
}

// Cancel removes a pending timer. It returns false, and changes nothing, if id is not
// pending. It costs O(1). Every 32nd call clears the places of 32 timers in slots.
func (t *core) Cancel(id structures.ID) bool {
	rs := &t.records
	if !rs.Has(id) {
		return false
	}
	r := rs.At(uint32(id))
	if !r.Is(id) {
		return false
	}
	if !t.lists.Plain {
		if rs.ClearValue(r); t.mode != few {
			if t.mode == changing && r.Where.InList() {
				return t.cancelListed(uint32(id), r)
			}
			if !r.Where.InSlot() {
				return t.wheel.CancelElsewhere(rs, r)
			}
			if t.wheel.Leave(uint32(id), r) {
				t.wheel.ClearVacancies(rs)
			}
			return true
		}
		if t.lists.CancelNow(rs, uint32(id), r) {
			return true
		}
	}
	if !r.Pending() {
		return false
	}
	t.lists.Leave()
	r.End()
	if !rs.TryRelease(uint32(id), r) {
		rs.Release(uint32(id), r) // last, so that nothing has to be kept over the call
	}
	return true
}

// Prefetch loads timers that will soon be cancelled or moved into the cache, best for 32
// IDs at once. It changes nothing. It costs 2 to 4 ns an ID, and nothing while timers are few.
func (t *core) Prefetch(ids []structures.ID) {
	if t.mode != few {
		t.wheel.Prefetch(&t.records, ids)
	}
}

// Pop moves the clock to now if now is later. It removes and returns one timer that is due, the
// earliest first, in unspecified order among equal deadlines. It costs O(1) plus the cascades: over
// its life a timer costs O(levels), whatever the width of the jumps.
func (t *Timers[T]) Pop(now structures.Tick) (due structures.Timer[T], ok bool) {
	rs := &t.records
	if now > rs.Clock {
		rs.Clock = now
	}
	if t.mode != few {
		if t.mode == changing || t.wheel.Len() < t.again {
			t.moveOn()
		}
		if t.mode != few {
			if t.wheel.Quiet() > rs.Clock {
				return due, false
			}
			return records.Take[T](t.wheel.Pop(rs))
		}
	}
	if t.lists.Quiet() > rs.Clock {
		return due, false
	}
	return records.Take[T](t.lists.Pop(rs))
}

// Next returns the tick at which Pop next fires a timer, or cascades a slot that has many timers or
// from which timers moved to later ticks. No timer is due before that tick. It is after the clock
// unless a timer is due now. ok is false if no timer is pending. Next costs O(1), plus the cascades,
// which the next Pop then saves.
func (t *core) Next() (at structures.Tick, ok bool) {
	if t.Len() == 0 {
		return 0, false
	}
	if t.mode == changing {
		t.moveOn()
	}
	if t.mode == few {
		return t.lists.Next(&t.records), true
	}
	return min(t.wheel.Next(&t.records), t.lists.Starts()), true
}

// Len returns the number of pending timers.
func (t *core) Len() int {
	if t.wheel == nil {
		return t.lists.Len()
	}
	return t.lists.Len() + t.wheel.Len()
}

// Work returns the counters of the work done so far: the sum of the counters of packages ladder and
// hwheel. Timers that move from the lists to the wheel count as Moved.
func (t *core) Work() structures.Work {
	sum := t.lists.Work()
	if t.wheel != nil {
		w := t.wheel.Work()
		sum.SlotsVisited += w.SlotsVisited
		sum.Moved += w.Moved
	}
	return sum
}

// CheckInvariants walks the whole structure and names the first broken invariant. It costs
// O(slots + timers).
func (t *core) CheckInvariants() error {
	if t.wheel == nil {
		return t.records.Check("auto", &t.lists)
	}
	return t.records.Check("auto", &t.lists, t.wheel)
}

// Snapshot returns what a snapshot of package ladder shows, as long as there are timers in
// lists, and what one of package hwheel shows from then on that there are some in the wheel.
// It costs O(n + slots), so it is not for hot paths.
func (t *core) Snapshot() shape.Snapshot {
	switch {
	case t.wheel == nil || t.wheel.Len() == 0:
		return t.records.Snapshot(&t.lists)
	case t.lists.Len() == 0:
		return t.records.Snapshot(t.wheel)
	}
	return t.records.Snapshot(&t.lists, t.wheel)
}
