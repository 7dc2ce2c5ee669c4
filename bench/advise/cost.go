package advise

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/bench/live"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

// system runs the timers of each class.
type system struct {
	of    [classes]timers
	close func() error
}

type timers interface {
	live.Timers
	live.Mover
}

// form is the kind of timers of a measurement.
type form int

const (
	nothing form = iota // the cost of the replay itself
	ownTimers
	onDriver
	inStructs
)

// open opens a system with n timers of each class. A timer that fires calls fire.
func (f form) open(n int, tick time.Duration, fire func()) (system, error) {
	function := func(int) func() { return fire }
	contender := live.Time()
	switch f {
	case nothing:
		contender = live.Floor()
	case onDriver, inStructs:
		list := catalog.For[driver.Task]()
		i := slices.IndexFunc(list, func(e entry.For[driver.Task]) bool { return e.Name == "auto" })
		contender = live.Drivers(list[i:i+1], []results.Driver{results.Tickless}, []int{0}, tick)[0]
	}
	s, err := contender.Open()
	if err != nil {
		return system{}, err
	}
	out := system{close: s.Close}
	// make returns timers of a form. The contenders of package live can move timers of all forms.
	of := func(form results.Form) timers { return s.Timers(form, n, function).(timers) }
	switch f {
	case nothing:
		t := of(results.FormAfterFunc)
		out.of = [classes]timers{t, t, t}
	case inStructs:
		t := of(results.FormEmbedded)
		out.of = [classes]timers{t, t, make(again, n)}
	default:
		out.of = [classes]timers{of(results.FormAfterFunc), of(results.FormChannel), make(again, n)}
	}
	return out, nil
}

// again holds timers of Go that are made once and set again.
type again []*time.Timer

func (a again) Start(i int, delay time.Duration) {
	if a[i] == nil {
		a[i] = time.AfterFunc(delay, func() {})
		return
	}
	a[i].Reset(delay)
}
func (a again) Stop(i int) bool                       { return a[i].Stop() }
func (a again) Reset(i int, delay time.Duration) bool { return a[i].Reset(delay) }

// ahead is added to all deadlines, so that no timer fires while a trace is replayed at full speed. farthest bounds
// them: beyond it, the delays of package time are centuries.
const ahead, farthest = time.Minute, time.Duration(math.MaxInt64 / 2)

// play makes the calls, one after the other.
func (s system) play(steps []step, tick time.Duration) {
	for _, x := range steps {
		t, i := s.of[x.class], int(x.key)
		switch x.kind {
		case set:
			t.Start(i, delayOf(x, tick))
		case move:
			t.Reset(i, delayOf(x, tick))
		case stop:
			t.Stop(i)
		}
	}
}

func delayOf(x step, tick time.Duration) time.Duration {
	if int64(x.to) > int64(farthest/tick) {
		return farthest
	}
	return ahead + time.Duration(x.to)*tick
}

// contender is a script on timers of a form.
type contender struct {
	form    form
	script  *script
	wakeups uint64
	tick    time.Duration  // of the driver
	calls   []stats.Sample // seconds for the script, by round
	wakes   []stats.Sample // seconds for a wake-up, by round
	bytes   float64
}

// meter measures contenders in turns.
type meter struct {
	tick     time.Duration // of the trace
	resident int           // timers that are pending while the wake-ups are measured
	atOnce   int           // timers that fire at a wake-up
	rounds   int           // at most
	random   *rand.Rand
}

// The rounds of a measurement are chosen: an interval needs several, and the command takes less than half a minute.
const (
	leastRounds = 4
	mostRounds  = 16
	enough      = 12 * time.Second
	leastCPU    = 20 * time.Millisecond // of the calls of a contender in a round
	wakesARound = 40
)

// measure measures the contenders in random order, again and again.
func (m *meter) measure(ctx context.Context, all []*contender) error {
	for _, c := range all {
		if err := m.memory(c); err != nil {
			return err
		}
	}
	began := time.Now()
	for round := 0; round < m.rounds && (round < leastRounds || time.Since(began) < enough); round++ {
		for _, c := range stats.Shuffled(m.random, all) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := m.round(c, round); err != nil {
				return err
			}
		}
	}
	return nil
}

// round measures the calls and the wake-ups of one contender.
func (m *meter) round(c *contender, round int) error {
	runtime.GC() // so that each contender collects its own garbage
	s, err := c.form.open(c.script.Keys, c.tick, func() {})
	if err != nil {
		return err
	}
	var took time.Duration
	n := 0
	for ; took < leastCPU && n < 1000; n++ {
		before := live.CPU()
		s.play(c.script.Steps, m.tick)
		took += live.CPU() - before
		s.play(c.script.Rest, m.tick)
	}
	c.calls = append(c.calls, stats.Sample{Round: round, Value: took.Seconds() / float64(n)})
	if err := s.close(); err != nil || c.form == nothing || c.wakeups == 0 {
		return err
	}
	took, err = m.wake(c)
	c.wakes = append(c.wakes, stats.Sample{Round: round, Value: took.Seconds() / wakesARound})
	return err
}

// wake measures wake-ups at which as many timers fire as in the trace. The process sleeps before each of them.
func (m *meter) wake(c *contender) (time.Duration, error) {
	var left atomic.Int64
	woken := make(chan struct{}, 1)
	s, err := c.form.open(m.atOnce+m.resident, c.tick, func() {
		if left.Add(-1) == 0 {
			woken <- struct{}{}
		}
	})
	if err != nil {
		return 0, err
	}
	t := s.of[own]
	for i := range m.resident {
		t.Start(m.atOnce+i, time.Hour+time.Duration(i))
	}
	before := live.CPU()
	for range wakesARound {
		left.Store(int64(m.atOnce))
		for i := range m.atOnce {
			t.Start(i, time.Millisecond)
		}
		<-woken
	}
	took := live.CPU() - before
	for i := range m.resident {
		t.Stop(m.atOnce + i)
	}
	return took, s.close()
}

// memory measures the heap of the pending timers, when there are most.
func (m *meter) memory(c *contender) error {
	most := c.script.Most
	n := most[own] + most[unread]
	heap := func() float64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		return float64(s.HeapAlloc)
	}
	before := heap()
	s, err := c.form.open(max(1, n), c.tick, func() {})
	if err != nil {
		return err
	}
	if c.form == ownTimers || c.form == onDriver { // the lists of handles belong to the replay
		before = heap()
	}
	for i := range n {
		cl := own
		if i >= most[own] {
			cl = unread
		}
		s.of[cl].Start(i, time.Hour+time.Duration(i)*time.Millisecond)
	}
	c.bytes = max(0, heap()-before)
	for i := range n {
		cl := own
		if i >= most[own] {
			cl = unread
		}
		s.of[cl].Stop(i)
	}
	return s.close()
}
