package driver

import (
	"time"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
)

// lookEvery is how long the wall clock is left alone at most while a timer goes by it. All
// such timers look at it in one wake-up.
const lookEvery = time.Second

// setBy is by how much the wall clock has to go another way than the driver's to count as
// set, ns: more than what passes between two readings.
const setBy = int64(time.Millisecond)

// wallTimer is a timer that goes by the wall clock. It is in the structure at the tick at
// which its time comes if nobody sets that clock.
type wallTimer struct {
	internal
	at    time.Time // guarded by the lock of the shard
	place int       // in the list of the shard, from 1 on; 0 if it is not there; so is this
}

// wallTimers are the timers of a shard that go by the wall clock and are in its structure.
// Where the clock was set all of them are looked at, and else none.
type wallTimers struct {
	list  []*wallTimer
	look  structures.Tick // when to look at the clock; never if the list is empty
	ahead int64           // what ahead has returned at the last look
	again int             // how many of the list, the first ones, are still to be looked at
}

// At makes f run once the wall clock shows t or a later time, which may be now. The timer
// follows the jumps of that clock by more than a millisecond within a second, or within a
// tick if that is longer; for this the driver wakes up once a second. Reset makes the timer
// one that waits for a delay, as those of AfterFunc do. At panics if f is nil.
func (d *Driver) At(t time.Time, f func()) *Timer {
	mustRun(f, "At")
	w := new(wallTimer)
	w.t.sh, w.t.f, w.owner = d.assign(), f, w
	w.at = t.Round(0) // without its reading of the monotonic clock
	sh, wake := w.t.sh, never
	now, wall := d.clock.now(), d.wall()
	sh.mu.Lock()
	switch {
	case sh.closed.Load():
	case wall.Before(w.at):
		wake = w.wait(now, wall)
	default:
		wake = sh.urge(now, call{f, &w.t})
	}
	sh.unlock(wake, now)
	return &w.t
}

// wait puts a timer into the structure that is not there. It returns the tick to set the
// alarm to, or never. The lock is held.
func (w *wallTimer) wait(now int64, wall time.Time) (wake structures.Tick) {
	sh := w.t.sh
	deadline := sh.clock.reach(after(now, max(0, int64(w.at.Sub(wall)))))
	w.t.id, wake = sh.schedule(now, deadline, w.t.task())
	w.t.when.Store(byWall)
	list := &sh.wall
	if w.place == 0 {
		list.list = append(list.list, w)
		w.place = len(list.list)
	} else {
		sh.put-- // it was only looked at
	}
	if list.look == never {
		list.ahead, list.look = sh.d.ahead(), sh.clock.nextLook(now)
		wake = min(wake, sh.sooner(list.look))
	}
	return wake
}

// due is called by the pass.
func (w *wallTimer) due() { w.handOver(w.t.f, idle) }

// handOver hands f over if the time of the timer has come, and leaves it as it is told. The
// lock is held.
func (w *wallTimer) handOver(f func(), when int64) {
	sh := w.t.sh
	wall := sh.d.wall()
	if wall.Before(w.at) {
		w.wait(sh.clock.now(), wall)
		return
	}
	sh.forget(w)
	w.t.when.Store(when)
	sh.fired++
	sh.d.pass.batch = append(sh.d.pass.batch, call{f, &w.t})
}

// forget takes a timer that is not in the structure any more off the list. The lock is held.
func (sh *shard) forget(w *wallTimer) {
	w.t.id = 0
	if w.place == 0 {
		return
	}
	list := &sh.wall
	end := len(list.list) - 1
	last := list.list[end]
	list.list[w.place-1], last.place = last, w.place
	list.list[end], w.place = nil, 0
	list.list = list.list[:end]
	list.again = min(list.again, end)
	if end == 0 {
		*list = wallTimers{look: never}
	}
}

// lookAtWall makes those of the list due that have to be looked at because the wall clock
// was set, at most budget of them. It reports whether there are more. The lock is held.
func (sh *shard) lookAtWall(at structures.Tick, budget int) (more bool) {
	list := &sh.wall
	if list.again == 0 && list.set(sh.d) {
		list.again = len(list.list)
	}
	for range min(budget, list.again) {
		list.again--
		sh.s.Reschedule(list.list[list.again].t.id, at)
	}
	if list.again > 0 {
		return true
	}
	list.look = sh.clock.nextLook(sh.clock.now())
	return false
}

// set reports whether the wall clock was set since the last look. A goroutine that stands
// still between the readings of the two clocks is no reason to believe that.
func (l *wallTimers) set(d *Driver) bool {
	before := l.ahead
	for range 3 {
		l.ahead = d.ahead()
		if by := l.ahead - before; -setBy < by && by < setBy {
			l.ahead = before
			return false
		}
	}
	return true
}

// ahead returns how much further the wall clock has gone than the driver's since the driver
// was made, ns.
func (d *Driver) ahead() int64 {
	now := d.clock.now()
	return int64(d.wall().Sub(d.clock.start)) - now
}

// nextLook returns the tick of the next look at the wall clock.
func (c *clock) nextLook(now int64) structures.Tick {
	return c.reach(after(now-now%int64(lookEvery), int64(lookEvery))).tick
}

// wall returns the timer by the wall clock that t is the timer of.
func (t *Timer) wall() *wallTimer { return (*wallTimer)(unsafe.Pointer(t)) }
