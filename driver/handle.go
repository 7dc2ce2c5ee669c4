package driver

import (
	"time"

	"github.com/timerbench/timerbench/structures"
)

// Handle names a timer that Schedule has started. It is a value of 16 bytes without a
// pointer, to be copied at will. The zero Handle names none. Once its timer has fired or was stopped
// a Handle is stale: its methods return false and do nothing, whatever other timers
// there are by then.
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

// Reset makes the timer fire once delay has passed from now. It returns false, and
// does nothing, if the timer is not pending.
func (h Handle) Reset(delay time.Duration) bool {
	sh := h.shard.shard()
	if sh == nil {
		return false
	}
	now := sh.clock.soon()
	deadline := sh.clock.deadline(now, delay)
	sh.mu.Lock()
	pending, earlier := sh.reschedule(now, deadline, h.id)
	sh.mu.Unlock()
	if earlier {
		sh.d.alarm.set(deadline)
	}
	return pending
}
