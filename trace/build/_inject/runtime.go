package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// TimerbenchRecord is an operation that the program, and not the garbage collector, made on a
// timer: one of the runtime, or one of a driver of package timerbench/driver.
type TimerbenchRecord struct {
	Now   int64 // nanotime
	When  int64 // the deadline after the operation; 0: none
	Timer uint64
	PC    uintptr // timerbenchSet: return address in the caller, outside of packages that provide timers; 0: not known
	Kind  uint8
	Form  uint8  // timerbenchSet: as package timerbench/trace numbers the forms; 0: not known
	Short uint32 // timerbenchSet: the period of a ticker if it is shorter than 10 ms, and otherwise 0
	// Pending says that the timer was pending before.
	Pending bool
	Again   bool // timerbenchSet: by Reset
}

// The kinds, as package timerbench/trace numbers them.
const (
	timerbenchSet = iota
	timerbenchStop
	timerbenchFire
)

// timerbenchSize is the number of records in a chunk: 96 kB. It is chosen: one P that does
// nothing but set timers fills a chunk in 0.3 ms.
const timerbenchSize = 1 << 11

// A timerbenchChunk holds records of one P. It is outside the heap: the runtime sets timers where it cannot allocate.
type timerbenchChunk struct {
	_       sys.NotInHeap
	written atomic.Uint32  // number of records
	next    atomic.Uintptr // address of the chunk with the following records; 0: none
	records [timerbenchSize]TimerbenchRecord
}

// A timerbenchQueue holds the unread records of one P, in a list of chunks. Only its P writes,
// without a lock: a P does one operation at a time, since the goroutine cannot be preempted
// meanwhile.
type timerbenchQueue struct {
	to     *timerbenchChunk // the chunk to write
	heaped atomic.Uint64    // timers put into the heap
	known  [256]struct {    // a cache of timerbenchClassOf
		pc    uintptr
		class timerbenchClass
	}
	_    [64]byte
	from *timerbenchChunk // the chunk to read
	read uint32           // records of it that were read
}

// timerbenchPool has the chunks that no queue holds.
var timerbenchPool struct {
	lock  mutex
	free  *timerbenchChunk // linked by next
	bytes uintptr          // of all chunks
	most  uintptr          // bound of bytes, which the first chunks of queues may exceed
}

var (
	timerbenchOn      atomic.Bool
	timerbenchStarted int64
	timerbenchQueues  [1024]atomic.Pointer[timerbenchQueue] // by P, without gaps
	timerbenchLost    [3]atomic.Uint64                      // records for which there was no room, by kind
	timerbenchNote    note
	timerbenchWaits   atomic.Uint32 // 1: TimerbenchWait waits for the note
	timerbenchWriting atomic.Bool   // from TimerbenchGo to TimerbenchDone
	timerbenchSignal  atomic.Uint32 // a signal that is to end the program; 0: none
)

// timerbenchDriver is a variable of the driver, which calls it for each operation on its
// timers while it holds their lock.
//
//go:linkname timerbenchDriver github.com/timerbench/timerbench/driver.recorder
var timerbenchDriver func(kind uint8, timer uint64, delay int64, pending bool)

// The recording begins before the init of any other package.
func init() {
	if gogetenv("TIMERBENCH_TRACE") != "" {
		timerbenchPool.most = ^uintptr(0) // until TimerbenchBound
		timerbenchStarted = nanotime()
		timerbenchDriver = timerbenchRecordDriver
		timerbenchOn.Store(true)
	}
}

// TimerbenchBound bounds the memory for unread records.
func TimerbenchBound(bytes uint64) {
	lock(&timerbenchPool.lock)
	timerbenchPool.most = uintptr(min(bytes, uint64(^uintptr(0))))
	unlock(&timerbenchPool.lock)
}

// timerbenchTake returns an empty chunk. It returns nil if the bound is reached and force is false.
func timerbenchTake(force bool) *timerbenchChunk {
	const size = unsafe.Sizeof(timerbenchChunk{})
	pool := &timerbenchPool
	lock(&pool.lock)
	c := pool.free
	if c != nil {
		pool.free = (*timerbenchChunk)(unsafe.Pointer(c.next.Load()))
	}
	more := c == nil && (force || size <= pool.most && pool.bytes <= pool.most-size)
	if more {
		pool.bytes += size
	}
	unlock(&pool.lock)
	if more {
		c = (*timerbenchChunk)(persistentalloc(size, 0, &memstats.other_sys))
	}
	if c != nil {
		c.written.Store(0)
		c.next.Store(0)
	}
	return c
}

// timerbenchGive makes a chunk free.
func timerbenchGive(c *timerbenchChunk) {
	lock(&timerbenchPool.lock)
	c.next.Store(uintptr(unsafe.Pointer(timerbenchPool.free)))
	timerbenchPool.free = c
	unlock(&timerbenchPool.lock)
}

// timerbenchOwn returns the queue of this P, or nil if there is no P or too many. The caller cannot
// be preempted.
func timerbenchOwn() *timerbenchQueue {
	pp := getg().m.p.ptr()
	if pp == nil || int(pp.id) >= len(timerbenchQueues) {
		return nil
	}
	if q := timerbenchQueues[pp.id].Load(); q != nil {
		return q
	}
	for i := range pp.id + 1 {
		if timerbenchQueues[i].Load() != nil {
			continue
		}
		q := (*timerbenchQueue)(persistentalloc(unsafe.Sizeof(timerbenchQueue{}), 0, &memstats.other_sys))
		q.to = timerbenchTake(true)
		q.from = q.to
		if !timerbenchQueues[i].CompareAndSwapNoWB(nil, q) { // another P was faster
			timerbenchGive(q.to)
		}
	}
	return timerbenchQueues[pp.id].Load()
}

// timerbenchRecord records that t gets the deadline when. The caller holds the lock of t and
// has not changed the deadline yet. again says that t is set by Reset. Timers of synctest, in virtual time, are left out, and so
// are the alarms of drivers, whose timers are recorded instead.
func timerbenchRecord(t *timer, kind uint8, when int64, again bool) {
	if t.isFake {
		return
	}
	q := timerbenchOwn()
	if q == nil {
		timerbenchLost[kind].Add(1)
	} else if !q.isAlarm(t) {
		q.put(t, TimerbenchRecord{nanotime(), when, uint64(uintptr(unsafe.Pointer(t))), 0, kind, 0, 0, t.when > 0, again})
	}
}

// timerbenchRecordDriver records an operation on a timer of a driver. The timer then fires
// after delay, unless it is stopped or has fired.
func timerbenchRecordDriver(kind uint8, timer uint64, delay int64, pending bool) {
	if !timerbenchOn.Load() {
		return
	}
	mp := acquirem()
	now, when := nanotime(), int64(0)
	if kind == timerbenchSet {
		if when = now + delay; when < now {
			when = maxWhen
		}
	}
	if q := timerbenchOwn(); q != nil {
		q.put(nil, TimerbenchRecord{now, when, timer, 0, kind, 0, 0, pending, false})
	} else {
		timerbenchLost[kind].Add(1)
	}
	releasem(mp)
}

// put adds a record. If the record sets a timer, put adds the caller. t is nil for a timer of a
// driver.
func (q *timerbenchQueue) put(t *timer, rec TimerbenchRecord) {
	c, n := q.to, q.to.written.Load()
	if n == timerbenchSize {
		if c = timerbenchTake(false); c == nil {
			timerbenchLost[rec.Kind].Add(1)
			return
		}
		q.to.next.Store(uintptr(unsafe.Pointer(c)))
		q.to, n = c, 0
		if timerbenchWaits.CompareAndSwap(1, 0) {
			notewakeup(&timerbenchNote)
		}
	}
	if rec.Kind == timerbenchSet {
		const driver = 6 // as timerbenchForm numbers the forms
		rec.PC, rec.Form = q.site(t), driver
		if t != nil {
			rec.Form = timerbenchForm(t)
			if t.period < 10e6 {
				rec.Short = uint32(t.period)
			}
		}
	}
	c.records[n] = rec
	c.written.Store(n + 1)
}

// timerbenchForm returns the form of a timer, which tells by the argument of its function.
func timerbenchForm(t *timer) uint8 {
	const function, channel, ticker, deadline, sleep = 1, 2, 3, 4, 5
	switch t.arg.(type) {
	case nil:
		return 0
	case func():
		return function
	case *g:
		return sleep
	}
	if efaceOf(&t.arg)._type.Kind() != abi.Chan {
		return deadline
	}
	if t.period > 0 {
		return ticker
	}
	return channel
}

// timerbenchHeap counts that a timer is put into the heap of Go's runtime.
func timerbenchHeap(t *timer) {
	if q := timerbenchOwn(); q != nil && !t.isFake && !q.isAlarm(t) {
		q.heaped.Store(q.heaped.Load() + 1)
	}
}

// site returns the innermost return address on the stack that is not in packages that
// provide timers, or 0.
func (q *timerbenchQueue) site(t *timer) uintptr {
	const depth = 32
	gp := getg()
	fp := getfp()
	if gp == gp.m.g0 { // a goroutine goes to sleep
		sleeper, ok := t.arg.(*g)
		if !ok {
			return 0
		}
		gp, fp = sleeper, sleeper.sched.bp
	}
	if !framepointer_enabled {
		var pcs [depth]uintptr
		n := 0
		if gp == getg() {
			n = callers(0, pcs[:])
		} else {
			n = gcallers(gp, 0, pcs[:])
		}
		for _, pc := range pcs[:n] {
			if q.class(pc) == timerbenchOutside {
				return pc
			}
		}
		return 0
	}
	// Frames of C, which may have no frame pointers, are on another stack. The call of class may
	// move the stack to grow it, which keeps the distance of a frame from the end.
	for i := 0; i < depth && gp.stack.lo <= fp && fp < gp.stack.hi; i++ {
		fromEnd := gp.stack.hi - fp
		pc := *(*uintptr)(unsafe.Pointer(fp + unsafe.Sizeof(fp)))
		if pc == 0 || q.class(pc) == timerbenchOutside {
			return pc
		}
		fp = *(*uintptr)(unsafe.Pointer(gp.stack.hi - fromEnd))
	}
	return 0
}

// isAlarm reports whether t is the timer that a driver sleeps on.
func (q *timerbenchQueue) isAlarm(t *timer) bool {
	f, ok := t.arg.(func())
	if !ok {
		return false
	}
	entry := *(**uintptr)(unsafe.Pointer(&f))
	return entry != nil && q.class(*entry+1) == timerbenchAlarm
}

// class returns timerbenchClassOf for the function that holds a return address.
func (q *timerbenchQueue) class(pc uintptr) timerbenchClass {
	known := &q.known[(pc^pc>>8)%uintptr(len(q.known))]
	if known.pc != pc {
		known.pc, known.class = pc, timerbenchClassOf(funcname(findfunc(pc-1)))
	}
	return known.class
}

// timerbenchClass is the relation of a function to timers.
type timerbenchClass uint8

const (
	timerbenchOutside timerbenchClass = iota // the function may be the user of a timer
	timerbenchInside                         // it is in a package that provides timers
	timerbenchAlarm                          // it is the function of a driver's alarm
)

// timerbenchClassOf returns the class of a function.
func timerbenchClassOf(function string) timerbenchClass {
	const driver = "github.com/timerbench/timerbench/driver."
	if function == driver+"(*bell).ring-fm" || function == driver+"(*bell).set.func1" {
		return timerbenchAlarm
	}
	for _, p := range [...]string{"runtime.", "time.", "net.", "context.", "internal/poll.", "os.", driver} {
		if len(function) > len(p) && function[:len(p)] == p {
			return timerbenchInside
		}
	}
	return timerbenchOutside
}

// TimerbenchSite returns the place in the program of a PC of a record. If functions were inlined
// there, it returns the innermost one outside of packages that provide timers.
func TimerbenchSite(pc uintptr) (function, file string, line int) {
	u, at := newInlineUnwinder(findfunc(pc-1), pc-1)
	for at.valid() {
		function = u.srcFunc(at).name()
		file, line = u.fileLine(at)
		if timerbenchClassOf(function) == timerbenchOutside {
			break
		}
		at = u.next(at)
	}
	return function, file, line
}

// TimerbenchOn reports whether operations on timers are recorded, and since when, by nanotime.
func TimerbenchOn() (since int64, on bool) { return timerbenchStarted, timerbenchOn.Load() }

// TimerbenchNow returns the time by the clock of the records.
func TimerbenchNow() int64 { return nanotime() }

// TimerbenchStop ends the recording and returns the time. Existing records can still be read.
func TimerbenchStop() (now int64) {
	timerbenchOn.Store(false)
	if timerbenchWaits.CompareAndSwap(1, 0) {
		notewakeup(&timerbenchNote)
	}
	return nanotime()
}

// TimerbenchGo runs f on a goroutine that counts as one of the runtime's. Until TimerbenchDone,
// it delays signals that end the program.
func TimerbenchGo(f func()) {
	timerbenchWriting.Store(true)
	go timerbenchAgent(f)
}

func timerbenchAgent(f func()) { f() }

// TimerbenchDone says that the trace is complete, so that signals end the program again.
func TimerbenchDone() { timerbenchWriting.Store(false) }

// TimerbenchSignal returns the signal that is waiting to end the program, or 0.
func TimerbenchSignal() uint32 { return timerbenchSignal.Load() }

// timerbenchEnd delays the end of the program by a signal until the trace is complete. It reports
// false if no trace is being written.
func timerbenchEnd(sig uint32) bool {
	if !timerbenchWriting.Load() {
		return false
	}
	timerbenchSignal.CompareAndSwap(0, sig)
	return true
}

// TimerbenchWait waits for ns nanoseconds, or until a chunk is full or the recording ends. It uses
// no timer.
func TimerbenchWait(ns int64) {
	noteclear(&timerbenchNote)
	timerbenchWaits.Store(1)
	if timerbenchOn.Load() {
		timerbenchSleep(ns)
	}
	if !timerbenchWaits.CompareAndSwap(1, 0) {
		timerbenchSleep(-1) // another thread is about to wake it
	}
}

// timerbenchSleep waits for the note, as notetsleepg does, on a thread that counts as one of the
// runtime's. So the runtime still finds out when all goroutines of the program are asleep.
func timerbenchSleep(ns int64) {
	if GOARCH == "wasm" { // which has one thread
		notetsleepg(&timerbenchNote, ns)
		return
	}
	entersyscallblock()
	systemstack(func() {
		lock(&sched.lock)
		sched.nmsys++
		checkdead()
		unlock(&sched.lock)
		notetsleep(&timerbenchNote, ns)
		lock(&sched.lock)
		sched.nmsys--
		unlock(&sched.lock)
	})
	exitsyscall()
}

// TimerbenchRead moves records to buf, the oldest first, and returns their number. Records of one
// timer are always in order, because each was written before the lock of the timer was free. One
// goroutine at a time may call it.
func TimerbenchRead(buf []TimerbenchRecord) int {
	now := nanotime()
	for n := range buf {
		var from *timerbenchQueue
		var oldest *TimerbenchRecord
		for i := range timerbenchQueues {
			q := timerbenchQueues[i].Load()
			if q == nil {
				break
			}
			rec := q.first()
			if rec != nil && rec.Now <= now && (oldest == nil || rec.Now < oldest.Now) {
				from, oldest = q, rec
			}
		}
		if oldest == nil {
			return n
		}
		buf[n] = *oldest
		from.read++
	}
	return len(buf)
}

// first returns the first unread record, or nil. It gives back a chunk that was read.
func (q *timerbenchQueue) first() *TimerbenchRecord {
	if q.read == timerbenchSize {
		next := q.from.next.Load()
		if next == 0 {
			return nil
		}
		timerbenchGive(q.from)
		q.from, q.read = (*timerbenchChunk)(unsafe.Pointer(next)), 0
	}
	if q.read == q.from.written.Load() {
		return nil
	}
	return &q.from.records[q.read]
}

// TimerbenchTotals returns the number of lost operations by kind, and how often a timer was put
// into the heap of Go's runtime.
func TimerbenchTotals() (lost [3]uint64, heaped uint64) {
	for kind := range lost {
		lost[kind] = timerbenchLost[kind].Load()
	}
	for i := range timerbenchQueues {
		if q := timerbenchQueues[i].Load(); q != nil {
			heaped += q.heaped.Load()
		}
	}
	return lost, heaped
}
