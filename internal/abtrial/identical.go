package main

import (
	"context"
	"fmt"
	"math"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

// The cells and structures of the runs whose intervals are compared, and the flag that says
// how long each run is.
var identicalArgs = []string{
	"--structure", "^(list|hwheel|quadheap|quadheap-lazy|rbtree)$", "--workload", "^(hold|churn|start-stop|reschedule)$",
	"--n", "1e3,1e6", "--budget", "40s",
}

// mostDisjoint is the share of pairs of 95 % intervals of one figure that may be disjoint.
const mostDisjoint = 0.05

// compareIntervals makes runs of the old program and compares the intervals of each figure
// between any two of them.
func (t *trial) compareIntervals(ctx context.Context, times int) error {
	fmt.Fprintf(t.out, "\n## Intervals of %d runs of one program\n\n", times)
	var runs []*results.Run
	for i := range times {
		t.say("run %d of %d", i+1, times)
		r, err := t.runOnce(ctx, fmt.Sprintf("identical-%d", i), identicalArgs)
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	return t.judgeIntervals(runs)
}

// figure is the cost of a structure in a cell.
type figure struct {
	workload  string
	n         int
	structure string
}

// judgeIntervals prints how many pairs of intervals of one figure are disjoint, and the
// figures that have such pairs.
func (t *trial) judgeIntervals(runs []*results.Run) error {
	fmt.Fprint(t.out, "The intervals of costs as a report shows them, and of them without what was measured to differ between runs.\n\n"+
		"| figure | medians, ns | disjoint | without |\n|---|---|---|---|\n")
	var intervals, bare []map[figure]stats.Interval
	for _, r := range runs {
		intervals, bare = append(intervals, intervalsOf(r, stats.BetweenRuns)), append(bare, intervalsOf(r, func(int) float64 { return 0 }))
	}
	pairs, apart, apartBare := 0, 0, 0
	for _, c := range runs[0].Cells {
		for _, row := range c.Rows {
			f := figure{c.Workload, c.N, row.Structure}
			n, disjoint := disjointPairs(intervals, f)
			_, disjointBare := disjointPairs(bare, f)
			pairs, apart, apartBare = pairs+n, apart+disjoint, apartBare+disjointBare
			if disjointBare == 0 {
				continue
			}
			medians := ""
			for _, of := range intervals {
				medians += fmt.Sprintf(" %.1f", of[f].Center)
			}
			fmt.Fprintf(t.out, "| %s, %s, n %d |%s | %d of %d | %d |\n", f.structure, f.workload, f.n, medians, disjoint, n, disjointBare)
		}
	}
	share := func(n int) float64 { return 100 * float64(n) / math.Max(1, float64(pairs)) }
	fmt.Fprintf(t.out, "\nOf %d pairs of intervals %d are disjoint (%.1f %%); without what differs between runs %d (%.1f %%).\n",
		pairs, apart, share(apart), apartBare, share(apartBare))
	if pairs == 0 || float64(apart) > mostDisjoint*float64(pairs) {
		return fmt.Errorf("%d of %d pairs of intervals are disjoint, want some pairs and at most %.0f %%", apart, pairs, 100*mostDisjoint)
	}
	return nil
}

// intervalsOf returns the intervals of the costs of the structures in a run.
func intervalsOf(r *results.Run, betweenRuns func(n int) float64) map[figure]stats.Interval {
	out := make(map[figure]stats.Interval)
	for _, c := range r.Cells {
		var all [][]stats.Sample
		for _, row := range c.Rows {
			if row.Role == results.RoleStructure || row.Role == results.RoleControl {
				all = append(all, results.Samples(row.Cost))
			}
		}
		prior := stats.PoolCenters(all)
		for _, row := range c.Rows {
			i, ok := stats.Center(results.Samples(row.Cost), stats.Options{Prior: prior, BetweenRuns: betweenRuns(c.N)})
			if ok && i.Bounded() && row.Role == results.RoleStructure {
				out[figure{c.Workload, c.N, row.Structure}] = i
			}
		}
	}
	return out
}

// disjointPairs returns the number of pairs of runs that have the figure, and that of those
// whose intervals are disjoint.
func disjointPairs(runs []map[figure]stats.Interval, f figure) (pairs, disjoint int) {
	for i, run := range runs {
		a, ok := run[f]
		for _, other := range runs[:i] {
			b, have := other[f]
			if !ok || !have {
				continue
			}
			if pairs++; a.Lo > b.Hi || b.Lo > a.Hi {
				disjoint++
			}
		}
	}
	return pairs, disjoint
}
