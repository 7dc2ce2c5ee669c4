package driver

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
)

// shard is a structure and its lock. A timer never changes its shard. No goroutine ever holds the
// locks of two shards.
type shard struct {
	// These fields hardly change. They are apart from the others because a Reset to a later
	// deadline reads them, and must not wait for the holder of the lock.
	clock  *clock
	d      *Driver
	ref    shardRef
	closed atomic.Bool

	// marked is set if closed or watch is, so that a Reset needs to read only one of the three.
	marked atomic.Bool
	watch  *watch // nil if nothing follows the timers
	_      [64]byte

	mu      sync.Mutex
	s       structures.Scheduler[Task] // nil before the first timer, and once closed
	stale   int64                      // time at which the clock of s is behind, in ns
	urgent  fifo[urgent]               // functions that are due at once
	wall    wallTimers
	opening []interface{ openTo(structures.Tick) } // Queues with values of the tick that is being served
	pending int                                    // number of timers in s and in urgent
	handed  int                                    // number of timers of Every that are pending while a run is handed over
	put     uint64                                 // number of timers that were started; a move does not count
	stopped uint64
	fired   uint64
	next    atomic.Int64 // the tick before which the shard has no work to do; changed under mu
	_       [64]byte
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
		sh.s = defaultStructure()
	}
	tick := sh.clock.ticks(now)
	quiet := min(tick, structures.Tick(sh.next.Load())-1)
	if sh.clock.begin(quiet+1) > sh.stale { // or else a pass has moved the clock beyond it, and pops what is due
		sh.s.Pop(quiet)
	}
	sh.stale = sh.clock.begin(tick + 1)
}

// unlock unlocks the shard after a change, and sets the alarm to wake unless that is never.
func (sh *shard) unlock(wake structures.Tick, now int64) {
	sh.mu.Unlock()
	if wake != never {
		sh.d.alarm.set(wake, now)
	}
}

// unlockStopped unlocks the shard after a Stop. pending says that the timer was pending.
func (sh *shard) unlockStopped(pending bool) {
	if pending {
		sh.stopped++
	}
	sh.mu.Unlock()
}

// start counts a timer that is started, with its delay in ns. The lock is held.
func (sh *shard) start(delay int64) {
	sh.put++
	if sh.watch != nil {
		sh.watch.start(delay)
	}
}

// schedule puts a task into the structure. It returns the tick to which the alarm must be set, or
// never. The lock is held.
func (sh *shard) schedule(now int64, deadline moment, task Task) (id structures.ID, wake structures.Tick) {
	sh.ready(now)
	sh.enter()
	id = sh.s.Schedule(deadline.tick, task)
	if sh.watch != nil {
		sh.watch.entered(task, id, deadline.at-now)
	}
	return id, sh.sooner(deadline.tick)
}

// enter counts a timer that enters the shard. The lock is held.
func (sh *shard) enter() {
	if sh.pending == 0 {
		sh.publish()
	}
	sh.pending++
}

// urge makes a function run at once. If functions run in order, that is in the next pass, because
// the structure cannot hold a timer for less than a tick. It returns the tick to which the alarm
// must be set, or never. The lock is held.
func (sh *shard) urge(now int64, c call) (wake structures.Tick) {
	if sh.watch != nil {
		sh.watch.atOnce(timerKey{t: c.t})
	}
	if sh.d.pool.workers == maxWorkers {
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

type urgent struct {
	call
	since int64 // ns
}

// urgentAt returns the tick of the first urgent function, or never. The lock is held.
func (sh *shard) urgentAt() structures.Tick {
	if sh.urgent.len() == 0 {
		return never
	}
	return sh.clock.ticks(sh.urgent.all[sh.urgent.head].since)
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

// reschedule moves a timer of the structure. It reports whether the timer was pending, and
// returns the tick to which the alarm must be set, or never. The lock is held.
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

// cancel removes a timer from the structure. It reports whether the timer was pending. The lock is held.
func (sh *shard) cancel(id structures.ID) (pending bool) {
	if sh.s == nil || !sh.s.Cancel(id) {
		return false
	}
	sh.left()
	return true
}

// left notes that a timer has left the structure. The lock is held.
func (sh *shard) left() {
	sh.pending--
	if sh.pending == 0 {
		sh.vacate()
	}
}

// vacate notes that the shard is empty. The lock is held.
func (sh *shard) vacate() {
	sh.next.Store(int64(never))
	sh.unpublish()
}

// close drops the structure and returns the number of timers that were pending. They count as stopped.
func (sh *shard) close() int {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.closed.Store(true)
	sh.marked.Store(true)
	pending := sh.pending + sh.handed
	sh.stopped += uint64(pending)
	if sh.watch != nil {
		sh.watch.close(sh.s)
	}
	sh.s, sh.pending, sh.handed, sh.urgent, sh.wall = nil, 0, 0, fifo[urgent]{}, wallTimers{look: never}
	sh.vacate()
	return pending
}

// stackHashes is the number of groups into which goroutines are divided to choose a shard.
const stackHashes = 64

// timersPerVisit is the number of timers that a goroutine puts into one shard before it moves on to the next.
// It is large, so that the memory that the goroutine uses stays in its cache. It is limited, because goroutines
// that stop the timers of another goroutine would all wait for one lock.
const timersPerVisit = 1024

// preferred is the shard of the goroutines with the same hash.
type preferred struct {
	shard atomic.Uint32
	inits atomic.Uint32 // number of timers that Init has assigned to a shard
}

// stackHash tells goroutines apart by the addresses of their stacks. The hash of a goroutine may
// change, and two goroutines may have the same hash.
func stackHash() uint {
	var onStack byte
	return uint(uint64(uintptr(unsafe.Pointer(&onStack))>>11) * 0x9e3779b97f4a7c15 >> 58)
}

// lock locks a shard for a new timer. Goroutines that run at the same time mostly get different shards.
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

// lockAnother tries to lock another shard, which the goroutine then prefers. If all that it tries
// are locked, it waits for the preferred one.
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
