package replay

import (
	"fmt"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures"
)

// watch times every single call of a scheduler, in several rounds. Each round must make the same calls on a new
// scheduler.
//
// A call that takes long because of its work does so in every round; a call that the machine interrupted does
// not. So each call counts with its shortest time. A watch takes 4 bytes for each call of a round.
type watch struct {
	rounds   int
	tick     time.Duration
	clock    Clock
	shortest []uint32              // ns, by call
	calls    []int                 // by round
	longest  []results.LongestCall // the longest call of each operation

	at     structures.Tick // of the last call
	behind float64         // ns from that tick to the end of the call, if each call waits for its tick and for the call before
	lag    float64         // the largest behind of a call that fired a timer
}

func newWatch(rounds int, tick time.Duration, clock Clock) *watch {
	return &watch{rounds: rounds, tick: tick, clock: clock}
}

// round begins the next round on new timers.
func (w *watch) round(of timers) {
	w.calls = append(w.calls, 0)
	var clock structures.Tick
	of.stamped(func(c call) {
		clock = max(clock, c.at)
		w.add(c, clock)
	})(true)
}

// result returns the times of the calls, after the last round. It returns an error if a round is missing or if two
// rounds had different numbers of calls.
func (w *watch) result() (results.Calls, error) {
	if len(w.calls) != w.rounds {
		return results.Calls{}, fmt.Errorf("%d rounds of timed calls, want %d", len(w.calls), w.rounds)
	}
	for i, n := range w.calls {
		if n != w.calls[0] {
			return results.Calls{}, fmt.Errorf("%d calls in round %d, and %d in the first one", n, i+1, w.calls[0])
		}
	}
	slices.SortFunc(w.longest, func(a, b results.LongestCall) int {
		order := results.Operations
		return slices.Index(order, a.Operation) - slices.Index(order, b.Operation)
	})
	out := results.Calls{Rounds: w.rounds, Calls: len(w.shortest), Longest: w.longest, Lag: w.lag}
	if n := len(w.shortest); n > 0 {
		slices.Sort(w.shortest)
		out.P999 = float64(w.shortest[int(0.999*float64(n))])
	}
	return out, nil
}

func (w *watch) add(c call, at structures.Tick) {
	round := len(w.calls) - 1
	i := w.calls[round]
	w.calls[round]++
	ns := uint32(min(c.took, 1<<32-1))
	switch {
	case round == 0:
		w.shortest = append(w.shortest, ns)
	case i < len(w.shortest):
		ns = min(ns, w.shortest[i])
		w.shortest[i] = ns
	}
	if round < w.rounds-1 {
		return
	}
	w.behind, w.at = max(0, w.behind-float64(at-w.at)*float64(w.tick))+max(0, float64(ns)-w.clock.ReadNS), at
	if c.ok && c.operation == results.Pop {
		w.lag = max(w.lag, w.behind)
	}
	o := c.operation
	call := results.LongestCall{Operation: o, NS: float64(ns), At: at}
	for i, old := range w.longest {
		if old.Operation == o {
			if call.NS > old.NS {
				w.longest[i] = call
			}
			return
		}
	}
	w.longest = append(w.longest, call)
}
