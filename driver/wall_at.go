package driver

import (
	"math"
	"time"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
)

// wall_at.go and wall_every.go have all that follows the wall clock. The rest of the driver knows such a timer by byWall, its
// when. A pass calls lookAtWall and due, and a Stop or Reset calls forget.

// lookEvery is the longest time between two readings of the wall clock while a timer follows it.
// One wake-up serves all such timers.
const lookEvery = time.Second

// setBy is the smallest deviation of the wall clock from the driver's clock that counts as a
// setting of the wall clock, in ns. It is more than the time between two readings.
const setBy = int64(time.Millisecond)

// wallTimers are the timers of a shard that follow the wall clock and are in its structure. When
// the clock has been set, the driver looks at all of them, and otherwise at none.
type wallTimers struct {
	list  []*every
	look  structures.Tick // when to read the clock; never if the list is empty
	ahead int64           // the result of ahead at the last reading
}

// At runs f when the wall clock shows t or a later time, which may be now. The timer follows changes of the clock by
// more than a millisecond within a second, or within a tick if a tick is longer. For this the driver wakes up once a
// second. Reset turns the timer into one with a delay, as AfterFunc returns. At panics if f is nil.
func (d *Driver) At(t time.Time, f func()) *Timer {
	mustRun(f, "At")
	mustDrive(d, "At")
	wall := d.wall()
	if !wall.Before(t) {
		return d.AfterFunc(0, f)
	}
	return d.recur(once(t), f, wall)
}

// once is the recurrence of a single time.
type once time.Time

func (o once) Next(t time.Time) time.Time {
	if t.Before(time.Time(o)) {
		return time.Time(o)
	}
	return time.Time{}
}

// wait puts a timer into the structure that is not there. It returns its deadline, and the tick to which the alarm
// must be set, or never. The lock is held.
func (e *every) wait(now int64) (deadline moment, wake structures.Tick) {
	sh := e.t.sh
	list := &sh.wall
	if list.look == never {
		list.ahead, list.look = sh.d.ahead(), sh.clock.nextLook(now)
	}
	// The wall clock is read after ahead. If it is set in between, the next look notices.
	deadline = sh.clock.reach(after(now, max(0, int64(e.at.Sub(sh.d.wall())))))
	e.t.id, wake = sh.put(now, deadline, e.t.task())
	e.t.when.Store(byWall)
	if e.place == 0 {
		list.list = append(list.list, e)
		e.place = len(list.list)
	}
	return deadline, min(wake, sh.sooner(list.look))
}

// forget removes a timer from the list that is no longer in the structure. The lock is held.
func (sh *shard) forget(e *every) {
	e.t.id = 0
	if e.place == 0 {
		return
	}
	list := &sh.wall
	end := len(list.list) - 1
	last := list.list[end]
	list.list[e.place-1], last.place = last, e.place
	list.list[end], e.place = nil, 0
	list.list = list.list[:end]
	if end == 0 {
		*list = wallTimers{look: never}
	}
}

// lookAtWall makes all timers of the list due at a tick, where due looks at them, if the wall clock was set. The lock is held.
func (sh *shard) lookAtWall(at structures.Tick) {
	list := &sh.wall
	if list.set(sh.d) {
		for _, e := range list.list {
			sh.s.Reschedule(e.t.id, at)
		}
	}
	list.look = sh.clock.nextLook(sh.clock.now())
}

// set reports whether the wall clock was set since the last reading. It reads again up to two times, because a
// goroutine that is interrupted between the readings of the two clocks looks the same.
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

// ahead returns how much further the wall clock has advanced than the driver's clock since the
// driver was made, in ns. It is at most 73 years, so that the difference of two does not overflow.
func (d *Driver) ahead() int64 {
	const most = math.MaxInt64 / 4
	now := d.clock.now()
	return min(max(int64(d.wall().Sub(d.clock.start)), -most), most) - now
}

// nextLook returns the tick of the next reading of the wall clock.
func (c *clock) nextLook(now int64) structures.Tick {
	return c.reach(after(now-now%int64(lookEvery), int64(lookEvery))).tick
}

func (t *Timer) every() *every { return (*every)(unsafe.Pointer(t)) }
