package schedtest

import (
	"math"
	"math/rand/v2"

	"github.com/timerbench/timerbench/structures"
)

// hold is a structure with 1000 timers, each scheduled again when it fires, for faults
// that show once in a hundred thousand operations. It checks each timer that fires
// against what it was scheduled with, without a model, which would take too long.
type hold struct {
	reporter
	*config
	s     structures.Scheduler[uint64]
	rng   *rand.Rand
	clock structures.Tick
	calls uint64 // of Schedule and Reschedule

	timers [residents]struct {
		id              structures.ID
		deadline, since structures.Tick // since: the clock at the last call
		call            uint64          // the number of the last call
	}
}

// deadline returns a tick of the next 64, so that many timers have the same one, or now
// and then one up to 2^20 ticks away.
func (h *hold) deadline() structures.Tick {
	if h.rng.IntN(16) == 0 {
		return h.clock + 1 + structures.Tick(h.rng.Uint32()>>12>>h.rng.IntN(20))
	}
	return h.clock + 1 + structures.Tick(h.rng.IntN(64))
}

func (h *hold) set(i int, deadline structures.Tick) {
	t := &h.timers[i]
	h.calls++
	t.deadline, t.since, t.call = deadline, h.clock, h.calls
}

func (h *hold) schedule(i int) {
	h.set(i, h.deadline())
	h.timers[i].id = h.s.Schedule(h.timers[i].deadline, uint64(i))
}

// disturb moves a timer, or cancels it and schedules another one.
func (h *hold) disturb() {
	h.Helper()
	i := h.rng.IntN(residents)
	id, ok := h.timers[i].id, false
	if h.rng.IntN(2) == 0 {
		h.set(i, h.deadline())
		ok = h.s.Reschedule(id, h.timers[i].deadline)
	} else {
		ok = h.s.Cancel(id)
		h.schedule(i)
	}
	if !ok {
		h.Fatalf("rule %q broken: Cancel or Reschedule of the pending timer %#x = false, want true", "Identity", id)
	}
}

// fired checks a timer that fired at the clock, which is the tick that Next has named,
// after a timer with the given deadline and call.
func (h *hold) fired(t structures.Timer[uint64], deadline structures.Tick, call uint64) {
	h.Helper()
	if t.Value >= residents {
		h.Fatalf("rule %q broken: Pop(%d) = %+v, whose value was never scheduled", "Identity", h.clock, t)
	}
	switch want := &h.timers[t.Value]; {
	case t.ID != want.id || t.Deadline != want.deadline:
		h.Fatalf("rule %q broken: Pop(%d) = %+v, but that value belongs to ID %#x, deadline %d",
			"Identity", h.clock, t, want.id, want.deadline)
	case t.Deadline > h.clock:
		h.Fatalf("rule %q broken: Pop(%d) = %+v: never early", "Order", h.clock, t)
	case h.exact() && t.Deadline < h.clock:
		h.Fatalf("rule %q broken: Pop(%d) = %+v, but Next had named tick %d: no timer is due before it", "Next", h.clock, t, h.clock)
	case !h.exact() && h.clock > add(t.Deadline, h.maxLate(t.Deadline-want.since)):
		h.Fatalf("rule %q broken: Pop(%d) = %+v, scheduled at tick %d: it fires too late", "Order", h.clock, t, want.since)
	case h.ties() && t.Deadline == deadline && want.call < call:
		h.Fatalf("rule %q broken: Pop(%d) = %+v, scheduled before the timer that fired before it: equal deadlines are declared FIFO",
			"Order", h.clock, t)
	}
}

// fire pops until nothing is due, and schedules each timer again. After each it asks
// Next, which must name a tick after the clock exactly if nothing is due any more.
func (h *hold) fire() (fired int) {
	h.Helper()
	next := h.clock
	deadline, call := structures.Tick(math.MinInt64), uint64(0)
	for {
		t, ok := h.s.Pop(h.clock)
		if fired > 0 && ok != (next <= h.clock) {
			h.Fatalf("rule %q broken: Pop(%d) = %+v, %t, but Next had named tick %d", "Next", h.clock, t, ok, next)
		}
		if !ok {
			break
		}
		h.fired(t, deadline, call)
		deadline, call = t.Deadline, h.timers[t.Value].call
		h.schedule(int(t.Value))
		next, _ = h.s.Next()
		fired++
	}
	if again, _ := h.s.Next(); fired > 0 && h.exact() && h.levels == 0 && again != next {
		h.Fatalf("rule %q broken: Next() = %d, and before that %d, and nothing has changed", "Next", again, next)
	}
	return fired
}

func orderLongHold(r reporter, c *config) {
	r.Helper()
	h := &hold{reporter: r, config: c, s: c.new(), rng: rand.New(rand.NewPCG(43, 47))}
	for i := range residents {
		h.schedule(i)
	}
	idle := 0
	for fires := 0; fires < c.amount(1_000_000, 110_000); {
		h.disturb()
		at, ok := h.s.Next()
		if !ok || at <= h.clock {
			h.Fatalf("rule %q broken: Next() = %d, %t at tick %d with %d timers pending, want a tick after that", "Next", at, ok, h.clock, residents)
		}
		h.clock = at
		fired := h.fire()
		if idle++; fired > 0 {
			idle = 0
		}
		if idle > residents*c.levels || idle > 0 && c.levels == 0 && c.exact() {
			h.Fatalf("rule %q broken: nothing has fired at the last %d ticks that Next has named, the last one %d", "Next", idle, at)
		}
		fires += fired
	}
	if n := h.s.Len(); n != residents {
		h.Fatalf("rule %q broken: Len() = %d, want %d", "Len", n, residents)
	}
	for i := range h.timers {
		if t := h.timers[i]; c.exact() && t.deadline <= h.clock || !h.s.Cancel(t.id) {
			h.Fatalf("rule %q broken: ID %#x with deadline %d has not fired at tick %d, or is not pending: never lost", "Order", t.id, t.deadline, h.clock)
		}
	}
}

// identityManyReuses uses a slot so often that a generation of 16 bits comes round, in
// steps of one or of two. It tries an ID that is as old as that, each time that the slot
// is taken.
func identityManyReuses(r reporter, c *config) {
	r.Helper()
	const wrap = 1 << 16
	s := c.new()
	var ids [2 * wrap]structures.ID
	for i := range ids {
		ids[i] = s.Schedule(structures.Tick(1+i%100), uint64(i))
		for _, age := range []int{1, wrap / 2, wrap} {
			if i < age {
				continue
			}
			if stale := ids[i-age]; s.Cancel(stale) || s.Reschedule(stale, 1) {
				r.Fatalf("rule %q broken: ID %#x names a timer again, %d timers after its own was cancelled", "Identity", stale, age)
			}
		}
		if !s.Cancel(ids[i]) {
			r.Fatalf("rule %q broken: Cancel(%#x) = false, want true: it is pending", "Identity", ids[i])
		}
	}
}
