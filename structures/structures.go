// Package structures is the contract of all timer structures of timerbench: the [Scheduler] interface, its types, and the
// iterator [Due]. Each structure is in a package of its own below this one. Package intrusive is the second contract, for
// timers that are fields of the caller's structs.
//
// Time is virtual. A structure counts ticks and never reads a clock. The caller decides how long a tick is and when it passes.
package structures

import "iter"

// Tick is a point in time on the clock of a scheduler, which starts at 0. The caller chooses the length of a tick.
type Tick int64

// ID names a pending timer of one scheduler. No ID ever names a second timer, and the zero ID never names any.
type ID uint64

// Timer is a timer that has come due.
type Timer[T any] struct {
	ID       ID   // from Schedule; stale by now
	Deadline Tick // when the timer was due, after the rule for past deadlines
	Value    T    // from Schedule
}

// Scheduler holds pending timers, each with a deadline and a value, and returns each when its deadline has come.
//
//   - Clock. The clock starts at 0 and is the largest now that was passed to Pop. A smaller now counts as the clock. Nothing
//     else moves the clock.
//   - Past deadlines. A deadline at or before the clock counts as clock+1, and Timer.Deadline is the deadline after that rule.
//     So popping until nothing is due always ends, even if every timer that fires schedules another one.
//   - Range. Any int64 is a valid deadline. clock+1 saturates. A timer at math.MaxInt64 fires only when the clock gets there.
//   - Order. Pop returns the earliest deadline first. A timer never fires early or twice, and is never lost. The Pop of a structure
//     documents the order among equal deadlines. FIFO is by the last Schedule or Reschedule of a timer.
//   - Freedom. Between two calls of Pop the caller may do anything: stop early, schedule, cancel or reschedule. That includes
//     timers that are due but not popped.
//   - Identity. An ID is stale once its timer has fired or was cancelled. A stale ID never reaches a later timer that reuses
//     its memory.
//   - Jumps. The cost of a Pop over a gap depends on what the structure holds, not on the number of ticks skipped.
//   - Release. The structure drops the value of a timer that fired or was cancelled.
//   - Memory. It is proportional to the largest Len so far. The steady state allocates nothing.
//   - Concurrency. None. Use a structure from one goroutine at a time, as with container/heap.
//   - Misuse. The constructor panics if an option is invalid, with a message that names the package, the option and the value.
//
// A structure may be coarse: it rounds deadlines up. Then a timer fires late, by at most the bound that its package declares
// for the delay, and never early.
type Scheduler[T any] interface {
	// Schedule adds a pending timer that is due at deadline, and returns its ID.
	Schedule(deadline Tick, value T) ID

	// Reschedule moves a pending timer to deadline, earlier or later. The timer keeps its ID and its value. Reschedule returns
	// false, and changes nothing, if id is not pending: never issued, fired or cancelled.
	Reschedule(id ID, deadline Tick) bool

	// Cancel removes a pending timer. It returns false, and changes nothing, if id is not pending: never issued, fired or
	// cancelled.
	Cancel(id ID) bool

	// Pop moves the clock to now if now is later. It removes and returns one timer whose deadline is at or before the clock,
	// the earliest first. ok is false if no timer is due.
	Pop(now Tick) (t Timer[T], ok bool)

	// Next answers the question "when must I call Pop again?": no timer is due before at. ok is false if and only if Len is 0.
	// A comparison-based structure returns the earliest deadline. A wheel may return an earlier tick at which it redistributes
	// timers. That tick is after the clock unless a timer is due now. A caller that pops at each tick from Next reaches every
	// timer in at most (levels + 1) steps a timer.
	Next() (at Tick, ok bool)

	// Len returns the number of pending timers, including those that are due but not popped.
	Len() int
}

// Due returns an iterator that pops s at now until nothing is due. The body of the loop may call any
// method of s. Breaking out of the loop leaves the rest pending. Each step costs one Pop.
func Due[T any](s Scheduler[T], now Tick) iter.Seq[Timer[T]] {
	return func(yield func(Timer[T]) bool) {
		for {
			t, ok := s.Pop(now)
			if !ok || !yield(t) {
				return
			}
		}
	}
}
