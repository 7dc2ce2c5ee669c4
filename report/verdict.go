package report

import (
	"github.com/timerbench/timerbench/bench/count"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/report/internal/analysis"
)

// Verdict is the answer of one cell: which structures are the fastest, and what
// the others cost beside them.
type Verdict struct {
	Workload string
	N        int
	Unit     script.Unit
	NS       float64  // median cost of a unit with the fastest structure
	Spread   float64  // the half of its 95 % interval that is wider, as a share of NS; 0: too few trials
	Fastest  []string // in order of their cost; more than one: a tie
	Unclear  []string // those that may be the fastest, too, but whose cost beside it is not known well enough
	Others   []Multiple
}

// Multiple is a structure and its cost as a multiple of the fastest one's: the ratio paired by
// round, with its 95 % interval. Without an interval Lo is 0 and Hi is infinite.
type Multiple struct {
	Structure     string
	Times, Lo, Hi float64
}

// Verdicts returns the verdicts of all cells that have one, in the order of the
// results, and of each workload by size.
func Verdicts(r *results.Run) []Verdict {
	var out []Verdict
	for _, c := range analysis.Of(r).Cells {
		if len(c.Ranked) == 0 {
			continue
		}
		best := c.Ranked[0].Cost()
		v := Verdict{
			Workload: c.Workload, N: c.N, Unit: c.Unit, NS: best.Median,
			Fastest: analysis.Names(c.In(stats.Tie)), Unclear: analysis.Names(c.In(stats.Unclear)),
		}
		if best.Bounded() {
			v.Spread = max(best.Hi-best.Median, best.Median-best.Lo) / best.Median
		}
		for _, s := range c.In(stats.Worse) {
			v.Others = append(v.Others, Multiple{s.Structure, s.ToBest.Center, s.ToBest.Lo, s.ToBest.Hi})
		}
		out = append(out, v)
	}
	return out
}

// counted is how many structures of a cell are counted (chosen: a reader asks about the first).
const counted = 5

// ToCount returns the first structures of each cell of the first table, for counts that say why.
func ToCount(r *results.Run) []count.Cell {
	var out []count.Cell
	for _, c := range analysis.Of(r).AnswerCells() {
		for _, s := range c.Ranked[:min(counted, len(c.Ranked))] {
			out = append(out, count.Cell{Structure: s.Structure, Workload: c.Workload, N: c.N, Seed: r.Parameters.Seed})
		}
	}
	return out
}
