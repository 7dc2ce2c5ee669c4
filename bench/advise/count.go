package advise

import (
	"cmp"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/price"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// Change is a change to what a program does with its timers. The zero Change is the present.
type Change struct {
	Lazy   bool          // a move to a later deadline makes no call: the timer is moved once, at its old deadline
	Tick   time.Duration // deadlines are rounded up to multiples of Tick; 0: they are not
	Spread float64       // each delay grows by a random share of itself, at most by this one
}

// Kind says what could replace a timer of a program.
type Kind uint8

// The kinds. A ticker counts as a function.
const (
	Function Kind = iota
	Channel
	Kept  // a deadline of package net or a sleep, which package driver cannot replace
	kinds = 3
)

// PerHour returns the wake-ups an hour.
func (c *Counts) PerHour() float64 { return float64(c.Wakeups) / c.Duration.Hours() }

// KindOf returns the kind of the timers of a form.
func KindOf(f trace.Form) Kind {
	switch f {
	case trace.ChannelForm:
		return Channel
	case trace.DeadlineForm, trace.SleepForm:
		return Kept
	}
	return Function
}

// callsOf returns the calls on the timers of a site. A timer that is pending at the end counts as stopped.
func callsOf(s tracestat.Site) price.Calls {
	return price.Calls{Stopped: float64(s.Cancelled + s.Kept), Moved: float64(s.Moves), Fired: float64(s.Fired)}
}

// Counts are the calls of a program, and how often it wakes up for them.
type Counts struct {
	Calls    [kinds]price.Calls
	Wakeups  uint64
	Wakes    [kinds]float64 // of them, by the kind of the timers that they are for
	BySite   []float64      // wake-ups by number of the site; timers that are due at one tick share its wake-up
	Most     [kinds]uint64  // pending timers, when most that the driver could hold were pending
	AtOnce   int            // most timers that fire at one tick
	Late     float64        // mean time from the deadline that the program asked for to the firing, in ns
	Latest   float64
	Duration time.Duration
}

// timer is a timer of a counter.
type timer struct {
	asked, deadline structures.Tick // that the program asked for, and with the change
	place           structures.Tick // where it is in Go's heap or in the driver
	site            int
	kind            Kind
	pending         bool
	moved           bool // by Go, which has not given it its place yet
	silent          bool // a channel that nobody waits for: it wakes nobody
}

// due is a tick at which the process wakes up for a timer.
type due struct {
	at    structures.Tick
	site  uint32
	kind  Kind
	fires bool
}

// counter counts the wake-ups of a program in one pass, without a queue: the wake-up at an old deadline of a timer is found at the
// next call on that timer.
//
// Go leaves a timer that is moved in its place, and so does the driver if it is moved to later. The process wakes up at the old deadline,
// and the timer gets its new place then. Go also wakes up at the earliest deadline that a timer was moved to, and gives all moved timers
// their places (runtime/time.go, Go 1.26). Stopped timers wake nobody: Go drops them when it sets another timer.
type counter struct {
	Counts
	change   Change
	driver   bool
	tick     structures.Tick
	random   *rand.Rand
	unread   []float64 // of each site, the sum of the shares of channels that nobody waits for
	shares   []float64 // of each site, Unread
	timers   []timer   // by key
	pending  [kinds]uint64
	moved    []uint32 // by Go, since it last gave moved timers their places
	minMoved structures.Tick
	dues     []due
	late     float64
}

// count counts the calls and wake-ups of a program with a change, on package time or on package driver. It needs 16 bytes for each timer
// of the trace that fires.
func count(path string, s *tracestat.Summary, change Change, driver bool) (*Counts, error) {
	r, err := trace.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // it is only read
	c := &counter{change: change, driver: driver, random: rand.New(rand.NewPCG(1, 1)), minMoved: math.MaxInt64}
	c.tick = max(1, structures.Tick(math.Ceil(float64(change.Tick)/float64(s.Header.Tick))))
	for _, p := range s.Sites {
		for len(c.shares) <= p.Number {
			c.shares, c.unread = append(c.shares, 0), append(c.unread, 0)
		}
		c.shares[p.Number] = p.Unread
	}
	var clock structures.Tick
	for {
		op, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch op.Kind {
		case trace.Schedule:
			c.schedule(op, clock, r.Sites()[op.Site].Form)
		case trace.Reschedule:
			c.reschedule(op, clock)
		case trace.Cancel:
			c.end(op.Key, clock)
			c.Calls[c.timers[op.Key].kind].Stopped++
		case trace.Advance:
			c.advance(op)
			clock = op.At
		}
	}
	for i := range c.timers {
		if t := &c.timers[i]; t.pending {
			c.end(uint32(i), clock)
			c.Calls[t.kind].Stopped++
		}
	}
	c.Duration = s.Duration()
	c.sum(len(r.Sites()), float64(s.Header.Tick))
	return &c.Counts, nil
}

// changed returns a deadline with the change.
func (c *counter) changed(deadline, clock structures.Tick) structures.Tick {
	delay := float64(deadline - clock)
	if c.change.Spread > 0 && delay < math.MaxInt64/4 {
		deadline += min(structures.Tick(math.Round(c.random.Float64()*c.change.Spread*delay)), math.MaxInt64-deadline)
	}
	if over := deadline % c.tick; over > 0 && deadline < math.MaxInt64-c.tick {
		deadline += c.tick - over
	}
	return deadline
}

func (c *counter) schedule(op trace.Op, clock structures.Tick, form trace.Form) {
	if int(op.Key) == len(c.timers) {
		c.timers = append(c.timers, timer{})
	}
	t := timer{asked: op.At, deadline: c.changed(op.At, clock), site: op.Site, kind: KindOf(form), pending: true}
	t.place = t.deadline
	if t.kind == Channel {
		if c.unread[op.Site] += c.shares[op.Site]; c.unread[op.Site] >= 1 {
			c.unread[op.Site]--
			t.silent = !c.driver
		}
	}
	c.timers[op.Key] = t
	c.pending[t.kind]++
	if p := c.pending; p[Function]+p[Channel] >= c.Most[Function]+c.Most[Channel] {
		c.Most = p
	}
}

func (c *counter) reschedule(op trace.Op, clock structures.Tick) {
	t := &c.timers[op.Key]
	c.settle(t, clock)
	t.asked, t.deadline = op.At, c.changed(op.At, clock)
	later := t.deadline >= t.place
	if c.change.Lazy && later {
		return
	}
	c.Calls[t.kind].Moved++
	switch {
	case c.onDriver(t) && later:
	case c.onDriver(t) || c.change.Lazy:
		t.place = t.deadline
	default:
		if c.minMoved = min(c.minMoved, t.deadline); !t.moved {
			t.moved, c.moved = true, append(c.moved, op.Key)
		}
	}
}

func (c *counter) onDriver(t *timer) bool { return c.driver && t.kind != Kept }

// settle counts the wake-up at the old deadline of a timer, if that has come.
func (c *counter) settle(t *timer, clock structures.Tick) {
	if t.place > clock || t.place >= t.deadline {
		return
	}
	c.wake(t, t.place, false)
	t.place = t.deadline
	if c.change.Lazy && !c.onDriver(t) {
		c.Calls[t.kind].Fired++ // and it is set again
	}
}

func (c *counter) wake(t *timer, at structures.Tick, fires bool) {
	if !t.silent {
		c.dues = append(c.dues, due{at, uint32(t.site), t.kind, fires})
	}
}

func (c *counter) end(key uint32, clock structures.Tick) {
	t := &c.timers[key]
	c.settle(t, clock)
	t.pending = false
	c.pending[t.kind]--
}

func (c *counter) advance(op trace.Op) {
	if c.minMoved <= op.At {
		var first *timer
		for _, key := range c.moved {
			if t := &c.timers[key]; t.pending && t.moved {
				c.settle(t, c.minMoved)
				t.place, t.moved, first = t.deadline, false, cmp.Or(first, t)
			}
		}
		if first != nil {
			c.wake(first, c.minMoved, false)
		}
		c.moved, c.minMoved = c.moved[:0], math.MaxInt64
	}
	for _, key := range op.Fired {
		t := &c.timers[key]
		c.end(key, op.At)
		c.Calls[t.kind].Fired++
		c.wake(t, t.deadline, true)
		late := float64(t.deadline - t.asked)
		if !t.silent {
			c.late += late
		}
		c.Latest = max(c.Latest, late)
	}
}

// sum counts the wake-ups.
func (c *counter) sum(sites int, tick float64) {
	slices.SortFunc(c.dues, func(a, b due) int { return cmp.Compare(a.at, b.at) })
	c.BySite = make([]float64, sites)
	fired := 0
	for len(c.dues) > 0 {
		n := slices.IndexFunc(c.dues, func(d due) bool { return d.at != c.dues[0].at })
		if n < 0 {
			n = len(c.dues)
		}
		atOnce := 0
		for _, d := range c.dues[:n] {
			c.BySite[d.site] += 1 / float64(n)
			c.Wakes[d.kind] += 1 / float64(n)
			if d.fires {
				atOnce++
			}
		}
		c.Wakeups++
		fired += atOnce
		c.AtOnce = max(c.AtOnce, atOnce)
		c.dues = c.dues[n:]
	}
	c.Late, c.Latest = c.late/float64(max(1, fired))*tick, c.Latest*tick
}
