// Package gotimer puts Go's own timers behind the interface of the structures.
package gotimer

import (
	"time"

	"github.com/timerbench/timerbench/structures"
)

// Timers is the baseline: Go's own runtime timers, as most programs use them,
// time.AfterFunc and Stop. They follow the real clock, so they can take part only
// where nothing fires: every deadline is put a day ahead.
//
// A program would hold the *time.Timer; here a table of them, as large as the
// population, stands between it and the ID, and costs a few nanoseconds.
type Timers struct {
	timers []*time.Timer // by ID
	free   []structures.ID
}

const (
	farAway  = 24 * time.Hour
	realTick = time.Millisecond
)

// New returns no timers.
func New() *Timers { return &Timers{timers: make([]*time.Timer, 1)} }

// Schedule starts a timer that does nothing when it fires, a day late.
func (g *Timers) Schedule(deadline structures.Tick, _ uint64) structures.ID {
	t := time.AfterFunc(farAway+time.Duration(deadline)*realTick, func() {})
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
	return g.timers[id].Reset(farAway + time.Duration(deadline)*realTick)
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

// Next names nothing, as the real clock cannot be told.
func (g *Timers) Next() (structures.Tick, bool) { return 0, false }

// Len returns the number of timers started and not stopped.
func (g *Timers) Len() int { return len(g.timers) - 1 - len(g.free) }

// Stop takes what is left out of the runtime's heap.
func (g *Timers) Stop() {
	for _, t := range g.timers {
		if t != nil {
			t.Stop()
		}
	}
}
