package driver

import (
	"time"

	"github.com/timerbench/timerbench/structures"
)

// A deadline goes through this file from top to bottom: AfterFunc takes the time and computes the tick, start chooses and locks a
// shard, admit counts the timer, place tells a tick from at once, put gives the timer to the structure, and unlock sets the alarm.

// AfterFunc runs f after delay, as time.AfterFunc does, and returns the timer. It allocates 32 bytes. If delay
// is not positive, f runs at once. After Close, f never runs;
// Err tells whether the driver is closed. AfterFunc panics if f is nil.
func (d *Driver) AfterFunc(delay time.Duration, f func()) *Timer {
	mustRun(f, "AfterFunc")
	t := &Timer{f: f}
	now := d.clock.soon()
	d.start(t, now, d.clock.deadline(now, delay))
	return t
}

// AfterWindow runs f at some time between the two delays, as AfterFunc does. The driver chooses the tick of the
// window that the most other windows share: the multiple of the largest power of two. However many windows of w
// ticks there are, at most one wake-up in w/2 ticks serves them all. Wide windows also share the ticks of
// narrow ones. AfterWindow panics if earliest is after latest or if f is nil.
func (d *Driver) AfterWindow(earliest, latest time.Duration, f func()) *Timer {
	mustRun(f, "AfterWindow")
	mustBeWindow(earliest, latest, "AfterWindow")
	t := &Timer{f: f}
	now := d.clock.soon()
	d.start(t, now, d.clock.beginOf(meet(d.clock.between(now, earliest, latest))))
	return t
}

// Schedule runs f after delay. Unlike AfterFunc, it returns a timer that cannot be started again after it has
// fired, and it does not allocate in the steady state. If delay is not positive, f runs at once, and
// the Handle cannot stop it. After Close, f never runs and the Handle is the zero Handle. Schedule panics if f is nil.
func (d *Driver) Schedule(delay time.Duration, f func()) Handle {
	mustRun(f, "Schedule")
	now := d.clock.soon()
	deadline := d.clock.deadline(now, delay)
	sh := d.lock()
	if sh.closed.Load() {
		sh.mu.Unlock()
		return Handle{}
	}
	h := Handle{ref: sh.ref}
	var wake structures.Tick
	if deadline.tick == atOnce {
		wake = sh.runNow(now, call{f: f})
	} else {
		h.id, wake = sh.put(now, deadline, taskOf(f))
	}
	sh.countStart(deadline.at - now)
	sh.unlock(wake, now)
	return h
}

// start chooses a shard for a new timer, and admits it there.
func (d *Driver) start(t *Timer, now int64, deadline moment) {
	t.sh = d.lock()
	t.sh.admit(t, now, deadline)
}

// admit starts a timer that is not pending, and unlocks the shard. After Close it only unlocks.
func (sh *shard) admit(t *Timer, now int64, deadline moment) {
	wake := never
	if !sh.closed.Load() {
		sh.countStart(deadline.at - now)
		wake = sh.place(t, now, deadline)
	}
	sh.unlock(wake, now)
}

// place puts a timer into the structure that is not there, or fires it. It returns the tick to which the alarm
// must be set, or never. The lock is held.
func (sh *shard) place(t *Timer, now int64, deadline moment) (wake structures.Tick) {
	if deadline.tick == atOnce {
		return sh.fireNow(t, now)
	}
	t.id, wake = sh.put(now, deadline, t.task())
	t.when.Store(int64(deadline.tick))
	return wake
}

// put puts a task into the structure. It returns the tick to which the alarm must be set, or
// never. The lock is held.
func (sh *shard) put(now int64, deadline moment, task Task) (id structures.ID, wake structures.Tick) {
	sh.ready(now)
	sh.countPending()
	id = sh.s.Schedule(deadline.tick, task)
	if sh.watch != nil {
		sh.watch.noteSet(task, id, deadline.at-now)
	}
	return id, sh.sooner(deadline.tick)
}

// ready moves the clock of the structure to now, before a change. A structure computes delays
// from its own clock, which only Pop moves. If the clock of a wheel is far behind, the wheel
// takes a short delay for a long one. The lock is held.
func (sh *shard) ready(now int64) {
	if now >= sh.stale {
		sh.catchUp(now)
	}
}

// catchUp is ready for a structure whose clock is behind.
func (sh *shard) catchUp(now int64) {
	if sh.s == nil {
		sh.s = defaultStructure(sh.d.pool.workers == 1)
	}
	tick := sh.clock.ticks(now)
	quiet := min(tick, structures.Tick(sh.next.Load())-1)
	if sh.clock.begin(quiet+1) > sh.stale { // or else a pass has moved the clock beyond it, and pops what is due
		sh.s.Pop(quiet)
	}
	sh.stale = sh.clock.begin(tick + 1)
}

// countPending counts a timer that enters the shard. The lock is held.
func (sh *shard) countPending() {
	if !sh.published {
		sh.publish()
	}
	if sh.pending++; sh.pending == crowd && !sh.popping && !sh.marked.Load() {
		sh.crowded.Store(true)
	}
}

// sooner notes that there is work to do at a tick. It returns the tick if it is now the earliest,
// and never otherwise.
func (sh *shard) sooner(at structures.Tick) structures.Tick {
	if int64(at) >= sh.next.Load() {
		return never
	}
	sh.next.Store(int64(at))
	return at
}

// unlock unlocks the shard after a change, and sets the alarm to wake unless that is never.
func (sh *shard) unlock(wake structures.Tick, now int64) {
	sh.mu.Unlock()
	if wake != never {
		sh.d.alarm.set(wake, now)
	}
}

// countStart counts a timer that is started, with its delay in ns. The lock is held.
func (sh *shard) countStart(delay int64) {
	sh.started++
	if sh.watch != nil {
		sh.watch.countDelay(delay)
	}
}

// fireNow fires an idle timer. It returns the tick to which the alarm must be set, or never. The lock is held.
func (sh *shard) fireNow(t *Timer, now int64) (wake structures.Tick) {
	if t.f != nil {
		return sh.runNow(now, call{f: t.f, t: t})
	}
	if sh.watch != nil {
		sh.watch.noteAtOnce(timerKey{t: t})
	}
	t.internal().owner.due()
	sh.d.pass.countAtOnce()
	return never
}

// runNow makes a function run at once. If functions run in order, that is in the next pass, because
// the structure cannot hold a timer for less than a tick. It returns the tick to which the alarm
// must be set, or never. The lock is held.
func (sh *shard) runNow(now int64, c call) (wake structures.Tick) {
	if sh.watch != nil {
		sh.watch.noteAtOnce(timerKey{t: c.t})
	}
	sh.given++
	if c.number = sh.given; c.t != nil {
		c.t.when.Store(waits(c.number))
	}
	if sh.d.pool.workers == maxWorkers {
		sh.d.pass.countAtOnce()
		sh.d.pool.submit([]call{c}, true)
		return never
	}
	sh.countPending()
	u := urgent{c, max(0, now-sh.clock.ahead)}
	sh.urgent.push(u)
	return sh.sooner(sh.clock.ticks(u.since))
}
