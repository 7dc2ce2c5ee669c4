package driver

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// Handle names a timer that Schedule has started. It is a value of 16 bytes without a
// pointer, to be copied at will. The zero Handle names none. Once its timer has fired or
// was stopped a Handle is stale: its methods return false and do nothing, whatever other
// timers there are by then.
type Handle struct {
	shard name
	id    structures.ID
}

// Stop keeps the timer from firing. It returns true if it does so, and the function
// never runs then; false if the timer has fired or was stopped before.
func (h Handle) Stop() bool {
	sh := h.shard.shard()
	if sh == nil {
		return false
	}
	sh.mu.Lock()
	pending, empty := sh.cancel(h.id)
	if pending {
		sh.stopped++
	}
	sh.mu.Unlock()
	if empty {
		sh.d.alarm.relax()
	}
	return pending
}

// Reset makes the timer fire once delay has passed from now, at the next tick at the
// earliest. It returns false, and does nothing, if the timer is not pending.
func (h Handle) Reset(delay time.Duration) bool {
	sh := h.shard.shard()
	if sh == nil {
		return false
	}
	now := sh.clock.soon()
	deadline := sh.clock.reach(after(now, int64(max(delay, 0))))
	sh.mu.Lock()
	pending, wake := sh.reschedule(now, deadline, h.id)
	sh.mu.Unlock()
	if wake != never {
		sh.d.alarm.set(wake, now)
	}
	return pending
}

// name names a shard without pointing to it: a Handle, of which there may be millions, is
// nothing to the garbage collector then. The zero name names none.
type name struct {
	number     uint32
	generation uint32 // how often the number has been given to another shard
}

// names tells which shard a name is that of, as long as a timer is pending there. So it
// keeps no driver that the timer of Go's runtime does not keep.
var names nameTable

type nameTable struct {
	pages [maxNames / namesPerPage]atomic.Pointer[namePage]

	mu   sync.Mutex
	free []name // those of drivers that are gone
	used uint32 // numbers ever given out; 0 is none
}

type namePage [namesPerPage]atomic.Pointer[shard]

const (
	maxNames     = 1 << 22
	namesPerPage = 1 << 10
)

// give gives each shard a name.
func (t *nameTable) give(shards []shard) ([]name, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.free)+maxNames-1-int(t.used) < len(shards) {
		return nil, fmt.Errorf("driver: more than %d shards in use", maxNames-1)
	}
	given := make([]name, len(shards))
	for i := range shards {
		if n := len(t.free); n > 0 {
			given[i] = t.free[n-1]
			t.free = t.free[:n-1]
		} else {
			t.used++
			given[i].number = t.used
			if page := &t.pages[t.used/namesPerPage]; page.Load() == nil {
				page.Store(new(namePage))
			}
		}
		given[i].generation++
		shards[i].name = given[i]
	}
	return given, nil
}

// take takes the names of shards back that are gone. One whose generations are used up is
// not given out again.
func (t *nameTable) take(given []name) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range given {
		if n.generation+1 != 0 {
			t.free = append(t.free, n)
		}
	}
}

// show makes a shard known by its name, and hide makes it unknown.
func (sh *shard) show() { names.entry(sh.name).Store(sh) }
func (sh *shard) hide() { names.entry(sh.name).Store(nil) }

// entry returns where the shard of a name stands, or nil for one that was never given.
func (t *nameTable) entry(n name) *atomic.Pointer[shard] {
	page := t.pages[n.number/namesPerPage%uint32(len(t.pages))].Load()
	if page == nil {
		return nil
	}
	return &page[n.number%namesPerPage]
}

// shard returns the shard of a name, or nil if no timer is pending there.
func (n name) shard() *shard {
	entry := names.entry(n)
	if entry == nil {
		return nil
	}
	sh := entry.Load()
	if sh == nil || sh.name != n {
		return nil
	}
	return sh
}
