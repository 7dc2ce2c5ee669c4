package replay

import (
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
	clockNS  float64                // cost of a reading
	shortest []uint32               // ns, by call
	round    int                    // from 1
	calls    int                    // of this round
	longest  [4]results.LongestCall // by operation, in the order of results.Operations

	at     structures.Tick // of the last call
	behind float64         // ns from that tick to the end of the call, if each call waits for its tick and for the call before
	lag    float64         // the largest behind of a call that fired a timer
}

// begin begins the next round on new timers.
func (w *watch) begin(of timers) {
	w.round, w.calls = w.round+1, 0
	var clock structures.Tick
	of.stamped(func(c call) {
		clock = max(clock, c.at)
		w.add(c, clock)
	})(true)
}

// result returns the times of the calls, after the last round.
func (w *watch) result() results.Calls {
	out := results.Calls{Rounds: w.rounds, Calls: len(w.shortest), Lag: w.lag}
	for _, call := range w.longest {
		if call.Operation != "" {
			out.Longest = append(out.Longest, call)
		}
	}
	return out
}

func (w *watch) add(c call, at structures.Tick) {
	i, ns := w.calls, uint32(min(c.took, 1<<32-1))
	w.calls++
	if w.round == 1 {
		w.shortest = append(w.shortest, ns)
	}
	ns = min(ns, w.shortest[i])
	w.shortest[i] = ns
	if w.round < w.rounds {
		return
	}
	w.behind, w.at = max(0, w.behind-float64(at-w.at)*float64(w.tick))+max(0, float64(ns)-w.clockNS), at
	if c.ok && c.operation == results.Pop {
		w.lag = max(w.lag, w.behind)
	}
	if longest := &w.longest[slices.Index(results.Operations, c.operation)]; longest.Operation == "" || float64(ns) > longest.NS {
		*longest = results.LongestCall{Operation: c.operation, NS: float64(ns), At: at}
	}
}
