// Package thw turns the hash wheel of nats-server, server/thw v2.15.2, into a structure. nats-server uses the wheel to
// expire messages of a stream.
//
// The wheel has 4096 slots of one second. Each slot is a map from the number of a message to its expiration in
// nanoseconds, and knows its earliest expiration. The wheel promises no order and has no clock: ExpireTasks
// compares expirations with the wall clock. Seconds only distribute the timers. Within a slot the wheel compares
// expirations to the nanosecond, so this structure is exact.
//
// A tick is a millisecond. The adapter calls the unexported method behind ExpireTasks that takes the time. It sorts
// the expired timers, because the wheel visits slots by number and a slot in random order. Like every
// user of the wheel, it keeps values and deadlines by ID in a map. Deadlines after 292 years, which
// nanoseconds cannot represent, stay in the last slot until they are due.
//
// Costs, for n pending timers: Schedule, Cancel and Reschedule O(1), with at least three map accesses. A Pop with an
// expired timer visits all 4096 slots and all timers of each slot in which a timer is due: O(n/slots) for each
// tick at which a timer fires, where slots are the slots in use, 60 for delays of up to a minute. Next O(1);
// once for each slot it may return the deadline of a timer that was cancelled or moved.
//
// Ties: in the order of IDs, which is that of Schedule. A rescheduled timer keeps its place.
//
// Pick it if a tick is a second with few timers. Package hwheel covers the same uses and more.
package thw

import (
	"cmp"
	"math"
	"slices"
	_ "unsafe" // for the method that takes the time

	"github.com/nats-io/nats-server/v2/server/thw"

	"github.com/timerbench/timerbench/structures"
)

var _ structures.Scheduler[int] = (*Wheel[int])(nil)

//go:linkname expireTasks github.com/nats-io/nats-server/v2/server/thw.(*HashWheel).expireTasks
func expireTasks(wheel *thw.HashWheel, now int64, callback func(sequence uint64, expires int64) bool)

// Wheel is a hash wheel of timers with values of type T. Make it with New. It satisfies the contract of
// structures.Scheduler, except for the promises about memory.
type Wheel[T any] struct {
	wheel  *thw.HashWheel
	clock  structures.Tick
	last   structures.ID // the last issued ID
	timers map[structures.ID]timer[T]
	due    []expired // removed from the wheel, in firing order
	served int       // number of them that fired, or were cancelled or moved before
}

type timer[T any] struct {
	deadline structures.Tick
	place    int // index in due plus 1; 0 on the wheel
	value    T
}

type expired struct {
	deadline structures.Tick
	id       structures.ID
}

// tick is the length of a tick in nanoseconds: a millisecond, as in most workloads.
const tick structures.Tick = 1_000_000

// New returns an empty wheel whose clock is at tick 0.
func New[T any]() *Wheel[T] {
	return &Wheel[T]{wheel: thw.NewHashWheel(), timers: map[structures.ID]timer[T]{}}
}

// nanoseconds returns the time of a tick on the wheel, at most math.MaxInt64.
func (w *Wheel[T]) nanoseconds(t structures.Tick) int64 {
	if t > math.MaxInt64/tick {
		return math.MaxInt64
	}
	return int64(t * tick)
}

// clamp moves a deadline at or before the clock to the next tick.
func (w *Wheel[T]) clamp(deadline structures.Tick) structures.Tick {
	if deadline <= w.clock && w.clock < math.MaxInt64 {
		return w.clock + 1
	}
	return max(deadline, w.clock)
}

func (w *Wheel[T]) add(id structures.ID, deadline structures.Tick) {
	_ = w.wheel.Add(uint64(id), w.nanoseconds(deadline)) // always nil
}

// remove removes a timer from the wheel if it is there.
func (w *Wheel[T]) remove(id structures.ID, t timer[T]) {
	if t.place > 0 {
		return // Pop skips it
	}
	_ = w.wheel.Remove(uint64(id), w.nanoseconds(t.deadline)) // it is there
}

// Schedule adds a timer that is due at deadline and returns its ID.
func (w *Wheel[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	w.last++
	deadline = w.clamp(deadline)
	w.timers[w.last] = timer[T]{deadline: deadline, value: value}
	w.add(w.last, deadline)
	return w.last
}

// Reschedule moves a pending timer to deadline and keeps its ID and value. It returns false if id is not pending.
func (w *Wheel[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	t, ok := w.timers[id]
	if !ok {
		return false
	}
	w.remove(id, t)
	t.deadline, t.place = w.clamp(deadline), 0
	w.timers[id] = t
	w.add(id, t.deadline)
	return true
}

// Cancel removes a pending timer. It returns false if id is not pending.
func (w *Wheel[T]) Cancel(id structures.ID) bool {
	t, ok := w.timers[id]
	if !ok {
		return false
	}
	w.remove(id, t)
	delete(w.timers, id)
	return true
}

// Pop moves the clock forward to now. It removes and returns the earliest timer if that is due.
func (w *Wheel[T]) Pop(now structures.Tick) (fired structures.Timer[T], ok bool) {
	w.clock = max(w.clock, now)
	e, ok := w.firstDue()
	if !ok {
		w.expire()
		if e, ok = w.firstDue(); !ok {
			return fired, false
		}
	}
	fired = structures.Timer[T]{ID: e.id, Deadline: e.deadline, Value: w.timers[e.id].value}
	delete(w.timers, e.id)
	w.served++
	return fired, true
}

// firstDue returns the first due timer that was neither cancelled nor moved.
func (w *Wheel[T]) firstDue() (expired, bool) {
	for ; w.served < len(w.due); w.served++ {
		if e := w.due[w.served]; w.timers[e.id].place == w.served+1 {
			return e, true
		}
	}
	w.due, w.served = w.due[:0], 0
	return expired{}, false
}

// expire removes the due timers from the wheel and makes them w.due, which must be empty.
func (w *Wheel[T]) expire() {
	expireTasks(w.wheel, w.nanoseconds(w.clock), func(sequence uint64, _ int64) bool {
		id := structures.ID(sequence)
		deadline := w.timers[id].deadline
		if deadline > w.clock {
			return false // due or not: the nanoseconds are clamped
		}
		w.due = append(w.due, expired{deadline, id})
		return true
	})
	slices.SortFunc(w.due, func(a, b expired) int {
		return cmp.Or(cmp.Compare(a.deadline, b.deadline), cmp.Compare(a.id, b.id))
	})
	for i, e := range w.due {
		t := w.timers[e.id]
		t.place = i + 1
		w.timers[e.id] = t
	}
}

// Next returns the tick of the next necessary call of Pop. No timer may be due at that tick any more. ok is false if
// no timer is pending.
func (w *Wheel[T]) Next() (at structures.Tick, ok bool) {
	if len(w.timers) == 0 {
		return 0, false
	}
	if e, ok := w.firstDue(); ok {
		return e.deadline, true
	}
	next := w.wheel.GetNextExpiration(math.MaxInt64)
	if next <= w.nanoseconds(w.clock) { // a due timer, or a removed one
		w.expire()
		if e, ok := w.firstDue(); ok {
			return e.deadline, true
		}
		next = w.wheel.GetNextExpiration(math.MaxInt64)
	}
	if next < math.MaxInt64 {
		return structures.Tick(next) / tick, true
	}
	at = math.MaxInt64
	for _, t := range w.timers {
		at = min(at, t.deadline)
	}
	return at, true
}

// Len returns the number of pending timers.
func (w *Wheel[T]) Len() int { return len(w.timers) }
