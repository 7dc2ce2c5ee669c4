package advice

import (
	"cmp"
	"math"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
)

// Judgement is how an answer does on a workload that it does not know.
type Judgement struct {
	Workload string
	N        int
	Named    string   // the structure that the answer names
	Times    float64  // its cost in the cell of the workload as a multiple of the fastest's; NaN: not measured there
	Hit      bool     // Times is at most Near
	Fastest  []string // those that may be the fastest in the cell
}

// Near is the largest multiple of the fastest that is a hit.
const Near = 1.10

// Judge asks the question of each workload that is modelled on a program, recorded or written by a user, at its own size, and
// answers it without the cells of that workload.
func (a *Adviser) Judge() []Judgement {
	var out []Judgement
	for _, c := range a.cells {
		switch categoryOf(a.r, c.Cell) {
		case workload.Program, workload.Recorded, workload.Custom:
		default:
			continue
		}
		x, err := a.answer(c.place.question(), c.Workload)
		if err != nil {
			continue
		}
		j := Judgement{Workload: c.Workload, N: c.Cell.N, Named: x.Ranking[0].Structure}
		j.Times = cmp.Or(c.cost(j.Named, x.Late), math.NaN())
		j.Hit = j.Times <= Near
		for _, s := range c.ranked[x.Late] {
			if s.Standing() != stats.Worse {
				j.Fastest = append(j.Fastest, s.Name)
			}
		}
		out = append(out, j)
	}
	return out
}

// categoryOf returns the category of the workload of a cell, as this version has it where the results do
// not say.
func categoryOf(r *results.Run, c results.Cell) workload.Category {
	if c.Category != "" {
		return workload.Category(c.Category)
	}
	if _, ok := r.Parameters.Traces[c.Workload]; ok {
		return workload.Recorded
	}
	w, _ := find(r, c)
	return w.Category
}
