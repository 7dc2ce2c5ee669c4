package driver

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
)

// shard is a structure and its lock. A timer belongs to one shard for good. No
// goroutine ever holds the locks of two.
type shard struct {
	// What does not change stands apart from what does: a Reset that only moves a
	// timer to later reads it, and must not wait for whoever holds the lock.
	clock  *clock
	slack  structures.Tick
	d      *Driver
	ref    shardRef
	closed atomic.Bool

	// marked is set where closed or watch is, so that a Reset looks at one of the three.
	marked atomic.Bool
	watch  *watch // nil if nothing follows the timers
	_      [64]byte

	mu      sync.Mutex
	s       structures.Scheduler[Task] // nil before the first timer, and once closed
	stale   int64                      // ns: from then on the clock of s is behind
	urgent  fifo[urgent]               // what is due at once
	wall    wallTimers
	pending int    // timers in s, and urgent
	put     uint64 // timers that have come so far, those moved to later not again
	stopped uint64
	fired   uint64
	next    atomic.Int64 // the tick before which s has nothing to do; changed under mu
	_       [64]byte
}

// ready makes the structure ready for a change at a moment: a structure counts delays
// from its own clock, which only Pop moves. A wheel with a clock that is far behind
// would take a short delay for a long one. The lock is held.
func (sh *shard) ready(now int64) {
	if now >= sh.stale {
		sh.catchUp(now)
	}
}

// catchUp is ready where the clock of the structure is behind.
func (sh *shard) catchUp(now int64) {
	if sh.s == nil {
		sh.s = defaultStructure()
	}
	tick := sh.clock.ticks(now)
	if int64(tick) < sh.next.Load() {
		sh.s.Pop(tick) // nothing is due
	}
	sh.stale = sh.clock.begin(tick + 1)
}

// unlock unlocks the shard after a change at a moment, and sets the alarm to wake unless that
// is never.
func (sh *shard) unlock(wake structures.Tick, now int64) {
	sh.mu.Unlock()
	if wake != never {
		sh.d.alarm.set(wake, now)
	}
}

// unlockStopped unlocks the shard after a timer was to be stopped: whether it was pending, and
// the shard has come to be empty.
func (sh *shard) unlockStopped(pending, empty bool) {
	if pending {
		sh.stopped++
	}
	sh.mu.Unlock()
	if empty {
		sh.d.alarm.relax()
	}
}

// schedule puts a task into the structure. It returns the tick to set the alarm to, or
// never. The lock is held.
func (sh *shard) schedule(now int64, deadline moment,
	task Task) (id structures.ID, wake structures.Tick) {
	sh.ready(now)
	sh.enter()
	id = sh.s.Schedule(deadline.tick, task)
	if sh.watch != nil {
		sh.watch.started(task, id, deadline.at-now)
	}
	return id, sh.sooner(deadline.tick)
}

// enter counts a timer that comes into the shard. The lock is held.
func (sh *shard) enter() {
	if sh.pending == 0 {
		sh.publish()
	}
	sh.pending++
	sh.put++
}

// urge makes a function run at once, which is in the next pass where there is an order to keep: the
// structure could not hold it for less than a tick. It returns the tick to set the alarm to,
// or never. The lock is held.
func (sh *shard) urge(now int64, c call) (wake structures.Tick) {
	if sh.watch != nil {
		sh.watch.atOnce(timerKey{t: c.t})
	}
	if sh.d.pool.workers == maxWorkers {
		sh.put++
		sh.fired++
		sh.d.pass.countAtOnce()
		sh.d.pool.submit([]call{c}, true)
		return never
	}
	sh.enter()
	u := urgent{c, max(0, now-sh.clock.ahead)}
	sh.urgent.push(u)
	return sh.sooner(sh.clock.ticks(u.since))
}

// urgent is a function that is due at once.
type urgent struct {
	call
	since int64 // ns
}

// urgentAt returns the tick of the first of urgent, or never. The lock is held.
func (sh *shard) urgentAt() structures.Tick {
	if sh.urgent.len() == 0 {
		return never
	}
	return sh.clock.ticks(sh.urgent.all[sh.urgent.head].since)
}

// sooner takes note of a tick at which there is something to do. It returns the tick if it
// is the earliest one, or never.
func (sh *shard) sooner(at structures.Tick) structures.Tick {
	if int64(at) >= sh.next.Load() {
		return never
	}
	sh.next.Store(int64(at))
	return at
}

// reschedule moves a timer of the structure. It reports whether that was pending, and
// returns the tick to set the alarm to, or never. The lock is held.
func (sh *shard) reschedule(now int64, deadline structures.Tick,
	id structures.ID) (pending bool, wake structures.Tick) {
	if sh.s == nil {
		return false, never
	}
	sh.ready(now)
	if !sh.s.Reschedule(id, deadline) {
		return false, never
	}
	return true, sh.sooner(deadline)
}

// cancel takes a timer out of the structure. It reports whether it was pending, and
// whether the shard has come to be empty. The lock is held.
func (sh *shard) cancel(id structures.ID) (pending, empty bool) {
	if sh.s == nil || !sh.s.Cancel(id) {
		return false, false
	}
	return true, sh.left()
}

// left takes note that a timer has left the structure, and reports whether it was the
// last one.
func (sh *shard) left() bool {
	sh.pending--
	if sh.pending > 0 {
		return false
	}
	sh.vacate()
	return true
}

// vacate takes note that no timer is left. The lock is held.
func (sh *shard) vacate() {
	sh.next.Store(int64(never))
	sh.unpublish()
}

// close drops the structure and returns how many timers were pending.
func (sh *shard) close() int {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.closed.Store(true)
	sh.marked.Store(true)
	pending := sh.pending
	if sh.watch != nil {
		sh.watch.close(sh.s)
	}
	sh.s, sh.pending, sh.urgent, sh.wall = nil, 0, fifo[urgent]{}, wallTimers{look: never}
	sh.vacate()
	return pending
}

// stackHashes is how many goroutines are told apart when a shard is chosen.
const stackHashes = 64

// timersPerVisit is how many timers a goroutine puts into one shard before it moves on to
// the next: many, so that what it touches is in its cache; not all, as others would then
// wait for each other who stop what one goroutine has started.
const timersPerVisit = 1024

// preferred is the shard that the goroutines of one hash use.
type preferred struct {
	shard atomic.Uint32
	inits atomic.Uint32 // timers that were given a shard and not put into it
}

// stackHash tells goroutines apart by where their stacks are. The same goroutine may get
// another number at another time, and two may get the same.
func stackHash() uint {
	var onStack byte
	return uint(uint64(uintptr(unsafe.Pointer(&onStack))>>11) * 0x9e3779b97f4a7c15 >> 58)
}

// lock locks a shard for a new timer. Goroutines that run at the same time get
// different ones, mostly.
func (d *Driver) lock() *shard {
	p := &d.preferred[stackHash()%stackHashes]
	i := p.shard.Load()
	sh := &d.shards[i]
	if !sh.mu.TryLock() {
		return d.lockAnother(p, i)
	}
	if sh.put%timersPerVisit == timersPerVisit-1 {
		p.shard.Store((i + 1) % uint32(len(d.shards)))
	}
	return sh
}

// assign returns a shard for a new timer that is not started yet.
func (d *Driver) assign() *shard {
	if len(d.shards) == 0 {
		panic(errZero)
	}
	p := &d.preferred[stackHash()%stackHashes]
	i := p.shard.Load()
	if p.inits.Add(1)%timersPerVisit == 0 {
		p.shard.Store((i + 1) % uint32(len(d.shards)))
	}
	return &d.shards[i]
}

// lockAnother locks a shard that is free, where there is one, which the goroutine prefers
// from then on.
func (d *Driver) lockAnother(p *preferred, i uint32) *shard {
	for range 3 {
		i = (i + 1) % uint32(len(d.shards))
		if sh := &d.shards[i]; sh.mu.TryLock() {
			p.shard.Store(i)
			return sh
		}
	}
	sh := &d.shards[p.shard.Load()]
	sh.mu.Lock()
	return sh
}
