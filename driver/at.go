package driver

import (
	"time"

	"github.com/timerbench/timerbench/structures"
)

// lookEvery is how long the wall clock is left alone at most while a timer goes by it. All
// such timers look at it in one wake-up.
const lookEvery = time.Second

// wallTimer is a timer that goes by the wall clock. It is in the structure until its
// time has come as far as can be said now, or for a second, whichever is less.
type wallTimer struct {
	internal
	at time.Time // guarded by the lock of the shard
}

// At makes f run once the wall clock shows t or a later time, which may be now. The timer
// follows the jumps of that clock within a second, or within a tick if that is longer;
// for this the driver wakes up once a second. Reset makes the timer one that waits for a
// delay, as those of AfterFunc do.
func (d *Driver) At(t time.Time, f func()) *Timer {
	w := new(wallTimer)
	w.t.sh, w.t.f = d.assign(), f
	w.due = func() { w.look(f, idle) }
	w.start(t)
	return &w.t
}

// start puts a timer into the structure that is not there.
func (w *wallTimer) start(at time.Time) {
	sh := w.t.sh
	now, wall := sh.clock.now(), sh.d.wall()
	sh.mu.Lock()
	if sh.closed.Load() {
		sh.mu.Unlock()
		return
	}
	w.at = at.Round(0) // without its reading of the monotonic clock
	deadline, earlier := w.wait(now, wall)
	sh.mu.Unlock()
	if earlier {
		sh.d.alarm.set(deadline)
	}
}

// wait puts a timer into the structure until it has to look at the wall clock again. It
// reports whether the alarm has to be set to an earlier tick. The lock is held.
func (w *wallTimer) wait(now int64, wall time.Time) (deadline structures.Tick, earlier bool) {
	sh := w.t.sh
	deadline = min(sh.clock.deadline(now, w.at.Sub(wall)), sh.clock.reach(after(now-now%int64(lookEvery), int64(lookEvery))))
	return deadline, sh.armLocked(&w.t, now, deadline, internally)
}

// look is called by the pass, with the shard locked. It hands f over if the time has come,
// and leaves the timer as it is told.
func (w *wallTimer) look(f func(), when int64) {
	sh := w.t.sh
	wall := sh.d.wall()
	if wall.Before(w.at) {
		w.wait(sh.clock.now(), wall)
		return
	}
	w.t.when.Store(when)
	sh.fired++
	sh.d.pass.batch = append(sh.d.pass.batch, f)
}
