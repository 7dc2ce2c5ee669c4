package driver

import (
	"math/bits"
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
	index  uint32 // in the shards of d
	closed atomic.Bool

	// marked is set if closed or watch is, so that a Reset needs to read only one of the three.
	marked  atomic.Bool
	crowded atomic.Bool  // stops by other goroutines may wait in boxes; changed under mu
	settles atomic.Int64 // the tick at which a pass settles the hasty timers, or never; changed under mu
	watch   *watch       // nil if nothing follows the timers
	_       [64]byte

	// A stop by another goroutine needs only the first cache line.
	mu      sync.Mutex
	pending int           // number of timers in s and in urgent
	started uint64        // number of timers that were started; a move does not count
	stopped uint64        // without those that the pool counts
	next    atomic.Int64  // the tick before which the shard has no work to do; changed under mu
	boxed   atomic.Uint64 // bit i: boxes of preferred i may hold stopped timers that are still in s

	s         structures.Scheduler[Task] // nil before the first timer, and once closed
	stale     int64                      // time at which the clock of s is behind, in ns
	starter   uint                       // hash of the goroutine that has started the last timer
	published bool                       // refs has the shard
	handed    int                        // number of timers of Every that are pending while a run is handed over
	fired     uint64                     // without those that the pool counts
	given     int64                      // number of functions of timers that the pool was given
	hasty     hastyTimers
	urgent    fifo[urgent] // functions that are due at once
	wall      wallTimers
	opening   []interface{ openTo(structures.Tick) } // Queues with values of the tick that is being served
	_         [80]byte
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

// countStart counts a timer that is started, with its delay in ns. The lock is held.
func (sh *shard) countStart(delay int64) {
	sh.started++
	if sh.watch != nil {
		sh.watch.countDelay(delay)
	}
}

// put puts a task into the structure. It returns the tick to which the alarm must be set, or
// never. The lock is held.
func (sh *shard) put(now int64, deadline moment, task Task) (id structures.ID, wake structures.Tick) {
	sh.ready(now)
	sh.countPending()
	id = sh.s.Schedule(deadline.tick, task)
	if sh.watch != nil {
		sh.watch.noteStart(task, id, deadline.at-now)
	}
	return id, sh.sooner(deadline.tick)
}

// countPending counts a timer that enters the shard. The lock is held.
func (sh *shard) countPending() {
	if !sh.published {
		sh.publish()
	}
	if sh.pending++; sh.pending == crowd && !sh.marked.Load() {
		sh.crowded.Store(true)
	}
}

// runNow makes a function run at once. If functions run in order, that is in the next pass, because
// the structure cannot hold a timer for less than a tick. It returns the tick to which the alarm
// must be set, or never. The lock is held.
func (sh *shard) runNow(now int64, c call) (wake structures.Tick) {
	if sh.watch != nil {
		sh.watch.noteAtOnce(timerKey{t: c.t})
	}
	c = sh.give(c)
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

// give marks a function as one that was not run yet, so that Stop can take it back. The lock is held.
func (sh *shard) give(c call) call {
	sh.given++
	if c.number = sh.given; c.t != nil {
		c.t.when.Store(waits(c.number))
	}
	return c
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
	if sh.hasty.ids != nil {
		sh.calmAll()
	}
	refs.sweepLater()
}

// close drops the structure and returns the number of timers that were pending. They count as stopped.
func (sh *shard) close() int {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.closed.Store(true)
	sh.marked.Store(true)
	sh.crowded.Store(false)
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

// A goroutine that starts and stops timers stays in a shard, whose memory is in its cache. The timers that it leaves pending
// are in all shards of a group, so that goroutines that stop or move them do not wait for one lock. Many timers are in all
// groups. Goroutines that run at the same time mostly have different groups.
const (
	shardsPerGroup = 4
	timersPerVisit = 256  // pending timers by which a shard grows before a goroutine moves on to the next one of the group
	timersPerGroup = 4096 // and to another group
	initsPerVisit  = 1024 // timers that Init assigns to a shard: they stay there, though other goroutines may start them
)

// preferred is the shard of the goroutines with the same hash.
type preferred struct {
	shard atomic.Uint32
	inits atomic.Uint32 // number of timers that Init has assigned to a shard

	mu    sync.Mutex
	boxes []box // by the shard; nil before the first stop that waits
	_     [24]byte
}

// crowd is the number of timers of a shard from which on stops by goroutines that prefer another shard wait in boxes. So such
// a stop does not take the memory of the shard away from the processor that starts timers there.
const crowd = 512

// box holds timers that are stopped, but still in the structure of a shard. The lock of its preferred guards it, and may be
// held when that of a shard is taken.
type box struct {
	n   int
	ids [together]structures.ID
}

// stopLater stops a timer without the lock, unless its shard has few timers, is the one that the goroutine prefers, or is
// served by a pass. It reports whether it did.
func (sh *shard) stopLater(t *Timer) bool {
	hash := stackHash() % stackHashes
	p := &sh.d.preferred[hash]
	if p.shard.Load() == sh.index {
		return false
	}
	p.mu.Lock()
	if p.boxes == nil {
		p.boxes = make([]box, len(sh.d.shards))
	}
	b := &p.boxes[sh.index]
	if b.n == 0 {
		sh.boxed.Or(1 << hash) // before crowded is read: a pass changes crowded, and then reads boxed
		refs.sweepLater()
	}
	when := t.when.Load()
	ok := when > idle && when != byWall && sh.crowded.Load() && t.when.CompareAndSwap(when, held)
	if ok {
		b.ids[b.n] = t.id
		b.n++
		t.when.Store(idle)
		if b.n == len(b.ids) {
			sh.empty(b)
		}
	}
	p.mu.Unlock()
	return ok
}

// empty removes the timers of a box from the structure.
func (sh *shard) empty(b *box) {
	sh.lock()
	if sh.s != nil {
		n := structures.CancelAll(sh.s, b.ids[:b.n])
		sh.stopped += uint64(n)
		if sh.pending -= n; n > 0 && sh.pending == 0 {
			sh.vacate()
		}
	}
	sh.mu.Unlock()
	b.n = 0
}

// emptyBoxes removes all timers of the shard that were stopped before from the structure.
func (sh *shard) emptyBoxes() {
	for left := sh.boxed.Load(); left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		p := &sh.d.preferred[i]
		p.mu.Lock()
		sh.empty(&p.boxes[sh.index])
		sh.boxed.And(^(1 << i))
		p.mu.Unlock()
	}
}

// stackHash tells goroutines apart by the addresses of their stacks. The hash of a goroutine may
// change, and two goroutines may have the same hash.
func stackHash() uint {
	var onStack byte
	return uint(uint64(uintptr(unsafe.Pointer(&onStack))>>11) * 0x9e3779b97f4a7c15 >> 58)
}

// lock locks the shard.
func (sh *shard) lock() {
	if !sh.lockSoon() {
		sh.mu.Lock()
	}
}

// lockSoon tries to lock the shard for about a microsecond. The holder of the lock mostly needs it for less, and less than a
// sync.Mutex takes to wait.
func (sh *shard) lockSoon() bool {
	for range 400 {
		if sh.mu.TryLock() {
			return true
		}
	}
	return false
}

// lock locks a shard for a new timer. Goroutines that run at the same time mostly get different shards.
func (d *Driver) lock() *shard {
	hash := stackHash() % stackHashes
	p := &d.preferred[hash]
	i := d.prefers(p)
	sh := &d.shards[i]
	if !sh.mu.TryLock() {
		sh = d.lockBusy(hash, i)
	} else if sh.pending%timersPerVisit == timersPerVisit-1 {
		p.shard.Store(d.onward(i, sh.pending%timersPerGroup == timersPerGroup-1))
	}
	sh.starter = hash
	return sh
}

// noShard is the shard of goroutines that have started no timer.
const noShard = 1<<32 - 1

// prefers returns the preferred shard. The first goroutines get different groups, and then different shards.
func (d *Driver) prefers(p *preferred) uint32 {
	i := p.shard.Load()
	if i == noShard {
		n, end := d.seen.Add(1)-1, uint32(len(d.shards))
		i = (n*shardsPerGroup + n*shardsPerGroup/end) % end
		p.shard.Store(i)
	}
	return i
}

// onward returns the shard after shard i, in its group or in another one.
func (d *Driver) onward(i uint32, leave bool) uint32 {
	end := uint32(len(d.shards))
	if leave {
		return (i + shardsPerGroup) % end
	}
	if i++; i == end || i%shardsPerGroup == 0 {
		i = (i - 1) / shardsPerGroup * shardsPerGroup
	}
	return i
}

// assign returns a shard for a new timer that is not started yet.
func (d *Driver) assign() *shard {
	if len(d.shards) == 0 {
		panic(errZero)
	}
	p := &d.preferred[stackHash()%stackHashes]
	i := d.prefers(p)
	if p.inits.Add(1)%initsPerVisit == 0 {
		p.shard.Store((i + 1) % uint32(len(d.shards)))
	}
	return &d.shards[i]
}

// lockBusy locks the preferred shard i. The next timer goes to another shard of the group, as somebody stops timers in this one, or
// to another group if a goroutine with a smaller hash starts timers here. If i is locked for long, another shard is preferred at once.
func (d *Driver) lockBusy(hash uint, i uint32) *shard {
	end, p := uint32(len(d.shards)), &d.preferred[hash]
	sh := &d.shards[i]
	if sh.lockSoon() {
		p.shard.Store(d.onward(i, sh.starter < hash))
		return sh
	}
	for range 3 {
		i = (i + shardsPerGroup + 1) % end
		if other := &d.shards[i]; other.mu.TryLock() {
			p.shard.Store(i)
			return other
		}
	}
	sh.mu.Lock()
	return sh
}
