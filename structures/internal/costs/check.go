package costs

import (
	"fmt"
	"math"
	"strings"

	"github.com/timerbench/timerbench/structures/catalog"
)

// Check returns an error if the counts of one pattern, with more and more timers, grow
// faster than a structure claims. What is amortised comes in steps, so that one count may
// be above the one before it; but not two in a row, and not the last one by much. By much is
// more than three times, and more than a structure may take that changes its form once.
func Check(counts []Count, costs catalog.Costs) error {
	const (
		little, much = 1.1, 3 // times what is allowed
		few          = 1      // blocks
		changed      = 50     // blocks (chosen), where auto takes 12 in lists and 44 in its wheel
		level        = 9      // blocks, where two are compared and one is moved
	)
	claim := counts[0].Claim(costs)
	if claim == catalog.Linear {
		return nil
	}
	above := 0
	for i := 1; i < len(counts); i++ {
		before, after := counts[i-1], counts[i]
		allowed := before.PerTurn()
		if claim == catalog.Logarithmic {
			// Where some timers only are in a heap, their share grows as well. No cost is
			// above that of the heap.
			allowed = max(allowed*math.Log(float64(after.N))/math.Log(float64(before.N)), level*math.Log2(float64(after.N)))
		}
		if after.PerTurn() > little*allowed+few {
			above++
		} else {
			above = 0
		}
		if above == 2 || i == len(counts)-1 && after.PerTurn() > max(much*allowed, changed)+few {
			return fmt.Errorf("%s: %s took %s blocks, claimed are at most %v", after.Pattern, after.Ops, series(counts), claim)
		}
	}
	return nil
}

// CheckWork returns an error if the counts of one pattern grow in proportion to the
// timers, or nearly, and what the structure itself has counted does not.
func CheckWork(counts []Count) error {
	first, last := counts[0], counts[len(counts)-1]
	near := float64(last.N) / float64(first.N) / 3
	counted := func(c Count) float64 { return float64(c.Work) / float64(c.Turns) }
	if near <= 1 || last.PerTurn() < near*first.PerTurn() || last.Work > 0 && counted(last) >= near*counted(first) {
		return nil
	}
	return fmt.Errorf("%s: %s took %s blocks, but its own counters went from %.1f to %.1f",
		last.Pattern, last.Ops, series(counts), counted(first), counted(last))
}

// series returns what a turn took, in words.
func series(counts []Count) string {
	var parts []string
	for _, c := range counts {
		parts = append(parts, fmt.Sprintf("%.1f (%d timers)", c.PerTurn(), c.N))
	}
	return strings.Join(parts, ", ")
}
