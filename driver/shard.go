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
	name   name
	closed atomic.Bool
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
	if now < sh.stale {
		return
	}
	if sh.s == nil {
		sh.s = defaultStructure()
	}
	tick := sh.clock.ticks(now)
	if int64(tick) < sh.next.Load() {
		sh.s.Pop(tick) // nothing is due
	}
	sh.stale = sh.clock.begin(tick + 1)
}

// schedule puts a task into the structure. It returns the tick to set the alarm to, or
// never. The lock is held.
func (sh *shard) schedule(now int64, deadline structures.Tick, task Task) (id structures.ID, wake structures.Tick) {
	sh.ready(now)
	sh.enter()
	id = sh.s.Schedule(deadline, task)
	return id, sh.sooner(deadline)
}

// enter counts a timer that comes into the shard. The lock is held.
func (sh *shard) enter() {
	if sh.pending == 0 {
		sh.show()
	}
	sh.pending++
	sh.put++
}

// urge makes f run at once, which is in the next pass where there is an order to keep: the
// structure could not hold it for less than a tick. It returns the tick to set the alarm to,
// or never. The lock is held.
func (sh *shard) urge(now int64, f func()) (wake structures.Tick) {
	if sh.d.pool.workers == maxWorkers {
		sh.fired++
		sh.d.pass.countAtOnce()
		sh.d.pool.submit([]func(){f}, true)
		return never
	}
	sh.enter()
	u := urgent{f, max(0, now-sh.clock.ahead)}
	sh.urgent.push(u)
	return sh.sooner(sh.clock.ticks(u.since))
}

// urgent is a function that is due at once.
type urgent struct {
	f     func()
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
func (sh *shard) reschedule(now int64, deadline structures.Tick, id structures.ID) (pending bool, wake structures.Tick) {
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
	sh.hide()
}

// close drops the structure and returns how many timers were pending.
func (sh *shard) close() int {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.closed.Store(true)
	pending := sh.pending
	sh.s, sh.pending, sh.urgent, sh.wall = nil, 0, fifo[urgent]{}, wallTimers{look: never}
	sh.vacate()
	return pending
}

// homes is how many goroutines are told apart when a shard is chosen.
const homes = 64

// stay is how many timers a goroutine puts into one shard before it moves on to the
// next: many, so that what it touches is in its cache; not all, as others would then
// wait for each other who stop what one goroutine has started.
const stay = 1024

// home is the shard that the goroutines of one hash use.
type home struct {
	shard atomic.Uint32
	inits atomic.Uint32 // timers that were given a shard and not put into it
}

// here tells goroutines apart by where their stacks are. The same goroutine may get
// another number at another time, and two may get the same.
func here() uint {
	var onStack byte
	return uint(uint64(uintptr(unsafe.Pointer(&onStack))>>11) * 0x9e3779b97f4a7c15 >> 58)
}

// lock locks a shard for a new timer. Goroutines that run at the same time get
// different ones, mostly.
func (d *Driver) lock() *shard {
	home := &d.homes[here()%homes]
	i := home.shard.Load()
	sh := &d.shards[i]
	if !sh.mu.TryLock() {
		return d.lockAnother(home, i)
	}
	if sh.put%stay == stay-1 {
		home.shard.Store((i + 1) % uint32(len(d.shards)))
	}
	return sh
}

// assign returns a shard for a new timer that is not started yet.
func (d *Driver) assign() *shard {
	if len(d.shards) == 0 {
		panic(errZero)
	}
	home := &d.homes[here()%homes]
	i := home.shard.Load()
	if home.inits.Add(1)%stay == 0 {
		home.shard.Store((i + 1) % uint32(len(d.shards)))
	}
	return &d.shards[i]
}

// lockAnother locks a shard that is free, where there is one. The goroutine moves
// there.
func (d *Driver) lockAnother(home *home, i uint32) *shard {
	for range 3 {
		next := (i + 1) % uint32(len(d.shards))
		if sh := &d.shards[next]; sh.mu.TryLock() {
			home.shard.Store(next)
			return sh
		}
		i = next
	}
	sh := &d.shards[home.shard.Load()]
	sh.mu.Lock()
	return sh
}
