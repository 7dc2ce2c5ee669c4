package bench

import (
	"time"

	"github.com/timerbench/timerbench/structures"
)

// goTimers is the baseline: Go's own runtime timers, as most programs use them,
// time.AfterFunc and Stop. They follow the real clock, so they can take part only
// where nothing fires: every deadline is put a day ahead.
//
// A program would hold the *time.Timer; here a table of them, as large as the
// population, stands between it and the ID, and costs a few nanoseconds.
type goTimers struct {
	timers []*time.Timer // by ID
	free   []structures.ID
}

const (
	farAway  = 24 * time.Hour
	realTick = time.Millisecond
)

func newGoTimers() *goTimers { return &goTimers{timers: make([]*time.Timer, 1)} }

func (g *goTimers) Schedule(deadline structures.Tick, _ uint64) structures.ID {
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

func (g *goTimers) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return g.timers[id].Reset(farAway + time.Duration(deadline)*realTick)
}

func (g *goTimers) Cancel(id structures.ID) bool {
	ok := g.timers[id].Stop()
	g.timers[id] = nil
	g.free = append(g.free, id)
	return ok
}

func (g *goTimers) Pop(structures.Tick) (t structures.Timer[uint64], ok bool) { return t, false }

func (g *goTimers) Next() (structures.Tick, bool) { return 0, false }

func (g *goTimers) Len() int { return len(g.timers) - 1 - len(g.free) }

// stop takes what is left out of the runtime's heap.
func (g *goTimers) stop() {
	for _, t := range g.timers {
		if t != nil {
			t.Stop()
		}
	}
}
