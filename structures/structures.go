// Package structures is the contract that every timer structure of timerbench
// keeps: the [Scheduler] interface, its types, and the iterator [Due]. Each structure is
// in a package of its own below this one.
//
// Time is virtual. A structure counts ticks and never reads a clock. The caller decides
// how long a tick is, and when it passes.
package structures

// Tick is a point on a scheduler's clock, which starts at 0, in ticks that the caller chooses.
type Tick int64

// ID names one pending timer of its scheduler. The zero ID never names any, and none a second
// timer.
type ID uint64

// Timer is a timer that has come due.
type Timer[T any] struct {
	ID       ID   // the ID that Schedule returned; it is stale by now
	Deadline Tick // when it was due, after the rule for deadlines in the past
	Value    T    // what the caller gave to Schedule
}

// Scheduler holds pending timers, each with a deadline and a value, and hands
// them back once their deadline has come.
//
//   - Clock. It starts at 0 and is the largest now that Pop has been given; a
//     smaller now counts as the clock. Nothing else moves it.
//   - Past deadlines. A deadline at or before the clock counts as clock+1.
//     Timer.Deadline is the deadline after that rule. So popping until nothing is
//     due always ends, even where every timer that fires schedules another one at
//     once.
//   - Range. Any int64 is a valid deadline. clock+1 saturates; a timer at
//     math.MaxInt64 fires only when the clock gets there.
//   - Order. Pop gives the earliest deadline first. Never early, never lost,
//     never twice. The order among equal deadlines is each structure's own.
//   - Freedom. Between two Pops the caller may do anything: stop early,
//     schedule, cancel or reschedule, also a timer that is due but not popped.
//   - Identity. An ID is stale once its timer has fired or was cancelled. A
//     stale ID never reaches a later timer that reuses its memory.
//   - Jumps. Pop over a gap of any width costs what the structure holds, not
//     the number of ticks skipped.
//   - Release. No reference is kept to the value of a timer that fired or was
//     cancelled.
//   - Memory is proportional to the largest Len so far. The steady state
//     allocates nothing.
//   - Concurrency. None: one goroutine at a time, as container/heap.
//   - Misuse. An invalid option panics in the constructor, with a message that
//     names the package, the option and the value.
//
// A structure may be coarse: it rounds deadlines up and fires late by at most
// what its package declares for the delay, and never early.
type Scheduler[T any] interface {
	// Schedule adds a pending timer that comes due at deadline and returns the ID that names it.
	Schedule(deadline Tick, value T) ID

	// Reschedule moves a pending timer to deadline, earlier or later; it keeps
	// its ID and its value. It returns false, and touches nothing, when id is
	// not pending: never issued, fired or cancelled.
	Reschedule(id ID, deadline Tick) bool

	// Cancel removes a pending timer. It returns false, and touches nothing,
	// when id is not pending: never issued, fired or cancelled.
	Cancel(id ID) bool

	// Pop moves the clock to now, unless it is there or past it, and removes
	// and returns one timer whose deadline is at or before the clock, the
	// earliest first. ok is false when there is none.
	Pop(now Tick) (t Timer[T], ok bool)

	// Next answers "when must I call Pop again?": no timer is due before at. ok is false exactly
	// when Len is 0. A comparison-based structure names the earliest deadline. A wheel may name
	// an earlier tick at which it has to redistribute timers; it names a tick after the clock
	// unless something is due now, and calling Pop at each tick that Next names reaches every
	// timer in at most (levels + 1) steps each.
	Next() (at Tick, ok bool)

	// Len returns the number of pending timers, those due but not popped included.
	Len() int
}
