package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// Timer runs a function when it fires. AfterFunc, At and Every return one, and Init
// makes one of a Timer that the caller has a place for. The methods of the zero Timer
// return false and do nothing. A Timer must not be copied.
type Timer struct {
	sh *shard
	f  func()

	// id names the timer in the structure of sh, if it is there. It is guarded by
	// the lock of sh.
	id structures.ID

	// when is the tick at which the timer is due, or idle. The structure has a pending
	// timer at that deadline or an earlier one: Reset to later changes when alone, and
	// takes no lock; a pass that finds the timer at the earlier deadline schedules it
	// anew. All other changes are made under the lock of sh.
	when atomic.Int64
}

const (
	idle = 0
	// byWall is when for a timer that goes by the wall clock. No deadline is as late, so
	// that no Reset moves it to later.
	byWall = int64(never)
)

// Stop keeps the timer from firing. It returns true if it does so, and the function
// does not run then; false if the timer has fired or was stopped before. It does not
// wait for the function to return.
func (t *Timer) Stop() bool {
	sh := t.sh
	if sh == nil || t.when.Load() == idle {
		return false
	}
	return sh.stop(t, nil)
}

// ErrOwnFunction is the error of a StopWait that would wait for its caller.
var ErrOwnFunction = errors.New("driver: StopWait: called by the function of the timer itself")

// StopWait is Stop, and waits until the function of the timer does not run any more. When it
// returns nil the function does not run, and will not unless Reset starts the timer again.
// What has fired and waits for its turn to run is taken back, and counts as fired.
//
// The error is that of ctx where that ends first, or ErrOwnFunction at once where the caller
// is called by the function. In both cases the timer is stopped, and the function still runs.
// It costs a look at all functions that run or wait for their turn.
func (t *Timer) StopWait(ctx context.Context) error {
	sh := t.sh
	if sh == nil {
		return nil
	}
	running, own := sh.withdraw(t)
	if own {
		return ErrOwnFunction
	}
	for _, done := range running {
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Reset makes the timer fire once delay has passed from now. It returns true if the
// timer was pending. If it has fired or was stopped, Reset starts it again and returns
// false. It does not wait for the function to return, so that this may run a second
// time meanwhile.
func (t *Timer) Reset(delay time.Duration) bool { return t.reset(delay, nil) }

// reset is Reset. A value that the timer has sent on c is taken back, and counts as pending.
func (t *Timer) reset(delay time.Duration, c chan time.Time) bool {
	sh := t.sh
	if sh == nil {
		return false
	}
	now := sh.clock.soon()
	deadline := sh.clock.deadline(now, delay)
	if sh.marked.Load() {
		return sh.moveMarked(t, now, deadline, c)
	}
	return t.postpone(deadline.tick) || sh.restart(t, now, deadline, c)
}

// together is how many timers ResetAll reads before it moves them: about as many lines of memory
// as a core loads at once.
const together = 32

// ResetAll is Reset of each timer, and returns how many of them were pending. Where timers are
// not in the cache of the processor, as with a hundred thousand of them, it costs a quarter of what
// the calls cost one by one, which wait for memory one after the other.
func ResetAll(timers []*Timer, delay time.Duration) (pending int) {
	for batch := range slices.Chunk(timers, together) {
		for _, t := range batch {
			t.when.Load() // its memory comes while that of the others does
		}
		for _, t := range batch {
			if t.Reset(delay) {
				pending++
			}
		}
	}
	return pending
}

// postpone moves a pending timer to a later tick. It reports false where the timer is
// not pending or is due later than that.
func (t *Timer) postpone(deadline structures.Tick) bool {
	for {
		old := structures.Tick(t.when.Load())
		if old == idle || deadline < old {
			return false
		}
		if deadline-old <= t.sh.slack || t.when.CompareAndSwap(int64(old), int64(deadline)) {
			return true
		}
	}
}

// ResetWindow is Reset to a window, as AfterWindow has. A timer that is pending in the window
// is left as it is. It panics as AfterWindow does.
func (t *Timer) ResetWindow(earliest, latest time.Duration) bool {
	mustBeWindow(earliest, latest, "ResetWindow")
	sh := t.sh
	if sh == nil {
		return false
	}
	now := sh.clock.soon()
	first, last := sh.clock.between(now, earliest, latest)
	if when := structures.Tick(t.when.Load()); when != idle && first <= when &&
		when <= last && !sh.closed.Load() {
		return true
	}
	deadline := sh.clock.beginOf(meet(first, last))
	if sh.marked.Load() {
		return sh.moveMarked(t, now, deadline, nil)
	}
	return t.postpone(deadline.tick) || sh.restart(t, now, deadline, nil)
}

func mustBeWindow(earliest, latest time.Duration, caller string) {
	if earliest > latest {
		panic(fmt.Sprintf("driver: %s(%v, %v): want an earliest delay that is not after the latest one",
			caller, earliest, latest))
	}
}

// arm starts a timer that is not in the structure, and unlocks the shard.
func (sh *shard) arm(t *Timer, now int64, deadline moment) {
	wake := never
	if !sh.closed.Load() {
		wake = sh.armLocked(t, now, deadline)
	}
	sh.unlock(wake, now)
}

// armLocked starts a timer that is not in the structure. It returns the tick to set the
// alarm to, or never. The lock is held.
func (sh *shard) armLocked(t *Timer, now int64, deadline moment) (wake structures.Tick) {
	if deadline.tick == atOnce {
		return sh.fireAtOnce(t, now)
	}
	t.id, wake = sh.schedule(now, deadline, t.task())
	t.when.Store(int64(deadline.tick))
	return wake
}

// fireAtOnce fires a timer that is idle. It returns the tick to set the alarm to, or never.
// The lock is held.
func (sh *shard) fireAtOnce(t *Timer, now int64) (wake structures.Tick) {
	if t.f != nil {
		return sh.urge(now, call{t.f, t})
	}
	if sh.watch != nil {
		sh.watch.atOnce(timerKey{t: t})
	}
	t.internal().owner.due()
	sh.d.pass.countAtOnce()
	return never
}

// moveMarked is Reset where the shard is marked.
func (sh *shard) moveMarked(t *Timer, now int64, deadline moment,
	c chan time.Time) (was bool) {
	if sh.closed.Load() {
		return sh.restart(t, now, deadline, c)
	}
	if was = sh.postponeWatched(t, now, deadline) || sh.restart(t, now, deadline, c); was {
		sh.watch.countMoved()
	}
	return was
}

// postponeWatched is postpone with a watch. A recording has the operations on a timer in the
// order in which they are made: it takes the lock.
func (sh *shard) postponeWatched(t *Timer, now int64, deadline moment) (was bool) {
	if sh.watch.record != nil {
		sh.mu.Lock()
		defer sh.mu.Unlock()
	}
	if was = t.postpone(deadline.tick); was {
		sh.watch.move(timerKey{t: t}, deadline.at-now)
	}
	return was
}

// restart starts a timer that may be pending. A value that it has sent on c is taken
// back. It reports whether the timer was pending or there was such a value.
func (sh *shard) restart(t *Timer, now int64, deadline moment, c chan time.Time) bool {
	sh.mu.Lock()
	unread := drain(c)
	old := t.when.Load()
	if old == idle || old == byWall || deadline.tick == atOnce || sh.s == nil {
		// One that goes by the wall clock may be pending and not in the structure.
		pending, _ := sh.disarm(t)
		if pending {
			sh.put-- // it counts once
		}
		sh.arm(t, now, deadline)
		return pending || unread
	}
	_, wake := sh.reschedule(now, deadline.tick, t.id)
	t.when.Store(int64(deadline.tick))
	if sh.watch != nil {
		sh.watch.move(timerKey{t: t}, deadline.at-now)
	}
	sh.unlock(wake, now)
	return true
}

// stop takes a timer out of the structure. A value that it has sent on c is taken back.
// It reports whether the timer was pending or there was such a value.
func (sh *shard) stop(t *Timer, c chan time.Time) bool {
	sh.mu.Lock()
	pending, empty := sh.disarm(t)
	unread := drain(c)
	sh.unlockStopped(pending, empty)
	return pending || unread
}

// withdraw is stop that takes back what has fired and does not run yet. It returns channels
// that are closed when the function returns, and whether it has called the caller.
func (sh *shard) withdraw(t *Timer) (running []chan struct{}, own bool) {
	sh.mu.Lock()
	pending, empty := sh.disarm(t)
	for range sh.urgent.remove(func(u urgent) bool { return u.t == t }) {
		sh.fired++
		empty = sh.left()
	}
	running, own = sh.d.pool.withdraw(t)
	sh.unlockStopped(pending, empty)
	return running, own
}

// disarm takes a timer out of the structure. It reports whether it was pending, and
// whether the shard has come to be empty. The lock is held.
func (sh *shard) disarm(t *Timer) (pending, empty bool) {
	if sh.s == nil {
		return false, false
	}
	old := t.when.Swap(idle)
	if old == idle {
		return false, false
	}
	_, empty = sh.cancel(t.id)
	if old == byWall {
		sh.forget(t.wall())
	}
	if sh.watch != nil {
		sh.watch.ended(recordStop, timerKey{t: t})
	}
	return true, empty
}
