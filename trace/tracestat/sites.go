package tracestat

import (
	"cmp"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/trace"
)

// Site is a place in the program that schedules timers.
type Site struct {
	Name      string // such as "main.serve server.go:42"; "": not known
	Timers    uint64 // schedules
	Cancelled uint64
	Fired     uint64
	Delays    Delays // of the schedules
	Left      Delays // of those cancelled, from there to the deadline
}

// CancelRate returns cancelled / (cancelled + fired).
func (s Site) CancelRate() float64 {
	return float64(s.Cancelled) / float64(max(1, s.Cancelled+s.Fired))
}

// siteCounter sums the timers of each site up.
type siteCounter struct {
	sites []counted // by number
	keys  []pending // by key
}

type counted struct {
	Site
	delays, left *distribution
}

type pending struct {
	site     int
	deadline structures.Tick
}

// add takes an operation over. The clock is the one before it.
func (c *siteCounter) add(op trace.Op, clock structures.Tick) {
	switch op.Kind {
	case trace.Schedule:
		for len(c.sites) <= op.Site {
			c.sites = append(c.sites, counted{delays: newDistribution(2), left: newDistribution(2)})
		}
		if int(op.Key) == len(c.keys) {
			c.keys = append(c.keys, pending{})
		}
		c.keys[op.Key] = pending{op.Site, op.At}
		c.sites[op.Site].Timers++
		c.sites[op.Site].delays.add(op.At - clock)
	case trace.Reschedule:
		c.keys[op.Key].deadline = op.At
	case trace.Cancel:
		timer := c.keys[op.Key]
		c.sites[timer.site].Cancelled++
		c.sites[timer.site].left.add(timer.deadline - clock)
	case trace.Advance:
		for _, key := range op.Fired {
			c.sites[c.keys[key].site].Fired++
		}
	}
}

// list returns the sites, that with the most timers first.
func (c *siteCounter) list(names []string) (list []Site) {
	for i, s := range c.sites {
		if s.Timers > 0 {
			s.Name, s.Site.Delays, s.Left = names[i], s.delays.delays(), s.left.delays()
			list = append(list, s.Site)
		}
	}
	slices.SortStableFunc(list, func(a, b Site) int { return cmp.Compare(b.Timers, a.Timers) })
	return list
}
