// Package costs counts what operations cost, exactly and without a clock: in blocks of
// code that run. So a claim like O(log n) is tested by counts that grow with the number
// of pending timers no faster than it says.
//
// The counters are those of go build -cover, which puts one at the start of each
// straight piece of code, in the structures as in the containers that they adapt. They
// count each call and each round of a loop. What the runtime does in one statement counts
// as part of its block, however much it is: copying memory, for one. The program in the
// folder count is built like that; a test runs it for each structure of the catalog, and
// writes the table in docs/costs.md.
package costs

import (
	"math/rand/v2"
	"strings"

	"github.com/timerbench/timerbench/structures/catalog"
)

// Least is the least number of resident timers that the patterns are made for.
const Least = 100

// Ops is a set of operations.
type Ops uint8

// The operations.
const (
	Schedule Ops = 1 << iota
	Cancel
	Reschedule
	Pop
	Next
)

// String returns the operations as tables show them.
func (o Ops) String() string {
	var names []string
	for i, name := range []string{"schedule", "cancel", "reschedule", "pop", "next"} {
		if o>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// Count is what the turns of a pattern cost. A turn calls each of some operations once,
// or Next and Pop until a timer fires.
type Count struct {
	Pattern string
	Ops     Ops
	Few     bool // the resident timers have few different deadlines, or few different delays
	N       int  // resident timers
	Turns   int
	Blocks  uint64 // blocks of code run, in all turns
	Work    uint64 // what the structure itself has counted, in all turns: the sum of structures.Work
}

// PerTurn returns the blocks of code run in one turn.
func (c Count) PerTurn() float64 { return float64(c.Blocks) / float64(c.Turns) }

// Measure runs all patterns on new schedulers with n resident timers each.
func Measure(e catalog.Entry, n int) []Count {
	var counts []Count
	for _, p := range populations {
		l := &load{s: e.New(), n: n, few: p.few, random: rand.New(rand.NewPCG(uint64(n), 1))}
		p.run(l)
		counts = append(counts, l.counts...)
	}
	return counts
}

// Claim returns how a turn may grow, by the costs that a structure claims. Reschedule may
// cost what Cancel and Schedule do, and Next what Pop does, which must find the earliest
// timer as well.
func (c Count) Claim(costs catalog.Costs) catalog.Growth {
	growth := catalog.Constant
	for _, of := range []struct {
		ops  Ops
		cost catalog.Cost
	}{
		{Schedule | Reschedule, costs.Schedule}, {Cancel | Reschedule, costs.Cancel}, {Pop | Next, costs.Pop},
	} {
		if c.Ops&of.ops != 0 {
			growth = max(growth, of.cost.Growth)
		}
	}
	switch {
	case growth == catalog.LogDistinct && c.Few:
		return catalog.Constant
	case growth == catalog.LogDistinct:
		return catalog.Logarithmic
	}
	return growth
}
