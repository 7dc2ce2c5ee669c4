package advice

import (
	"maps"
	"math"
	"slices"
)

// standard are the standard questions, the typical ones first.
func standard() []Question {
	return []Question{
		{N: 1e6, Cancel: Unknown, Reschedule: Unknown},
		{N: 1e6, Cancel: 0.9, Delays: "uniform"},
		{N: 100_000, Cancel: 0.5, Delays: "clustered"},
		{N: 1000, Delays: "uniform"},
		{N: 1e6, Delays: "uniform"},
		{N: 1e6, Reschedule: 0.98, Cancel: 0.9},
		{N: 100_000, Cancel: 0.9, Delays: "uniform"},
		{N: 10_000, Cancel: 0.9, Delays: "uniform"},
		{N: 10_000, Delays: "uniform"},
		{N: 1000, Cancel: 0.9, Delays: "uniform"},
		{N: 100, Delays: "uniform"},
		{N: 100_000, Cancel: 0.9, Delays: "uniform", Matters: Weights{Tail: 1}},
		{N: 100_000, Cancel: 0.9, Delays: "uniform", Matters: Weights{Memory: 1}},
		{N: 1000, Delays: "uniform", Matters: Weights{Idle: 1}},
		{N: 100_000, Cancel: 0.9, Delays: "uniform", Matters: Balanced},
	}
}

// Balanced gives all the same weight.
var Balanced = Weights{1, 1, 1, 1}

// typical is the number of typical cases.
const typical = 3

// Standard answers the standard questions, for a page without controls. It is empty if the results
// cannot answer any.
func (a *Adviser) Standard() []Answer { return a.answers(standard()) }

// Typical answers the questions of the traces and scenarios of the run, if they are few, or else the first
// three of the standard ones.
func (a *Adviser) Typical() []Answer {
	if _, recorded := a.Recorded(); len(recorded) > 0 && len(recorded) <= typical {
		return a.answers(recorded)
	}
	return a.answers(standard()[:typical])
}

func (a *Adviser) answers(questions []Question) []Answer {
	var out []Answer
	for _, q := range questions {
		if x, err := a.Answer(a.Measured(q)); err == nil {
			out = append(out, x)
		}
	}
	return out
}

// Recorded returns the questions of the traces and scenarios of the run, with their names in the order of
// the results. They fill controls in.
func (a *Adviser) Recorded() (names []string, questions []Question) {
	for _, c := range a.cells {
		_, trace := a.r.Parameters.Traces[c.Workload]
		_, scenario := a.r.Parameters.Scenarios[c.Workload]
		if trace || scenario {
			names, questions = append(names, c.Workload), append(questions, c.place.question())
		}
	}
	return names, questions
}

// Matter is a choice of what matters.
type Matter struct {
	Name string
	Weights
}

// Grid are the answers to all combinations of a few questions.
type Grid struct {
	N       []int     // powers of ten from 100 to a million, as far as they were measured
	Cancel  []float64 // the first is Unknown
	Moved   []float64 // the first is Unknown
	Delays  []string  // the first is empty: any
	Matters []Matter
	Late    []bool

	// Answers are in the order of these lists, the last of them fastest. One that the results
	// cannot give has no Sentence.
	Answers []Answer
}

// Grid answers all combinations of the sizes, the shares cancelled and moved and the shapes of delays of the
// results, of what matters (each weight alone, and balanced) and of exactness. It is empty if the results
// hold nothing to answer from.
func (a *Adviser) Grid() *Grid {
	shares, shapes := make(map[float64]bool), make(map[string]bool)
	for _, c := range a.cells {
		if c.Grid != nil {
			shares[float64(c.Grid.CancelPercent)/100], shapes[c.Grid.Delays] = true, true
		}
	}
	for _, c := range a.cells { // without a grid: what there is
		if len(shares) == 0 {
			shares[math.Round(100*c.cancel)/100] = true
		}
	}
	g := &Grid{N: a.sizes(), Cancel: slices.Insert(slices.Sorted(maps.Keys(shares)), 0, Unknown), Late: []bool{false, true}}
	if len(a.cells) == 0 {
		return g
	}
	g.Moved = []float64{Unknown}
	for _, moved := range []float64{0, 0.5, 0.98} { // none, some, most
		if slices.ContainsFunc(a.cells, func(c *cell) bool { return math.Abs(c.moved-moved)/unitMoved <= Measured }) {
			g.Moved = append(g.Moved, moved)
		}
	}
	g.Delays = append([]string{""}, slices.Sorted(maps.Keys(shapes))...)
	g.Matters = []Matter{
		{"throughput", Weights{Throughput: 1}}, {"tail", Weights{Tail: 1}}, {"memory", Weights{Memory: 1}},
		{"idle wake-ups", Weights{Idle: 1}}, {"balanced", Balanced},
	}
	for _, n := range g.N {
		for _, cancel := range g.Cancel {
			for _, moved := range g.Moved {
				for _, delays := range g.Delays {
					for _, m := range g.Matters {
						for _, late := range g.Late {
							q := Question{N: float64(n), Cancel: cancel, Reschedule: moved, Delays: delays, Matters: m.Weights, Late: late}
							x, err := a.Answer(q)
							if err != nil {
								x = Answer{Question: q}
							}
							g.Answers = append(g.Answers, x)
						}
					}
				}
			}
		}
	}
	return g
}

// sizes are the powers of ten from 100 to a million, as far as they were measured, or else the size of the first cell.
func (a *Adviser) sizes() []int {
	var out []int
	for _, c := range a.cells {
		if e := math.Log10(float64(c.N)); e == math.Trunc(e) && e >= 2 && e <= 6 {
			out = append(out, c.N)
		}
	}
	if len(out) == 0 && len(a.cells) > 0 {
		out = []int{a.cells[0].N}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
