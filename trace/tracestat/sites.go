package tracestat

import (
	"cmp"
	"slices"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/trace"
)

// siteCounter summarizes the timers of each site.
type siteCounter struct {
	sites  []counted           // by number
	keys   []*[1 << 12]pending // by key; in pages, because a slice that grows would be copied
	firing []*counted          // scratch of advance
	due    []*pending          // scratch of advance
	wakes  wakes
	now    [2]uint64 // functions and channels that are pending, and their most
	most   [2]uint64
}

type counted struct {
	Site
	delays, left *distribution
	area         float64         // sum of the ticks for which timers were pending, as if all began at tick 0
	now          int             // timers that fire at the advance
	first        structures.Tick // when the first timer was set
	moment       float64         // as area, of the ticks from first on times the ticks from first on
	fired        structures.Tick // the last tick at which a timer of the site fired, plus 1
}

type pending struct {
	deadline structures.Tick
	place    [2]structures.Tick // see wakes
	site     int32
	form     trace.Form
	moved    bool
	pending  bool
}

func (c *siteCounter) timer(key uint32) *pending { return &c.keys[key>>12][key&(1<<12-1)] }

// set counts that a timer gets a deadline.
func (s *counted) set(deadline, clock structures.Tick) {
	if deadline == clock+1 {
		s.Soon++
	}
}

// end counts that a timer is no longer pending.
func (s *counted) end(clock structures.Tick) {
	s.area += float64(clock)
	s.moment += s.half(clock)
	s.Kept--
}

// half returns half of the square of the ticks from the first timer on.
func (s *counted) half(clock structures.Tick) float64 {
	return float64(clock-s.first) * float64(clock-s.first) / 2
}

// add counts an operation. clock is the clock before it.
func (c *siteCounter) add(op trace.Op, clock structures.Tick, sites []trace.Site) {
	switch op.Kind {
	case trace.Schedule:
		for len(c.sites) <= op.Site {
			c.sites = append(c.sites, counted{delays: newDistribution(2), left: newDistribution(2)})
		}
		if int(op.Key) == len(c.keys)<<12 {
			c.keys = append(c.keys, new([1 << 12]pending))
		}
		timer := c.timer(op.Key)
		*timer = pending{deadline: op.At, site: int32(op.Site), form: sites[op.Site].Form, pending: true}
		c.wakes.set(timer)
		if n := held(timer.form); n >= 0 {
			if c.now[n]++; c.now[0]+c.now[1] >= c.most[0]+c.most[1] {
				c.most = c.now
			}
		}
		s := &c.sites[op.Site]
		if s.Timers == 0 {
			s.first = clock
		}
		s.Timers++
		s.Kept++
		s.area -= float64(clock)
		s.moment -= s.half(clock)
		s.delays.add(op.At - clock)
		s.set(op.At, clock)
		if s.fired == clock+1 {
			s.Repeats++
		}
	case trace.Reschedule:
		timer := c.timer(op.Key)
		s := &c.sites[timer.site]
		s.Moves++
		if op.At > timer.deadline {
			s.Later++
		}
		s.set(op.At, clock)
		c.wakes.move(timer, op.At, clock)
	case trace.Cancel:
		timer := c.timer(op.Key)
		s := &c.sites[timer.site]
		s.Cancelled++
		s.left.add(timer.deadline - clock)
		s.end(clock)
		c.end(timer, clock)
	case trace.Advance:
		c.advance(op)
	}
}

// end counts that a timer is no longer pending.
func (c *siteCounter) end(t *pending, clock structures.Tick) {
	c.wakes.settle(t, clock)
	t.pending = false
	if n := held(t.form); n >= 0 {
		c.now[n]--
	}
}

func (c *siteCounter) advance(op trace.Op) {
	c.firing = c.firing[:0]
	c.wakes.advance(op.At)
	c.due = slices.Grow(c.due[:0], len(op.Fired))
	for _, key := range op.Fired {
		timer := c.timer(key)
		c.due = append(c.due, timer)
		c.end(timer, op.At)
		s := &c.sites[timer.site]
		if s.now == 0 {
			c.firing = append(c.firing, s)
		}
		s.now++
		s.Fired++
		s.end(op.At)
		s.fired = op.At + 1
	}
	for _, s := range c.firing {
		s.AtOnce, s.now = max(s.AtOnce, s.now), 0
		s.Wakes++
	}
	if len(c.due) > 0 {
		for way := range c.wakes.by {
			c.wakes.by[way].wake(c.wakes.rounded(op.At), 1/float64(len(c.due)), c.due...)
		}
	}
}

// list returns the sites, the one with the most timers first.
func (c *siteCounter) list(r *trace.Reader, t trace.Totals, tick time.Duration) (list []Site) {
	for _, page := range c.keys {
		for i := range page {
			if page[i].pending {
				c.wakes.settle(&page[i], t.Last)
			}
		}
	}
	for i, s := range c.sites {
		if s.Timers > 0 {
			site := r.Sites()[i]
			s.Name, s.Form, s.Reset, s.Period = site.Place, site.Form, site.Reset, site.Period
			if ran := r.Ran(); s.Form == trace.ChannelForm && len(ran) > 0 && s.Fired > 0 {
				s.Unread = 1
				if i < len(ran) {
					s.Unread = 1 - min(1, float64(ran[i])/float64(s.Fired))
				}
			}
			s.Wakeups = [2]float64{OnTime: c.wakes.by[OnTime].of(i) * (1 - s.Unread), Lazily: c.wakes.by[Lazily].of(i)}
			s.Site.Delays, s.Left = s.delays.delays(tick), s.left.delays(tick)
			area := s.area + float64(s.Kept)*float64(t.Last)
			s.Pending = area / float64(max(1, t.Span()))
			s.Growth = (s.moment + float64(s.Kept)*s.half(t.Last)) / max(1, area) / float64(max(1, t.Last-s.first))
			list = append(list, s.Site)
		}
	}
	slices.SortStableFunc(list, func(a, b Site) int { return cmp.Compare(b.Timers, a.Timers) })
	return list
}
