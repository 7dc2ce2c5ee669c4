package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// TimerbenchRecord is an operation on a timer that was not made by the garbage collector.
type TimerbenchRecord struct {
	Now   int64 // nanotime
	When  int64 // the deadline after the operation; 0: none
	Timer uintptr
	PC    uintptr // timerbenchSet: who asked for it, outside of the packages below
	Kind  uint8
	// Pending says that the timer was pending before.
	Pending bool
}

// The kinds, as package timerbench/trace numbers them.
const (
	timerbenchSet = iota
	timerbenchStop
	timerbenchFire
)

// timerbenchSize is the number of records of a ring: 1.3 MB. It is chosen: a P that does
// nothing but set timers fills it in 5 ms.
const timerbenchSize = 1 << 15

// A timerbenchRing holds what was done on a P and is not yet read. Its P writes, without a
// lock, since a P does one operation at a time: each holds the lock of its timer.
type timerbenchRing struct {
	head   atomic.Uint64 // records written
	lost   atomic.Uint64 // records for which there was no room
	heaped atomic.Uint64 // timers put into the heap
	inside [256]struct {
		pc uintptr
		is bool
	} // a cache of timerbenchInside
	_       [64]byte
	tail    atomic.Uint64 // records read
	_       [64]byte
	records [timerbenchSize]TimerbenchRecord
}

var (
	timerbenchOn      atomic.Bool
	timerbenchStarted int64
	timerbenchRings   [1024]atomic.Pointer[timerbenchRing] // by P
	timerbenchLost    atomic.Uint64                        // records of a P without a ring
	timerbenchNote    note
	timerbenchWaits   atomic.Uint32 // 1: TimerbenchWait waits for the note
)

// The recording begins before the init of any other package.
func init() {
	if gogetenv("TIMERBENCH_TRACE") != "" {
		timerbenchGrow()
		timerbenchStarted = nanotime()
		timerbenchOn.Store(true)
	}
}

// timerbenchGrow makes a ring for each P that has none.
func timerbenchGrow() {
	for i := range min(int(gomaxprocs), len(timerbenchRings)) {
		if timerbenchRings[i].Load() == nil {
			timerbenchRings[i].Store(new(timerbenchRing))
		}
	}
}

// timerbenchOwn returns the ring of this P, or nil. The caller holds a lock.
func timerbenchOwn() *timerbenchRing {
	pp := getg().m.p.ptr()
	if pp == nil || int(pp.id) >= len(timerbenchRings) {
		return nil
	}
	return timerbenchRings[pp.id].Load()
}

// timerbenchRecord records that t gets the deadline when. The caller holds t's lock and has
// not changed the deadline yet. Timers of synctest, in virtual time, are left out.
func timerbenchRecord(t *timer, kind uint8, when int64) {
	if t.isFake {
		return
	}
	r := timerbenchOwn()
	if r == nil {
		timerbenchLost.Add(1)
		return
	}
	head := r.head.Load()
	used := head - r.tail.Load()
	if used == timerbenchSize {
		r.lost.Store(r.lost.Load() + 1)
		return
	}
	to := &r.records[head%timerbenchSize]
	to.Now, to.When, to.Timer, to.PC = nanotime(), when, uintptr(unsafe.Pointer(t)), 0
	to.Kind, to.Pending = kind, t.when > 0
	if kind == timerbenchSet {
		to.PC = r.site(t)
	}
	r.head.Store(head + 1)
	if used >= timerbenchSize/2 && timerbenchWaits.CompareAndSwap(1, 0) {
		notewakeup(&timerbenchNote)
	}
}

// timerbenchHeap counts that a timer is put into the heap of Go's runtime.
func timerbenchHeap(t *timer) {
	if r := timerbenchOwn(); r != nil && !t.isFake {
		r.heaped.Store(r.heaped.Load() + 1)
	}
}

// site returns the innermost return address on the stack that is not in packages whose job
// timers are, or 0.
func (r *timerbenchRing) site(t *timer) uintptr {
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
			if !r.isInside(pc) {
				return pc
			}
		}
		return 0
	}
	// Frames of C, which may have no frame pointers, are on another stack.
	for i := 0; i < depth && gp.stack.lo <= fp && fp < gp.stack.hi; i++ {
		pc := *(*uintptr)(unsafe.Pointer(fp + unsafe.Sizeof(fp)))
		if pc == 0 || !r.isInside(pc) {
			return pc
		}
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	return 0
}

// isInside returns timerbenchInside for the function that holds a return address.
func (r *timerbenchRing) isInside(pc uintptr) bool {
	known := &r.inside[(pc^pc>>8)%uintptr(len(r.inside))]
	if known.pc != pc {
		known.pc, known.is = pc, timerbenchInside(funcname(findfunc(pc-1)))
	}
	return known.is
}

// timerbenchInside reports whether a function belongs to a package whose job timers are.
func timerbenchInside(function string) bool {
	for _, p := range [...]string{"runtime.", "time.", "net.", "context.", "internal/poll.", "os."} {
		if len(function) > len(p) && function[:len(p)] == p {
			return true
		}
	}
	return false
}

// TimerbenchSite returns the place in the program of a PC of a record. Of functions that the
// compiler has inlined into each other, it is the innermost outside.
func TimerbenchSite(pc uintptr) (function, file string, line int) {
	u, at := newInlineUnwinder(findfunc(pc-1), pc-1)
	for at.valid() {
		function = u.srcFunc(at).name()
		file, line = u.fileLine(at)
		if !timerbenchInside(function) {
			break
		}
		at = u.next(at)
	}
	return function, file, line
}

// TimerbenchOn reports whether what timers do is recorded, and since when, by nanotime.
func TimerbenchOn() (since int64, on bool) { return timerbenchStarted, timerbenchOn.Load() }

// TimerbenchStop ends the recording. What is recorded can still be read.
func TimerbenchStop() (now int64) {
	timerbenchOn.Store(false)
	if timerbenchWaits.CompareAndSwap(1, 0) {
		notewakeup(&timerbenchNote)
	}
	return nanotime()
}

// TimerbenchWait waits for so many nanoseconds, or until a ring is half full or the
// recording ends. It needs no timer.
func TimerbenchWait(ns int64) {
	noteclear(&timerbenchNote)
	timerbenchWaits.Store(1)
	if timerbenchOn.Load() {
		notetsleepg(&timerbenchNote, ns)
	}
	if !timerbenchWaits.CompareAndSwap(1, 0) {
		notetsleepg(&timerbenchNote, -1) // somebody is about to wake it
	}
	timerbenchGrow()
}

// TimerbenchRead moves records to buf, oldest first, and returns their number. Records of one
// timer are always in order: an earlier one was written before the lock of the timer was
// free, so before the later one. It is for one goroutine at a time.
func TimerbenchRead(buf []TimerbenchRecord) int {
	now := nanotime()
	for n := range buf {
		var from *timerbenchRing
		var oldest *TimerbenchRecord
		for i := range timerbenchRings {
			r := timerbenchRings[i].Load()
			if r == nil {
				break
			}
			tail := r.tail.Load()
			if tail == r.head.Load() {
				continue
			}
			rec := &r.records[tail%timerbenchSize]
			if rec.Now <= now && (oldest == nil || rec.Now < oldest.Now) {
				from, oldest = r, rec
			}
		}
		if oldest == nil {
			return n
		}
		buf[n] = *oldest
		from.tail.Store(from.tail.Load() + 1)
	}
	return len(buf)
}

// TimerbenchTotals returns how many operations were lost and how often a timer was put into
// the heap of Go's runtime.
func TimerbenchTotals() (lost, heaped uint64) {
	lost = timerbenchLost.Load()
	for i := range timerbenchRings {
		if r := timerbenchRings[i].Load(); r != nil {
			lost += r.lost.Load()
			heaped += r.heaped.Load()
		}
	}
	return lost, heaped
}
