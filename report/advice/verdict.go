package advice

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Verdict is how a structure does over all workloads of some sizes.
type Verdict struct {
	Structure string
	Typical   float64 // multiple of the fastest: the geometric mean over the workloads, each of them that over its cells
	Worst     float64 // largest multiple in a cell
}

// Verdicts returns those of the exact structures over all cells of at least and at most so many timers, the best
// first. It holds the structures that have a cost in each of the cells. A multiple is the ratio to the fastest of the
// cell, paired by round; where a cell leaves the structure out, it is that among fewer timers.
func (a *Adviser) Verdicts(least, most float64) []Verdict {
	var cells []weighted
	for _, c := range a.cells {
		if n := float64(c.Cell.N); n >= least && n <= most {
			cells = append(cells, weighted{cell: c})
		}
	}
	var out []Verdict
	for _, name := range structuresOf(cells) {
		v := Verdict{Structure: name}
		sums, counts := make(map[string]float64), make(map[string]float64)
		var workloads []string
		e, known := a.entries[name]
		complete := known && e.Exact()
		for _, c := range cells {
			times := a.multiple(c.cell, name)
			complete = complete && times > 0
			if !slices.Contains(workloads, c.Workload) {
				workloads = append(workloads, c.Workload)
			}
			sums[c.Workload] += math.Log(times)
			counts[c.Workload]++
			v.Worst = max(v.Worst, times)
		}
		if !complete {
			continue
		}
		sum := 0.0
		for _, w := range workloads {
			sum += sums[w] / counts[w]
		}
		v.Typical = math.Exp(sum / float64(len(workloads)))
		out = append(out, v)
	}
	slices.SortStableFunc(out, func(x, y Verdict) int {
		return cmp.Or(cmp.Compare(x.Typical, y.Typical), cmp.Compare(x.Structure, y.Structure))
	})
	return out
}

// multiple returns the cost of a structure in a cell as a multiple of the fastest's. Of a structure that the cell
// leaves out, for what it cost among fewer timers, it is that cost. It is 0 if there is none.
func (a *Adviser) multiple(c *cell, name string) float64 {
	if !slices.Contains(c.LeftOut, name) {
		return c.cost(name)
	}
	times, largest := 0.0, 0
	for _, smaller := range a.cells {
		if cost := smaller.cost(name); cost > 0 && smaller.Workload == c.Workload && smaller.N < c.N && smaller.N > largest {
			times, largest = cost, smaller.N
		}
	}
	return times
}

// The sizes of the verdict.
const (
	Many = 10_000
	Few  = 1000
)

// Verdict says in two sentences which exact structures do best over all workloads, with many timers and with
// few. It is empty where the results hold no such sizes. Name writes the name of a structure.
func (a *Adviser) Verdict(name func(string) string) string {
	many, few := a.Verdicts(Many, math.Inf(1)), a.Verdicts(1, Few)
	if len(many) == 0 || len(few) == 0 {
		return ""
	}
	return fmt.Sprintf("With %s and more, take %s: on average over all workloads, its time is %s times that of the fastest, %s times at worst. "+
		"With up to %s, take %s: %s times on average, %s times at worst.",
		timers(Many), name(many[0].Structure), Times(many[0].Typical), Times(many[0].Worst),
		timers(Few), name(few[0].Structure), Times(few[0].Typical), Times(few[0].Worst))
}
