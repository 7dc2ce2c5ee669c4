package driver

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// Handle names a timer that Schedule has started. It is a value of 16 bytes without a pointer, and may be
// copied. The zero Handle names no timer. When its timer has fired or was stopped, a Handle is stale: its
// methods return false and do nothing, whatever timers have been started since.
type Handle struct {
	ref shardRef
	id  structures.ID
}

// Stop prevents the timer from firing. It returns true if the timer was pending, and its function
// then never runs. It returns false if the function has begun or the timer was stopped before.
func (h Handle) Stop() bool {
	sh := h.ref.shard()
	if sh == nil {
		return false
	}
	sh.lock()
	pending := sh.cancel(h.id)
	if pending && sh.watch != nil {
		sh.watch.noteEnd(recordStop, timerKey{id: h.id})
	}
	pending = pending || h.id != 0 && sh.d.pool.takeHandle(handled{sh, h.id})
	sh.unlockStopped(pending)
	return pending
}

// Reset makes the timer fire after delay from now, at the next tick at the earliest. If the timer is due, or not pending,
// Reset does nothing and returns false.
func (h Handle) Reset(delay time.Duration) bool {
	sh := h.ref.shard()
	if sh == nil {
		return false
	}
	now := sh.clock.soon()
	deadline := sh.clock.reach(after(now, int64(max(delay, 0))))
	sh.lock()
	pending, wake := sh.reschedule(now, deadline.tick, h.id)
	if pending && sh.watch != nil {
		sh.watch.noteMove(timerKey{id: h.id}, deadline.at-now)
		sh.watch.countMoved()
	}
	sh.unlock(wake, now)
	return pending
}

// shardRef refers to a shard by number instead of by pointer, so that the garbage collector need
// not scan Handles, of which there may be millions. The zero shardRef refers to no shard.
type shardRef struct {
	number     uint32
	generation uint32 // how often another shard has had the number
}

// refs maps a shardRef to its shard while a timer is pending there, and so keeps the driver in memory. A shard without timers
// stays until the next garbage collection, so that starting and stopping an only timer changes nothing here.
var refs refTable

type refTable struct {
	pages [maxRefs / refsPerPage]atomic.Pointer[refPage]

	mu   sync.Mutex
	free []shardRef // of drivers that are gone
	used uint32     // numbers ever given out; 0 is none

	sweeps atomic.Bool // sweep will be called
}

type refPage [refsPerPage]atomic.Pointer[shard]

const (
	maxRefs     = 1 << 22
	refsPerPage = 1 << 10
)

func (t *refTable) allocate(shards []shard) ([]shardRef, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.free)+maxRefs-1-int(t.used) < len(shards) {
		return nil, fmt.Errorf("driver: more than %d shards in use", maxRefs-1)
	}
	given := make([]shardRef, len(shards))
	for i := range shards {
		if n := len(t.free); n > 0 {
			given[i] = t.free[n-1]
			t.free = t.free[:n-1]
		} else {
			t.used++
			given[i].number = t.used
			if page := &t.pages[t.used/refsPerPage]; page.Load() == nil {
				page.Store(new(refPage))
			}
		}
		given[i].generation++
		shards[i].ref = given[i]
	}
	return given, nil
}

// release takes back the references to shards that no longer exist. A number with no generation
// left is not used again.
func (t *refTable) release(given []shardRef) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range given {
		if r.generation+1 != 0 {
			t.free = append(t.free, r)
		}
	}
}

// publish enters the shard into refs. The lock is held.
func (sh *shard) publish() {
	sh.published = true
	refs.entry(sh.ref).Store(sh)
}

// sweepLater calls sweep after the next garbage collection.
func (t *refTable) sweepLater() {
	if !t.sweeps.Load() && t.sweeps.CompareAndSwap(false, true) {
		runtime.AddCleanup(new(*shard), (*refTable).sweep, t) // it is garbage
	}
}

// sweep removes the shards without timers. The others drop the timers that were stopped.
func (t *refTable) sweep() {
	t.sweeps.Store(false)
	t.mu.Lock()
	used := t.used
	t.mu.Unlock()
	for n := range used {
		entry := t.entry(shardRef{number: n + 1})
		if sh := entry.Load(); sh != nil {
			sh.emptyBoxes()
			sh.mu.Lock()
			switch {
			case sh.pending > 0:
			case !sh.d.pool.isEmpty():
				t.sweepLater() // its Handles can stop functions that wait
			default:
				sh.published = false
				entry.Store(nil)
			}
			sh.mu.Unlock()
		}
	}
}

// entry returns the table entry of a reference, or nil for a number that was never allocated.
func (t *refTable) entry(r shardRef) *atomic.Pointer[shard] {
	page := t.pages[r.number/refsPerPage%uint32(len(t.pages))].Load()
	if page == nil {
		return nil
	}
	return &page[r.number%refsPerPage]
}

// shard returns the shard of r, or nil if no timer is pending there.
func (r shardRef) shard() *shard {
	entry := refs.entry(r)
	if entry == nil {
		return nil
	}
	if sh := entry.Load(); sh != nil && sh.ref == r {
		return sh
	}
	return nil
}
