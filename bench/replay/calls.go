package replay

import (
	"fmt"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures"
)

// Watch times every call of a scheduler by itself, in several rounds. In each round the same
// calls must be made, on a new scheduler.
//
// A call that takes long because of what it has to do takes long each time. One that the
// machine has interrupted does not. So each call counts with the shortest time that it took.
// A Watch takes 4 bytes for each call of a round.
type Watch struct {
	rounds   int
	shortest []uint32 // ns, by call
	calls    []int    // by round
	longest  []results.LongestCall
}

// NewWatch returns a Watch for that many rounds, at least 1.
func NewWatch(rounds int) *Watch { return &Watch{rounds: rounds} }

// Round begins the next round. It returns s with its calls timed.
func (w *Watch) Round(s structures.Scheduler[uint64]) structures.Scheduler[uint64] {
	w.calls = append(w.calls, 0)
	var clock structures.Tick
	return &timed{Scheduler: s, epoch: time.Now(), called: func(c call) {
		clock = max(clock, c.now)
		w.add(c.operation, c.took, clock)
	}}
}

// Result returns what the calls took. It returns an error if a round is missing, or if
// two rounds had different numbers of calls.
func (w *Watch) Result() (results.Calls, error) {
	if len(w.calls) != w.rounds {
		return results.Calls{}, fmt.Errorf("%d rounds of timed calls, want %d", len(w.calls), w.rounds)
	}
	for i, n := range w.calls {
		if n != w.calls[0] {
			return results.Calls{}, fmt.Errorf("%d calls in round %d, and %d in the first one",
				n, i+1, w.calls[0])
		}
	}
	slices.SortFunc(w.longest, func(a, b results.LongestCall) int {
		order := results.Operations
		return slices.Index(order, a.Operation) - slices.Index(order, b.Operation)
	})
	return results.Calls{
		Rounds: w.rounds, Calls: len(w.shortest),
		P999: float64(quantile(w.shortest, 0.999)), Longest: w.longest,
	}, nil
}

// add adds a call that began at a tick of the clock.
func (w *Watch) add(o results.Operation, took time.Duration, at structures.Tick) {
	round := len(w.calls) - 1
	i := w.calls[round]
	w.calls[round]++
	ns := uint32(min(took, 1<<32-1))
	switch {
	case round == 0:
		w.shortest = append(w.shortest, ns)
	case i < len(w.shortest):
		ns = min(ns, w.shortest[i])
		w.shortest[i] = ns
	}
	if round == w.rounds-1 {
		w.addLongest(results.LongestCall{Operation: o, NS: float64(ns), At: at})
	}
}

// addLongest keeps a call if it is longer than those of the same operation so far.
func (w *Watch) addLongest(call results.LongestCall) {
	for i := range w.longest {
		if old := &w.longest[i]; old.Operation == call.Operation {
			if call.NS > old.NS {
				*old = call
			}
			return
		}
	}
	w.longest = append(w.longest, call)
}

// quantile returns the smallest value that is not below a share q of all values; 0 if
// there is none. It counts values by their upper and then by their lower half, because
// sorting a hundred million takes long.
func quantile(values []uint32, q float64) uint32 {
	rank := int(q * float64(len(values)))
	upper, rank := pick(values, rank, func(v uint32) (uint32, bool) { return v >> 16, true })
	lower, _ := pick(values, rank, func(v uint32) (uint32, bool) { return v & 0xffff, v>>16 == upper })
	return upper<<16 | lower
}

// pick returns the part of the value of that rank, and its rank among the values with
// the same part. part returns the part of a value, from 0 to 0xffff, and whether the
// value counts.
func pick(values []uint32, rank int, part func(uint32) (uint32, bool)) (uint32, int) {
	counts := make([]int, 1<<16)
	for _, v := range values {
		if p, ok := part(v); ok {
			counts[p]++
		}
	}
	for p, n := range counts {
		if rank < n {
			return uint32(p), rank
		}
		rank -= n
	}
	return 0, 0
}
