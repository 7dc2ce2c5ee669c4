package runtime

import (
	"internal/cpu"
	"internal/runtime/atomic"
)

// The kinds of operations on timers.
const (
	timerbenchStarted = iota
	timerbenchMoved
	timerbenchStopped
	timerbenchFired
	timerbenchKinds
)

// timerbenchCounts counts the operations, by P and kind. Only its P writes to a row, without a lock: the lock of the timer
// keeps the goroutine on its P. The last row is for operations without a P of their own, such as those of sysmon.
var timerbenchCounts [1 << 10]struct {
	n [timerbenchKinds]uintptr
	_ cpu.CacheLinePad
}

// timerbenchCount counts an operation on t. The caller holds the lock of t and has not changed its deadline yet. Timers of
// synctest, in virtual time, are left out.
func timerbenchCount(t *timer, kind uint8) {
	if t.isFake {
		return
	}
	if t.when == 0 { // it is not pending
		if kind == timerbenchStopped {
			return
		}
	} else if kind == timerbenchStarted {
		kind = timerbenchMoved
	}
	const last = len(timerbenchCounts) - 1
	if pp := getg().m.p.ptr(); pp != nil && pp.id < int32(last) {
		timerbenchCounts[pp.id].n[kind]++
	} else {
		atomic.Xadduintptr(&timerbenchCounts[last].n[kind], 1)
	}
}

// TimerbenchCounters are the numbers of operations on the timers of Go's runtime, and of timers in its heaps.
type TimerbenchCounters struct {
	Pending uint64 `json:"pending"`         // a channel is in a heap only while a goroutine waits for it
	Dead    uint64 `json:"stopped_in_heap"` // or channels for which nobody waits any more
	Started uint64 `json:"started"`
	Moved   uint64 `json:"moved"`
	Stopped uint64 `json:"stopped"` // before they fired
	Fired   uint64 `json:"fired"`
}

// TimerbenchCount returns the present counters.
func TimerbenchCount() (c TimerbenchCounters) {
	for i := range timerbenchCounts {
		of := func(kind int) uint64 { return uint64(atomic.Loaduintptr(&timerbenchCounts[i].n[kind])) }
		c.Started += of(timerbenchStarted)
		c.Moved += of(timerbenchMoved)
		c.Stopped += of(timerbenchStopped)
		c.Fired += of(timerbenchFired)
	}
	lock(&allpLock)
	for _, pp := range allp {
		if pp != nil {
			dead, all := max(0, pp.timers.zombies.Load()), pp.timers.len.Load()
			c.Dead += uint64(dead)
			c.Pending += uint64(max(0, int64(all)-int64(dead)))
		}
	}
	unlock(&allpLock)
	return c
}
