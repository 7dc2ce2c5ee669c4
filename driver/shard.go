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
	published bool                       // refs has the shard
	popping   bool                       // a pass pops timers, so no stop may wait
	handed    int                        // number of timers of Every that are pending while a run is handed over
	fired     uint64                     // without those that the pool counts
	given     int64                      // the number of the last function of a timer that the pool was given; no other shard has it
	hasty     hastyTimers
	urgent    fifo[urgent] // functions that are due at once
	wall      wallTimers
	_         [104]byte
}

// unlockStopped unlocks the shard after a Stop. pending says that the timer was pending.
func (sh *shard) unlockStopped(pending bool) {
	if pending {
		sh.stopped++
	}
	sh.mu.Unlock()
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
	maxTries       = 3    // shards that are tried before the goroutine waits
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
	n     int
	hasty uint32 // bit i: the timer of ids[i] is hasty
	ids   [together]structures.ID
}

// stopLater stops a timer without the lock, unless its shard has few timers, is the one that the goroutine prefers, or is
// served by a pass. It reports whether it did.
func (sh *shard) stopLater(t *Timer) bool {
	hash := stackHash()
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
	ok := when != idle && when >= hastiest && when != byWall && sh.crowded.Load() && t.when.CompareAndSwap(when, held)
	if ok {
		b.ids[b.n] = t.id
		b.hasty |= uint32(uint64(when)>>63) << b.n
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
		for ; b.hasty != 0; b.hasty &= b.hasty - 1 {
			id := &b.ids[bits.TrailingZeros32(b.hasty)]
			*id = sh.hasty.remove(*id)
		}
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
	return uint(uint64(uintptr(unsafe.Pointer(&onStack))>>11)*0x9e3779b97f4a7c15>>58) % stackHashes
}

// lock locks the shard. It tries for about a microsecond first, because the holder of the lock mostly needs it for less, and
// less than a sync.Mutex takes to wait.
func (sh *shard) lock() {
	for range 400 {
		if sh.mu.TryLock() {
			return
		}
	}
	sh.mu.Lock()
}

// lock locks a shard for a new timer. If the preferred one is busy, because another goroutine starts timers there, the
// goroutine moves to another group.
func (d *Driver) lock() *shard {
	p := &d.preferred[stackHash()]
	i := d.prefers(p)
	sh := &d.shards[i]
	for tries := 0; !sh.mu.TryLock(); tries++ {
		if tries == maxTries {
			sh.lock()
			break
		}
		i = (i + shardsPerGroup + 1) % uint32(len(d.shards))
		sh = &d.shards[i]
		p.shard.Store(i)
	}
	if sh.pending%timersPerVisit == timersPerVisit-1 {
		p.shard.Store(d.onward(i, sh.pending%timersPerGroup == timersPerGroup-1))
	}
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
	p := &d.preferred[stackHash()]
	i := d.prefers(p)
	if p.inits.Add(1)%initsPerVisit == 0 {
		p.shard.Store((i + 1) % uint32(len(d.shards)))
	}
	return &d.shards[i]
}

// Task is the value type of a driver's structures: what to do when a timer fires. Only the driver knows its contents.
//
// A Task is one word, because there is one per timer. It is a function, or a *Timer, which knows its function.
// A function value points to a word. The Task of a Timer points to the second byte of the Timer instead of the
// first. So the driver can tell the two apart without reading the Timer, which its owner may have overwritten.
type Task struct{ p unsafe.Pointer }

// taskOf returns the task of calling f, for a timer that only its ID names.
func taskOf(f func()) Task { return Task{*(*unsafe.Pointer)(unsafe.Pointer(&f))} }

func (t *Timer) task() Task { return Task{unsafe.Add(unsafe.Pointer(t), 1)} }

func (task Task) timer() *Timer {
	if uintptr(task.p)&1 == 0 {
		return nil
	}
	return (*Timer)(unsafe.Add(task.p, -1))
}

func (task Task) function() (f func()) {
	*(*unsafe.Pointer)(unsafe.Pointer(&f)) = task.p
	return f
}

// internal is a timer that calls its owner when it is due, with the shard locked. It has no
// function, unless it follows the wall clock. The Timer must come first.
type internal struct {
	t     Timer
	owner interface{ due() (fired bool) }
}

func (t *Timer) internal() *internal { return (*internal)(unsafe.Pointer(t)) }

// overwritten runs instead of the function of a Timer that was overwritten while it was pending.
func overwritten() {
	panic("driver: a Timer was overwritten while it was pending, as by *c = conn{}: Stop it before")
}

func mustRun(f func(), caller string) {
	if f == nil {
		panic("driver: " + caller + ": the function is nil")
	}
}
