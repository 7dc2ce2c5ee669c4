package analysis

import (
	"cmp"
	"math"

	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
)

// Judgement compares an answer with a workload that it does not rest on.
type Judgement struct {
	Workload string
	N        int
	Named    string   // the structure that the answer names
	Times    float64  // its cost in the cell of the workload as a multiple of the fastest's; NaN: not measured there
	Hit      bool     // Times is at most HitWithin
	Fastest  []string // all structures that may be the fastest in the cell
}

// HitWithin is the largest multiple of the fastest time that counts as a hit.
const HitWithin = 1.10

// Judge asks the question that describes each workload of a program (a model, a recording or a scenario) at its own size,
// and answers it without the cells of that workload.
func (a *Adviser) Judge() []Judgement {
	var out []Judgement
	for _, c := range a.cells {
		switch workload.Category(c.Category) {
		case workload.Program, workload.Recorded, workload.Custom:
		default:
			continue
		}
		x, _, err := a.answer(c.place.question(), c.Workload)
		if err != nil {
			continue
		}
		j := Judgement{Workload: c.Workload, N: c.N, Named: x.Name}
		j.Times = cmp.Or(c.times(j.Named, x.Late), math.NaN())
		j.Hit = j.Times <= HitWithin
		for _, s := range c.ranked[x.Late] {
			if c.Ratio(s, c.ranked[x.Late][0]).Standing() != stats.Worse {
				j.Fastest = append(j.Fastest, s.Structure)
			}
		}
		out = append(out, j)
	}
	return out
}
