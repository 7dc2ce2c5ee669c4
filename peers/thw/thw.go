// Package thw makes a structure of the hash wheel of nats-server, server/thw v2.15.2, which
// holds when the messages of a stream expire.
//
// The wheel has 4096 slots of one second, each a map from the number of a message to its
// expiration in nanoseconds, with the earliest one noted. It promises no order, and it keeps
// no clock: ExpireTasks compares with the wall clock. What is due is exact to the nanosecond,
// as a slot's entries are compared one by one: the second is how timers are spread, not how
// they are rounded. So this structure is exact.
//
// A tick is a millisecond. The adapter calls the method behind ExpireTasks that takes the time,
// which is not exported. It sorts what has expired, as the wheel goes through its slots in the
// order of their numbers and through a slot in any, and keeps values and deadlines by ID in a map,
// as a user of the wheel has to. Deadlines that nanoseconds do not hold, those after 292 years,
// stay in the last slot until they are due.
//
// Costs, for n pending timers: Schedule, Cancel and Reschedule O(1), three accesses to maps or
// more. A Pop at which something has expired goes through all 4096 slots, and through all
// timers of each slot in which one is due: O(n/slots) for each tick at which a timer fires,
// the slots being those in use: 60 for delays of up to a minute. Next O(1); it may name the
// deadline of a timer that was cancelled or moved, once for each slot.
//
// Ties. In the order of IDs, which is that of Schedule; a rescheduled timer keeps its place.
//
// Pick it where a second is a tick and timers are few in each. Package hwheel does the same
// and more.
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

// Wheel is a hash wheel of timers with values of type T. Make it with New. It keeps the
// contract of structures.Scheduler, but for the promises on memory.
type Wheel[T any] struct {
	wheel  *thw.HashWheel
	clock  structures.Tick
	last   structures.ID // the last one given
	timers map[structures.ID]timer[T]
	due    []expired // off the wheel, in the order in which they fire
	served int       // so many of them have fired, or were met when they were due no more
}

type timer[T any] struct {
	deadline structures.Tick
	place    int // among those due, from 1 on; 0: on the wheel
	value    T
}

type expired struct {
	deadline structures.Tick
	id       structures.ID
}

// tick is the length of a tick on the wheel, in nanoseconds: a millisecond, as most workloads have.
const tick structures.Tick = 1_000_000

// New returns an empty wheel whose clock is at tick 0.
func New[T any]() *Wheel[T] {
	return &Wheel[T]{wheel: thw.NewHashWheel(), timers: map[structures.ID]timer[T]{}}
}

// nanoseconds returns the time of a tick on the wheel, at most the last one that there is.
func (w *Wheel[T]) nanoseconds(t structures.Tick) int64 {
	if t > math.MaxInt64/tick {
		return math.MaxInt64
	}
	return int64(t * tick)
}

// clamp applies the rule for deadlines in the past.
func (w *Wheel[T]) clamp(deadline structures.Tick) structures.Tick {
	if deadline <= w.clock && w.clock < math.MaxInt64 {
		return w.clock + 1
	}
	return max(deadline, w.clock)
}

func (w *Wheel[T]) add(id structures.ID, deadline structures.Tick) {
	_ = w.wheel.Add(uint64(id), w.nanoseconds(deadline)) // always nil
}

// remove takes a timer off the wheel, if it is there.
func (w *Wheel[T]) remove(id structures.ID, t timer[T]) {
	if t.place > 0 {
		return // it is passed over
	}
	_ = w.wheel.Remove(uint64(id), w.nanoseconds(t.deadline)) // it is there
}

// Schedule adds a pending timer that comes due at deadline and returns its ID.
func (w *Wheel[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	w.last++
	deadline = w.clamp(deadline)
	w.timers[w.last] = timer[T]{deadline: deadline, value: value}
	w.add(w.last, deadline)
	return w.last
}

// Reschedule moves a pending timer to deadline and keeps its ID and its value. It returns
// false when id is not pending.
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

// Cancel removes a pending timer. It returns false when id is not pending.
func (w *Wheel[T]) Cancel(id structures.ID) bool {
	t, ok := w.timers[id]
	if !ok {
		return false
	}
	w.remove(id, t)
	delete(w.timers, id)
	return true
}

// Pop moves the clock to now, unless it is there or past it, and removes and returns the
// earliest timer, if that is due.
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

// firstDue returns the first of those due that is pending and was not moved.
func (w *Wheel[T]) firstDue() (expired, bool) {
	for ; w.served < len(w.due); w.served++ {
		if e := w.due[w.served]; w.timers[e.id].place == w.served+1 {
			return e, true
		}
	}
	w.due, w.served = w.due[:0], 0
	return expired{}, false
}

// expire takes what is due off the wheel. Nothing else is due.
func (w *Wheel[T]) expire() {
	expireTasks(w.wheel, w.nanoseconds(w.clock), func(sequence uint64, _ int64) bool {
		id := structures.ID(sequence)
		deadline := w.timers[id].deadline
		if deadline > w.clock {
			return false // nanoseconds do not tell
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

// Next returns the tick at which Pop must be called again. ok is false when nothing is
// pending. It may be a tick at which nothing is due any more.
func (w *Wheel[T]) Next() (at structures.Tick, ok bool) {
	if len(w.timers) == 0 {
		return 0, false
	}
	if e, ok := w.firstDue(); ok {
		return e.deadline, true
	}
	next := w.wheel.GetNextExpiration(math.MaxInt64)
	if next <= w.nanoseconds(w.clock) { // by a timer that is due, or one that was removed
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
