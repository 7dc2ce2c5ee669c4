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
	Fastest  []string // in order of their medians; more than one: a tie
	Others   []Multiple
}

// Multiple is a structure and its cost as a multiple of the fastest one's.
type Multiple struct {
	Structure string
	Times     float64
}

// Verdicts returns the verdicts of all cells that have one, in the order of the
// results, and of each workload by size.
func Verdicts(r *results.Run) []Verdict {
	v := &view{r: r}
	var out []Verdict
	for _, w := range v.workloads() {
		for _, c := range v.cells(w) {
			if r := rank(c); len(r.names) > 0 {
				out = append(out, r.verdict(c))
			}
		}
	}
	return out
}

func (r ranking) verdict(c results.Cell) Verdict {
	best := r.stats[0]
	out := Verdict{Workload: c.Workload, N: c.N, Unit: unitOf(c), NS: best.median, Fastest: r.names[:r.ties]}
	if best.bounded() {
		out.Spread = max(best.hi-best.median, best.median-best.lo) / best.median
	}
	for i := r.ties; i < len(r.names); i++ {
		out.Others = append(out.Others, Multiple{r.names[i], r.stats[i].median / best.median})
	}
	return out
}
