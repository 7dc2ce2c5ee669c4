// Package gotimer implements the interface of the structures with Go's own timers.
package gotimer

import (
	"time"

	"github.com/timerbench/timerbench/structures"
)

// Timers is the baseline: Go's runtime timers, used by time.AfterFunc and Stop as in most programs. They follow the
// real clock, so they can run only workloads in which nothing fires. Every deadline is a day later than given.
//
// A program would keep the *time.Timer. Here a table from IDs to timers is needed, as
// large as the population. It costs a few nanoseconds per call.
type Timers struct {
	timers []*time.Timer // by ID
	free   []structures.ID
}

const (
	beyondRun = 24 * time.Hour
	realTick  = time.Millisecond
)

// New returns an empty Timers.
func New() *Timers { return &Timers{timers: make([]*time.Timer, 1)} }

// Schedule starts a timer whose function does nothing.
func (g *Timers) Schedule(deadline structures.Tick, _ uint64) structures.ID {
	t := time.AfterFunc(beyondRun+time.Duration(deadline)*realTick, func() {})
	if n := len(g.free); n > 0 {
		id := g.free[n-1]
		g.free = g.free[:n-1]
		g.timers[id] = t
		return id
	}
	g.timers = append(g.timers, t)
	return structures.ID(len(g.timers) - 1)
}

// Reschedule resets a timer.
func (g *Timers) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return g.timers[id].Reset(beyondRun + time.Duration(deadline)*realTick)
}

// Cancel stops a timer.
func (g *Timers) Cancel(id structures.ID) bool {
	ok := g.timers[id].Stop()
	g.timers[id] = nil
	g.free = append(g.free, id)
	return ok
}

// Pop never finds anything due.
func (g *Timers) Pop(structures.Tick) (t structures.Timer[uint64], ok bool) { return t, false }

// Next returns nothing, because the timers follow the real clock.
func (g *Timers) Next() (structures.Tick, bool) { return 0, false }

// Len returns the number of timers started and not stopped.
func (g *Timers) Len() int { return len(g.timers) - 1 - len(g.free) }

// Stop stops the remaining timers, so that the runtime no longer holds them.
func (g *Timers) Stop() {
	for _, t := range g.timers {
		if t != nil {
			t.Stop()
		}
	}
}
