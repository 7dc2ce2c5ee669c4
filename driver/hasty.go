package driver

import (
	"time"

	"github.com/timerbench/timerbench/structures"
)

// A timer that is moved to an earlier time that is far away keeps its place in the structure, and is hasty: its when is
// negative. Most such timers are moved again or stopped before they are due, and further moves change only when, without the
// lock. A pass settles all hasty timers more than haste before the first one is due: it pops them and schedules them again.
const (
	haste    = time.Second / 2
	hastyPer = 32 // timers that are settled in a tick, so that other timers are not late
)

// hastyTimers are the hasty timers of a shard. The lock of the shard guards it.
type hastyTimers struct {
	ids     []structures.ID // in the structure, or 0; the id of a hasty timer is its index here
	free    int             // number of zeros
	last    int             // index of the last zero that was used again
	settled int             // number of the first ids that the pass has made due
}

// hasten moves a timer to an earlier tick, but not in the structure. It reports false if the tick is too near. It
// returns the tick to which the alarm must be set, or never. The lock is held.
func (sh *shard) hasten(t *Timer, old, now int64, deadline structures.Tick) (wake structures.Tick, ok bool) {
	ticks, h := sh.clock.haste, &sh.hasty
	if deadline-sh.clock.ticks(now) < 2*ticks || h.mustGrow() && len(h.ids) >= int(ticks)*hastyPer || sh.marked.Load() ||
		-int64(deadline) < hastiest {
		return never, false
	}
	if old > 0 {
		t.id = h.add(t.id)
	}
	t.when.Store(-int64(deadline))
	if sh.settlesBefore(deadline) {
		return never, true
	}
	sh.settles.Store(int64(deadline - ticks))
	return sh.sooner(deadline - ticks), true
}

// settlesBefore reports whether the hasty timers are settled early enough before a tick.
func (sh *shard) settlesBefore(tick structures.Tick) bool {
	return structures.Tick(sh.settles.Load()) <= tick-sh.clock.haste
}

// mustGrow reports whether few ids are 0. So a search for one costs O(1) on average.
func (h *hastyTimers) mustGrow() bool { return h.free <= len(h.ids)/8 }

func (h *hastyTimers) add(id structures.ID) (index structures.ID) {
	n := len(h.ids)
	if h.mustGrow() {
		h.ids = append(h.ids, id)
		return structures.ID(n)
	}
	for h.ids[h.last] != 0 {
		h.last = (h.last + 1) % n
	}
	h.free--
	h.ids[h.last] = id
	return structures.ID(h.last)
}

// calm makes a timer no longer hasty, whose when is or was a value. The lock is held.
func (sh *shard) calm(t *Timer, when int64) {
	if when < 0 && uint64(t.id) < uint64(len(sh.hasty.ids)) { // or else t was overwritten
		t.id = sh.hasty.remove(t.id)
	}
}

func (h *hastyTimers) remove(index structures.ID) (id structures.ID) {
	id, h.ids[index] = h.ids[index], 0
	h.free++
	return id
}

// settle makes some of the hasty timers due at a tick, where they are scheduled again. The lock is held.
func (sh *shard) settle(at structures.Tick) {
	h := &sh.hasty
	end := min(h.settled+hastyPer, len(h.ids))
	for _, id := range h.ids[h.settled:end] {
		sh.s.Reschedule(id, at)
	}
	if h.settled = end; end == len(h.ids) {
		h.settled = 0
	}
	sh.settles.Store(int64(at + 1))
}

// calmAll notes that no timer is hasty. The lock is held.
func (sh *shard) calmAll() {
	sh.hasty = hastyTimers{}
	sh.settles.Store(int64(never))
}
