package report

import (
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
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
func Verdicts(r *results.Run) []Verdict { return (&view{r: r}).verdicts() }

func (v *view) verdicts() []Verdict {
	var out []Verdict
	for _, w := range v.workloads() {
		for _, c := range v.cells(w) {
			if a := v.analysis(c); len(a.ranked) > 0 {
				out = append(out, a.verdict(c))
			}
		}
	}
	return out
}

func (a *analysis) verdict(c results.Cell) Verdict {
	best := a.ranked[0].stat
	out := Verdict{Workload: c.Workload, N: c.N, Unit: unitOf(c), NS: best.median,
		Fastest: a.names(ranked.ties), Unclear: a.names(ranked.isUnclear)}
	if best.bounded() {
		out.Spread = max(best.hi-best.median, best.median-best.lo) / best.median
	}
	for _, r := range a.others() {
		out.Others = append(out.Others, Multiple{r.Name, r.ToBest.Center, r.ToBest.Lo, r.ToBest.Hi})
	}
	return out
}
