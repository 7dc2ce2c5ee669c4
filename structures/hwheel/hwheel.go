// Package hwheel is a hierarchical timer wheel for large numbers of timers, in which no call takes long.
//
// Level 0 has 4096 slots of one tick, level 1 has 4096 slots of 256 ticks, and so on. A timer that is more than 4096 ticks
// away goes to a higher level, and cascades to the levels below before it is due, exactly at its tick.
//
// Pedigree. Scheme 7 of Varghese and Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP 1987). In [Linux] before 4.8, a
// slot cascades in one go when it starts, in [ratas] (Juho Snellman 2016) in steps. Differences here:
//
//   - A slot is a list of chunks. A chunk is one cache line with the indexes of up to 14 records, and a bit
//     mask tells which of them hold a timer. The masks of a million timers fit the second-level cache.
//   - A record has 16 bytes and the value of its timer, and names the place of the timer in its chunk. Cancel
//     clears one bit. Nothing dead stays behind, and an empty chunk leaves its list at once.
//   - The records of the next tick are prefetched while the timers of this tick fire (package prefetch).
//   - New, cancelled and moved timers wait in buffers for up to 32, so that their cache misses overlap. Most
//     timers that are cancelled soon never leave the buffer.
//   - A timer that moves to a later tick keeps its place above level 0 until its slot cascades. A new timer
//     takes over the record and the place of a cancelled one in the same way.
//   - Levels overlap: a slot of level 1 can be emptied from 3840 ticks before its start on, a share at each
//     tick. The same holds for the levels above.
//
// Costs. Schedule, Reschedule and Cancel are O(1). Pop and Next are O(1) plus the cascades: over its life a timer
// costs O(levels). If the clock goes tick by tick, a call moves at most about one of 3840 pending timers, or 900 for
// each level, whatever their deadlines: 2,600 of ten million. A clock that jumps pays for everything that it passes.
// docs/performance.md has measured figures and tells what was tried.
//
// Memory. An empty wheel takes 4 KiB. A timer takes 16 bytes and its value, and 5 to 15 bytes of chunks: 5 if few
// timers are cancelled, 15 if most are. A timer that is alone in its chunk takes 66 bytes for it. A level takes 33
// KiB from its first use on. Memory grows by pages, and no call copies more than one.
//
// Pick it for many timers with any delays, whether most are cancelled or most fire. Package auto is this wheel, with
// lists while timers are few. Pick package hwheellist if timers with equal deadlines must fire in order, package
// wheel if in addition all delays fit one revolution, and package ladder or a heap for few timers.
//
// [Linux]: https://github.com/torvalds/linux/blob/v4.7/kernel/time/timer.c
// [ratas]: https://github.com/jsnell/ratas/blob/396a5ae84edacb0bcdf5d29f9979ceaad9f6c6a9/src/timer-wheel.h
package hwheel

import (
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/hwheel"
	"github.com/timerbench/timerbench/structures/internal/records"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/shape"
)

// Option sets a parameter of a Wheel.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers with delays of up to a million ticks. The default is 0. More timers grow the wheel.
func Capacity(n int) Option { return Option{rules.Capacity("hwheel", n, records.MaxTimers)} }

// HugePages asks Linux for huge pages once the records take a megabyte, unless the system gives none to programs that ask: see
// "timerbench doctor". A million timers then take a tenth less time. Memory grows by 10 MiB, so a call may take milliseconds.
func HugePages() Option { return Option{func(r *rules.Room) { r.HugePages = true }} }

// Wheel is a hierarchical timer wheel with values of type T. Make it with New. It is a [structures.Scheduler].
type Wheel[T any] struct{ core }

// core is a Wheel without the type of its values. So its methods carry no dictionary.
type core struct {
	records records.Set
	wheel   hwheel.Wheel
}

var (
	_ structures.Scheduler[int] = (*Wheel[int])(nil)
	_ structures.Prefetcher     = (*Wheel[int])(nil)
)

// New returns an empty wheel at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Wheel[T] {
	room := rules.Apply(rules.Room{}, opts)
	w := &Wheel[T]{core{records: records.Of[T]()}}
	w.records.Huge = room.HugePages
	w.wheel = *hwheel.New(&w.records, nil)
	if room.Capacity > 0 {
		w.wheel.Reserve(&w.records, uint64(room.Capacity))
	}
	return w
}

// Schedule adds a pending timer. It costs O(1). Every 32nd call moves 32 timers from the arrival buffer to slots.
func (w *Wheel[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	id, r := w.schedule(deadline)
	(*records.Valued[T])(unsafe.Pointer(r)).Value = value
	return id
}

// schedule is Schedule without the value, which belongs into the record.
func (w *core) schedule(deadline structures.Tick) (structures.ID, *records.Record) {
	deadline = rules.Clamp(w.records.Clock, deadline)
	if w.wheel.Open() {
		return w.wheel.Arrive(deadline)
	}
	return w.wheel.Schedule(&w.records, deadline)
}

// Reschedule moves a pending timer. It costs O(1). Every 32nd call moves 32 timers to their new slots.
func (w *core) Reschedule(id structures.ID, deadline structures.Tick) bool {
	r, ok := w.records.Find(id)
	if !ok {
		return false
	}
	deadline = rules.Clamp(w.records.Clock, deadline)
	return w.wheel.Reschedule(&w.records, uint32(id), r, deadline)
}

// Cancel removes a pending timer. It costs O(1). Every 32nd call clears the places of 32 timers in slots.
func (w *core) Cancel(id structures.ID) bool {
	r, ok := w.records.Find(id)
	if !ok {
		return false
	}
	w.records.ClearValue(r)
	if !r.Where.InSlot() {
		return w.wheel.CancelElsewhere(&w.records, r)
	}
	if w.wheel.Leave(uint32(id), r) {
		w.wheel.ClearVacancies(&w.records)
	}
	return true
}

// Prefetch loads timers into the cache that will soon be cancelled or moved, at best 32 in a call: 2 to 4 ns an ID.
func (w *core) Prefetch(ids []structures.ID) { w.wheel.Prefetch(&w.records, ids) }

// Pop removes the earliest timer if it is due. Ties are unspecified. It costs O(1) plus the cascades, O(levels) a timer, for jumps
// of any width.
func (w *Wheel[T]) Pop(now structures.Tick) (due structures.Timer[T], ok bool) {
	if now > w.records.Clock {
		w.records.Clock = now
	}
	if w.wheel.Quiet() > w.records.Clock {
		return due, false
	}
	return records.Take[T](w.wheel.Pop(&w.records))
}

// Next returns the tick at which Pop next fires a timer or cascades a slot, which has many timers or timers that moved to later
// ticks. It costs O(1), plus the cascades, which the next Pop then saves.
func (w *core) Next() (at structures.Tick, ok bool) {
	if w.wheel.Len() == 0 {
		return 0, false
	}
	return w.wheel.Next(&w.records), true
}

// Len returns the number of pending timers. It costs O(1).
func (w *core) Len() int { return w.wheel.Len() }

// Work returns the counters of the work done so far: slots of level 0 that fired and slots of other levels that cascaded, once for
// each step (SlotsVisited), and timers that cascaded (Moved).
func (w *core) Work() structures.Work { return w.wheel.Work() }

// CheckInvariants walks the whole structure and names the first broken invariant. It costs O(slots + timers).
func (w *core) CheckInvariants() error { return w.records.Check(&w.wheel) }

// Snapshot returns level 0, the other levels that hold a timer, the moved timers without a new slot, and the arrival buffer. The
// place that a timer has left shows as a stale entry, filed for the first tick of its slot. It costs O(n + slots).
func (w *core) Snapshot() shape.Snapshot { return w.records.Snapshot(&w.wheel) }
