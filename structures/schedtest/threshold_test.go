package schedtest

import (
	pq "container/heap"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

func optionsOf(e entry.Entry) (opts []Option) {
	if e.Ties == entry.FIFO {
		opts = append(opts, FIFO())
	}
	if e.MaxLate != nil {
		opts = append(opts, Coarse(e.MaxLate))
	}
	if e.Allocates {
		opts = append(opts, Allocates())
	}
	return opts
}

// In its long form this test passes half a million dead entries in each structure that cancels lazily.
func TestManyTimersInEveryStructure(t *testing.T) {
	for _, e := range append(catalog.All(), catalog.Intrusive()...) {
		t.Run(e.Name, func(t *testing.T) {
			n := longtest.Scale(t, 2000, 8000, 5<<18)
			if e.Limit > 0 {
				n = min(n, e.Limit)
			}
			Many(t, n, e.New, optionsOf(e)...)
		})
	}
}

// Structures have pages for 4096 timers, and some change their form at 8192, 12,000 or 16,384 timers.
func TestEveryStructurePastItsThresholds(t *testing.T) {
	all := longtest.Scale(t, 0, 0, 1) == 1
	for _, e := range append(catalog.All(), catalog.Intrusive()...) {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			timers, opts := 4500, append(optionsOf(e), scaleFor(t), Levels(11)) // or fewer levels
			switch {
			case e.Limit > 0:
				timers = 1000
			case all || slices.Contains([]string{"auto", "hwheel-list", "intrusive-hwheel", "ladder", "octheap"}, e.Name):
				timers = 17_000
			case e.Name == "quadheap":
				timers = 9000
			}
			thresholds(t, newConfig(e.New, opts), timers)
		})
	}
}

func TestWhatChangesAtAThresholdIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		new  func() scheduler
		opts []Option
		says string // none: nothing is reported
	}{
		"sound": {new: newModel, opts: []Option{FIFO()}},
		"Next is late while the form changes": {says: "has to have fired", opts: []Option{Levels(4)}, new: newFaulty(asked(func(s *faulty, at tick, ok bool) (tick, bool) {
			if s.Len() == 900 {
				at++
			}
			return at, ok
		}))},
		"far timers are lost after a crowd has gone": {says: "has to have fired", opts: []Option{Levels(4)}, new: newFaulty(faulty{schedule: func(s *faulty, at tick, v uint64) id {
			switch {
			case s.Len() > 900:
				s.n = 1
			case s.Len() == 0 && s.n == 1:
				s.n = 2
			}
			if s.n == 2 && at-s.Clock > 256 {
				at += 1 << 60
			}
			return s.Model.Schedule(at, v)
		}})},
		"ties are LIFO in a crowd": {says: "FIFO", opts: []Option{FIFO()}, new: newFaulty(faulty{pop: func(s *faulty, now tick) (timer, bool) {
			if s.Len() > 900 {
				return lifo.pop(s, now)
			}
			return s.Model.Pop(now)
		}})},
		"Next is ok when empty": {says: "exactly when", new: newFaulty(asked(func(_ *faulty, at tick, _ bool) (tick, bool) { return at, true }))},
	} {
		got := strings.Join(record(func(r reporter) { thresholds(r, newConfig(c.new, append(c.opts, inShort)), 1000) }), "\n")
		if (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: reported %q, want %q", name, got, c.says)
		}
	}
}

// thresholds grows structures past their thresholds, drains them, refills them with a few timers and drains them again.
// A timer that one form of a structure files where another does not look makes Next late, so Next is compared with the
// earliest deadline at almost each step.
func thresholds(r reporter, c *config, timers int) {
	between := func(least, most tick) func(*rand.Rand) tick { // none is in a slot of few ticks
		return func(rng *rand.Rand) tick { return least + tick(rng.Int64N(int64(most-least))) }
	}
	watched := *c
	watched.new = func() scheduler { return &watch{scheduler: c.new(), reporter: r, config: c, live: make(map[id]uint64)} }
	for life, delays := range [][]func(*rand.Rand) tick{
		{between(1<<20, 1<<21), anyDelay}, {between(5000, 65_000), oftenNear(4)},
		{between(1<<30, 1<<31), between(1<<20, 1<<20+300)}, {oftenNear(60_000), anyDelay},
	}[:c.amount(4, 2)] {
		m := newCrowd(r, &watched, timers)
		for at, delay := range delays {
			m.deadline = delay
			m.grow(timers-m.rng.IntN(timers/32), at > 0)
			m.shrink([]int{0, 8, 1}[(life+at)%3])
			m.deadline = anyDelay
			m.grow(1+m.rng.IntN(timers/64), true)
			m.shrink(0)
		}
	}
	due := stopEarlyAndGrow
	due.programs, due.room = 1, timers
	due.check(r, c)
}

// grow schedules the first n timers. It moves and cancels some of them on the way and, if time passes, fires some.
func (m *crowd) grow(n int, passes bool) {
	for i := 0; i < n; i++ {
		m.schedule(i)
		switch dice := m.rng.IntN(256); {
		case i < 64:
			continue
		case i == 64:
			m.audit() // before Next, which may never end if a timer is lost
		case dice == 0 && passes:
			m.drain(m.next(), true)
		case dice == 1 && passes:
			m.drain(m.clock+tick(m.rng.IntN(2000)), true)
		case dice < 16:
			m.cancel(i)
			i--
		case dice < 64:
			m.reschedule(m.rng.IntN(i+1), m.clock+m.deadline(m.rng))
		}
		m.ask()
	}
	m.audit()
	m.mustHold(n)
}

// shrink cancels all timers if ways is 1, or cancels, moves and fires them if it is more. Then it fires the rest by Next.
func (m *crowd) shrink(ways int) {
	for _, i := range m.rng.Perm(len(m.timers)) {
		if m.timers[i].id == 0 || ways == 0 {
			continue
		}
		switch m.rng.IntN(ways) {
		case 1:
			m.drain(m.next(), false)
		case 2:
			m.drain(m.clock+1<<m.rng.IntN(16), false)
		case 3:
			m.reschedule(i, m.clock+m.deadline(m.rng))
		default:
			m.cancel(i)
		}
		m.ask()
	}
	for left := m.s.Len() * (m.levels + 1); m.s.Len() > 0; left-- {
		if left == 0 {
			violated(m, "Next", "%d timers are pending after %d steps for each timer by Next", m.s.Len(), m.levels+1)
		}
		m.drain(m.next(), false)
	}
	m.s.Next()
	m.audit()
}

// ask asks Next seven times out of eight, since an operation may do other things if Next did not come before it.
func (m *crowd) ask() {
	if m.rng.IntN(8) > 0 {
		m.s.Next()
	}
}

// watch is a scheduler whose Next is compared with the earliest deadline.
type watch struct {
	scheduler
	reporter
	*config
	clock tick
	calls uint64
	live  map[id]uint64 // the last call of Schedule or Reschedule for each pending timer
	due   dues
}

func (w *watch) set(i id, at tick) {
	w.calls++
	w.live[i] = w.calls
	pq.Push(&w.due, due{w.fireBy(at, w.clock), i, w.calls})
}

func (w *watch) Schedule(at tick, v uint64) id {
	i := w.scheduler.Schedule(at, v)
	w.set(i, at)
	return i
}

func (w *watch) Reschedule(i id, at tick) bool {
	ok := w.scheduler.Reschedule(i, at)
	w.set(i, at)
	return ok
}

func (w *watch) Cancel(i id) bool {
	delete(w.live, i)
	return w.scheduler.Cancel(i)
}

func (w *watch) Pop(now tick) (timer, bool) {
	w.clock = max(w.clock, now)
	t, ok := w.scheduler.Pop(now)
	delete(w.live, t.ID)
	return t, ok
}

func (w *watch) Next() (tick, bool) {
	at, ok := w.scheduler.Next()
	for len(w.due) > 0 && w.live[w.due[0].id] != w.due[0].call {
		pq.Pop(&w.due)
	}
	switch {
	case ok != (len(w.live) > 0):
		violated(w, "Next", "Next() = %d, %t with %d timers pending: ok exactly when there is one", at, ok, len(w.live))
	case ok && (at > w.due[0].by || at < w.due[0].by && w.levels == 0 && w.exact()):
		violated(w, "Next", "Next() = %d, but the first of %d timers has to have fired by %d", at, len(w.live), w.due[0].by)
	}
	return at, ok
}

func (w *watch) CheckInvariants() error {
	if c, ok := w.scheduler.(Checked); ok {
		return c.CheckInvariants()
	}
	return nil
}

// dues is a heap of calls of Schedule and Reschedule, and of the ticks by which their timers have to have fired.
type dues []due

type due struct {
	by   structures.Tick
	id   structures.ID
	call uint64
}

func (d dues) Len() int           { return len(d) }
func (d dues) Less(i, j int) bool { return d[i].by < d[j].by }
func (d dues) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }
func (d *dues) Push(x any)        { *d = append(*d, x.(due)) }
func (d *dues) Pop() any          { *d = (*d)[:len(*d)-1]; return nil }
