package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// Timer runs a function when it fires. AfterFunc, AfterWindow, At and Every return one, and Init initializes
// one that is a field. The methods of the zero Timer panic, as those of time.Timer do. A Timer must not be copied.
type Timer struct {
	sh *shard
	f  func()

	// id names the timer in the structure of sh while it is there. The lock of sh guards it.
	id structures.ID

	// when is the tick at which the timer is due, or idle. In the structure, a pending timer has this deadline
	// or an earlier one: a Reset to a later deadline changes only when, and takes no lock. The pass that pops
	// the timer at the earlier deadline schedules it again. All other changes are made under the lock of sh.
	//
	// If when is negative, the timer is hasty. It is due at -when, and may have any deadline in the structure. If when is
	// less than hastiest, the timer is due, and its function waits to run, or when is held: a goroutine is about to change it.
	when atomic.Int64
}

const (
	idle = 0
	// byWall is the value of when for a timer that follows the wall clock. It is after every
	// deadline, so postpone never applies to such a timer.
	byWall = int64(never)
	// hastiest is less than when of every hasty timer.
	hastiest = math.MinInt64 / 2
)

// held is the value of when while stopLater reads id, and while a Reset under the lock changes id.
const held = math.MinInt64

// waits is the value of when while the function with a number, from 1, waits to run.
func waits(number int64) int64 { return math.MinInt64 + number }

// Stop prevents the timer from firing. It returns true if its function then does not run, although the timer was started:
// it is pending until its function begins, also when it is due and waits for a worker or for functions before it. Stop
// returns false if the function has begun or the timer was stopped before. It does not wait for the function to return.
func (t *Timer) Stop() bool {
	sh := t.shard()
	if t.when.Load() == idle {
		return false
	}
	return sh.stop(t, nil)
}

const errNotMade = "driver: a Timer, ChanTimer or Ticker is the zero value: make it by AfterFunc, Init, NewTimer or NewTicker"

// ErrOwnFunction is returned by StopWait if it would wait for its caller.
var ErrOwnFunction = errors.New("driver: StopWait: called by the function of the timer itself")

// StopWait stops the timer, as Stop does, and waits until its function is not running. When it returns nil, the
// function is not running, and it will not run unless Reset starts the timer again.
//
// StopWait returns the error of ctx if ctx ends first, and ErrOwnFunction at once if the function
// itself calls it. In both cases the timer is stopped and the function is still running. It costs
// a scan of all functions that are running.
func (t *Timer) StopWait(ctx context.Context) error {
	sh := t.shard()
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

// Reset makes the timer fire after delay from now. It returns true if the timer was pending. If
// it has fired or was stopped, Reset starts it again and returns false. Reset does not wait for a
// running function to return, so the function may run twice at the same time.
func (t *Timer) Reset(delay time.Duration) bool {
	sh := t.shard()
	now := sh.clock.soon()
	deadline := sh.clock.deadline(now, delay)
	return !sh.marked.Load() && (t.postpone(deadline.tick) || sh.move(t, deadline.tick)) || sh.moveLocked(t, now, deadline, nil)
}

// shard returns the shard of the timer. It panics if there is none.
func (t *Timer) shard() *shard {
	if t.sh == nil {
		panic(errNotMade)
	}
	return t.sh
}

// together is the number of timers that ResetAll reads before it moves them. It is about the
// number of cache lines that a core loads at once.
const together = 32

// ResetAll calls Reset of each timer, and returns the number of timers that were pending. If the
// timers are not in the processor's cache, as with a hundred thousand of them, it costs a quarter
// of single calls, because it overlaps the cache misses.
func ResetAll(timers []*Timer, delay time.Duration) (pending int) {
	for batch := range slices.Chunk(timers, together) {
		for _, t := range batch {
			t.when.Load() // so that the cache misses overlap
		}
		for _, t := range batch {
			if t.Reset(delay) {
				pending++
			}
		}
	}
	return pending
}

// postpone is move for a later deadline of a timer that is not hasty. The compiler inlines it, which saves a tenth of Reset.
func (t *Timer) postpone(deadline structures.Tick) bool {
	old, when := t.when.Load(), int64(deadline)
	return old > 0 && (old == when || old < when && t.when.CompareAndSwap(old, when))
}

// move moves a pending timer without the lock. It reports false if the timer is not pending or is to be due sooner than
// the structure or a pass looks at it.
func (sh *shard) move(t *Timer, deadline structures.Tick) bool {
	for {
		old, when := t.when.Load(), int64(deadline)
		if old < 0 {
			when = -when
		}
		switch {
		case old == idle || old > 0 && when < old || old < 0 && (min(old, when) < hastiest || !sh.settlesBefore(deadline)):
			return false
		case old == when:
			return true
		case t.when.CompareAndSwap(old, when):
			return when > 0 || sh.settlesBefore(deadline) // the pass may have come meanwhile
		}
	}
}

// ResetWindow resets the timer to a window, as AfterWindow does. It does nothing if the timer is pending and
// due in the window. It returns true if the timer was pending, and panics as AfterWindow does.
func (t *Timer) ResetWindow(earliest, latest time.Duration) bool {
	mustBeWindow(earliest, latest, "ResetWindow")
	sh := t.shard()
	now := sh.clock.soon()
	first, last := sh.clock.between(now, earliest, latest)
	if when := t.due(); when != idle && first <= when && when <= last && !sh.closed.Load() {
		return true
	}
	deadline := sh.clock.beginOf(meet(first, last))
	return !sh.marked.Load() && sh.move(t, deadline.tick) || sh.moveLocked(t, now, deadline, nil)
}

func mustBeWindow(earliest, latest time.Duration, caller string) {
	if earliest > latest {
		panic(fmt.Sprintf("driver: %s(%v, %v): want an earliest delay that is not after the latest one",
			caller, earliest, latest))
	}
}

// moveLocked is Reset if move has failed, or if the shard is marked. For a recording it takes the lock, so that the operations
// on a timer are recorded in order, and if functions run in order, so that the structure knows the last move.
func (sh *shard) moveLocked(t *Timer, now int64, deadline moment, c chan time.Time) (was bool) {
	w := sh.watch
	if w == nil || sh.closed.Load() {
		return sh.restart(t, now, deadline, c)
	}
	was = w.record == nil && sh.d.pool.workers > 1 && sh.move(t, deadline.tick) || sh.restart(t, now, deadline, c)
	if was {
		w.countMoved()
	}
	return was
}

// restart starts a timer that may be pending. It removes a value that the timer has sent on c. It
// reports whether the timer was pending or there was such a value.
func (sh *shard) restart(t *Timer, now int64, deadline moment, c chan time.Time) bool {
	sh.lock()
	unread := drain(c)
	for {
		old := t.settled()
		switch {
		case old == idle || old < hastiest || old == byWall || deadline.tick == atOnce || sh.s == nil:
			// A timer that follows the wall clock may be pending without being in the structure.
			if !sh.disarm(t) {
				sh.admit(t, now, deadline)
				return unread
			}
			sh.unlock(sh.place(t, now, deadline), now)
			return true
		case t.when.CompareAndSwap(old, held):
			sh.unlock(sh.moveInside(t, old, now, deadline), now)
			return true
		}
	}
}

// moveInside moves a timer of the structure, or makes it hasty. old was its when, which is now held. It
// returns the tick to which the alarm must be set, or never. The lock is held.
func (sh *shard) moveInside(t *Timer, old, now int64, deadline moment) (wake structures.Tick) {
	wake, hastened := sh.hasten(t, old, now, deadline.tick)
	if !hastened {
		sh.calm(t, old)
		_, wake = sh.reschedule(now, deadline.tick, t.id)
		t.when.Store(int64(deadline.tick))
	}
	if sh.watch != nil {
		sh.watch.noteMove(timerKey{t: t}, deadline.at-now)
	}
	return wake
}

// settled returns when, after a stopLater that is about to change it has done so.
func (t *Timer) settled() int64 {
	for {
		if when := t.when.Load(); when != held {
			return when
		}
		runtime.Gosched()
	}
}

// stop removes a timer from the structure, and a value that the timer has sent on c. It reports
// whether the timer was pending or there was such a value.
func (sh *shard) stop(t *Timer, c chan time.Time) bool {
	if sh.crowded.Load() && sh.stopLater(t) {
		return true // the channel of a pending timer is empty
	}
	sh.lock()
	pending := sh.disarm(t)
	unread := drain(c)
	sh.unlockStopped(pending)
	return pending || unread
}

// withdraw stops a timer. It returns channels that are closed when the function returns, and whether the function itself is the caller.
func (sh *shard) withdraw(t *Timer) (running []chan struct{}, own bool) {
	sh.mu.Lock()
	pending := sh.disarm(t)
	running, own = sh.d.pool.withdraw(t)
	sh.unlockStopped(pending)
	return running, own
}

// takeBack takes the function with a number back that was given away and has not begun. It reports false after Close. The
// lock is held.
func (sh *shard) takeBack(number int64) bool {
	waiting := sh.urgent.all[sh.urgent.head:] // in the order of the numbers
	i, ok := slices.BinarySearchFunc(waiting, number, func(u urgent, n int64) int { return cmp.Compare(u.number, n) })
	if !ok {
		return sh.d.pool.takeBack(1)
	}
	waiting[i].call = call{number: number}
	sh.left()
	return true
}

// disarm removes a timer from the structure. It reports whether the timer was pending. The lock is held.
func (sh *shard) disarm(t *Timer) (pending bool) {
	if sh.closed.Load() {
		return false
	}
	old := t.settled()
	for !t.when.CompareAndSwap(old, idle) {
		old = t.settled()
	}
	if old <= idle {
		if old == idle {
			return false
		} else if old < hastiest {
			return sh.takeBack(old - waits(0))
		}
		sh.calm(t, old)
	}
	if old == byWall && t.every().place == 0 { // a run is handed over, and the timer has left the structure
		sh.handed--
		sh.d.pool.takeBack(0)
	} else {
		sh.cancel(t.id)
		if old == byWall {
			sh.forget(t.every())
		}
	}
	if sh.watch != nil {
		sh.watch.noteEnd(recordStop, timerKey{t: t})
	}
	return true
}
