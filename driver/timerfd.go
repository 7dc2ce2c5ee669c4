package driver

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/timerbench/timerbench/driver/internal/machine"
	"github.com/timerbench/timerbench/structures"
)

// timerfd is a timer of the system that wakes all precise drivers of a process. A process that sleeps wakes up at once
// when it rings, but only after a whole number of milliseconds for a timer of Go's runtime. While no processor is idle,
// it rings up to tens of milliseconds late, because then the runtime seldom asks its poller. So each alarm has a bell as
// well, which makes sure that a pass begins. A bell that is on time costs more than the timerfd, so it rings later, and
// one bell serves many alarms. If a bell rings first, the processors are busy: then bells are on time for a second, and
// until the timerfd rings first again. That the timerfd is late says nothing: it is after each pause of a virtual machine.
type timerfd struct {
	boot bool // goes on during a suspend

	mu     sync.Mutex
	system *machine.Timerfd // nil while there are no users
	users  []*client
	at     int64 // when system rings; math.MaxInt64: never

	busy atomic.Int64 // bells are on time until then, and until the timerfd rings first; 0: they are not
}

const (
	// far is the longest wait for which the timerfd is set, except with Boottime. After a longer one, a bell rings first,
	// earlier by more than bells are late.
	far, farEarly = time.Second, 2 * time.Millisecond
	// near is the longest wait after which the bell may ring later than the timerfd, and nearLate how much later.
	near, nearLate = 8 * time.Millisecond, 10 * time.Millisecond
	// busyLate is how late the timerfd must be to count as late, and busyFor is for how long bells are on time afterwards.
	busyLate, busyFor = time.Millisecond, time.Second
	// From a pass until the timerfd rings, at least apartMin passes, or two ticks. It becomes apartMax, or eight ticks, if
	// a timer is always due before: that saves wake-ups.
	apartMin, apartMax = 200 * time.Microsecond, 800 * time.Microsecond
)

var (
	uptime       = sync.OnceValues(machine.Uptime)
	processStart = time.Now()
	timerfds     = [2]timerfd{{}, {boot: true}}
)

// client is an alarm that uses a timerfd, which does not keep it in memory. The lock of the timerfd guards it.
type client struct {
	*timerfd
	alarm weak.Pointer[alarm]
	start int64 // of the clock of the alarm
	user  bool  // changed under the lock of the alarm, too
	tick  structures.Tick
	rings int64 // when the timerfd rings for tick; math.MaxInt64: it has rung
}

func newClient(d *Driver) *client {
	c := &client{timerfd: &timerfds[0], alarm: weak.Make(&d.alarm), start: int64(d.clock.start.Sub(processStart))}
	if d.clock.uptime != nil {
		c.timerfd, c.start = &timerfds[1], d.clock.booted
	}
	runtime.AddCleanup(d, (*client).leave, c)
	return c
}

// set makes the timerfd ring for a tick at a time of the alarm's clock. It reports false if the system does not offer it.
func (c *client) set(tick structures.Tick, at int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.user {
		if c.system == nil {
			system, err := machine.NewTimerfd(c.boot)
			if err != nil {
				return false
			}
			c.system, c.at = system, math.MaxInt64
			go system.Wait(c.ring)
		}
		c.user = true
		c.users = append(c.users, c)
	}
	c.tick, c.rings = tick, after(c.start, at)
	c.reset(c.rings, c.now())
	return true
}

// leave is called when the driver is closed or collected.
func (c *client) leave() {
	c.mu.Lock()
	var unused *machine.Timerfd
	if c.user {
		c.user, c.users = false, slices.DeleteFunc(c.users, func(other *client) bool { return other == c })
		if len(c.users) == 0 {
			unused, c.system = c.system, nil
		}
	}
	c.mu.Unlock()
	if unused != nil {
		unused.Close() // waits for ring, which locks
	}
}

// now returns the time, in ns.
func (t *timerfd) now() int64 {
	if t.boot {
		now, _ := uptime()
		return now()
	}
	return int64(time.Since(processStart))
}

// reset makes the timer of the system ring at a time or before. The lock is held.
func (t *timerfd) reset(at, now int64) {
	if t.system != nil && at < t.at {
		t.at = at
		_ = t.system.Set(time.Duration(max(1, t.at-now))) // or else the bells ring
	}
}

// ring is called when the timer of the system rings.
func (t *timerfd) ring() {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if t.at <= now {
		t.at = math.MaxInt64
	}
	next := int64(math.MaxInt64)
	for _, c := range t.users {
		if c.rings <= now {
			c.rings = math.MaxInt64
			if a := c.alarm.Value(); a != nil {
				go a.rung(c.tick)
			}
		}
		next = min(next, c.rings)
	}
	t.reset(next, now)
}

// rung is called when the timerfd has rung for a tick.
func (a *alarm) rung(tick structures.Tick) {
	a.mu.Lock()
	if a.fdAt == tick {
		a.fdAt = never
	}
	needed := int64(tick) >= a.at.Load()
	t := a.client
	a.mu.Unlock()
	if !needed {
		return
	}
	if until := t.busy.Load(); until > 0 && until < t.now() {
		t.busy.Store(0)
	}
	a.wake()
}

// setTimerfd makes the timerfd ring at a tick or before. It returns when, and when a bell must ring at the latest, or false
// if the system refuses. The lock is held.
func (a *alarm) setTimerfd(tick structures.Tick, now int64) (at, bell structures.Tick, ok bool) {
	begin := a.clock.begin(tick)
	wait := time.Duration(begin - now)
	if wait > far && !a.client.boot {
		return tick, a.clock.ticks(begin - int64(farEarly)), true
	}
	if a.fdAt > tick || a.fdAt <= a.served {
		least := a.clock.begin(a.served) + a.apart
		if begin < least {
			a.apart = min(a.apart*5/4, int64(apartMax), 8*a.clock.tick)
		} else {
			a.apart = max(a.apart/2, min(int64(apartMin), 2*a.clock.tick))
		}
		if !a.client.set(tick, max(begin, least)) {
			return 0, 0, false
		}
		a.fdAt = tick
	}
	if wait > near || a.client.busy.Load() > 0 {
		return a.fdAt, a.fdAt, true
	}
	return a.fdAt, a.clock.reach(a.clock.begin(a.fdAt) + int64(nearLate)).tick, true
}

// bellRang notes that the processors are busy if the timerfd should have rung before a bell. The lock is held.
func (a *alarm) bellRang() {
	if a.client == nil || a.fdAt <= a.served || a.fdAt == never {
		return
	}
	if late := time.Duration(a.clock.now() - a.clock.begin(a.fdAt)); late > busyLate {
		a.client.busy.Store(a.client.now() + int64(busyFor))
	}
}

// kind names the alarm that is in use. The lock is held.
func (a *alarm) kind() string {
	if a.client != nil && a.client.user {
		return "timerfd"
	}
	return "time.Timer"
}
