package answer

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
)

// standard are the standard questions, the typical ones first.
var standard = []Question{
	{N: 1e6, Cancel: Unknown, Reschedule: Unknown},
	{N: 1e6, Cancel: 0.9, Delays: "uniform"},
	{N: 100_000, Cancel: 0.5, Delays: "clustered"},
	{N: 1000, Delays: "uniform"},
	{N: 1e6, Delays: "uniform"},
	{N: 1e6, Reschedule: 0.98, Cancel: 0.9},
	{N: 100_000, Cancel: 0.9, Delays: "uniform"},
	{N: 100_000, Cancel: 0.9, Delays: workload.Constant},
	{N: 10_000, Cancel: 0.9, Delays: "uniform"},
	{N: 10_000, Delays: "uniform"},
	{N: 1000, Cancel: 0.9, Delays: "uniform"},
	{N: 100, Delays: "uniform"},
	{N: 100_000, Cancel: 0.9, Delays: "uniform", Matters: Weights{Tail: 1}},
	{N: 100_000, Cancel: 0.9, Delays: "uniform", Matters: Weights{Memory: 1}},
	{N: 1000, Delays: "uniform", Matters: Weights{Idle: 1}},
	{N: 100_000, Cancel: 0.9, Delays: "uniform", Matters: Balanced},
	{N: 1e6, Cancel: 0.12, Reschedule: 0.14, Matters: Weights{Memory: 4, Pause: 2, Throughput: 1}}, // ttl-cache
}

// Balanced gives all criteria the same weight. The tail stands for the longest call too.
var Balanced = Weights{1, 1, 1, 1, 0}

const typical = 3

// Standard answers the standard questions, for a page without controls. It is empty if the results
// cannot answer any.
func (a *Adviser) Standard() []Answer {
	return a.answers(slices.DeleteFunc(slices.Clone(standard), func(q Question) bool {
		return q.Delays == workload.Constant && a.Measured(q) != q
	}))
}

// Typical answers the first three standard questions. If a run holds only traces and scenarios, it answers the questions
// of the first three of these.
func (a *Adviser) Typical() []Answer {
	if _, recorded := a.Recorded(); a.replayed() {
		return a.answers(recorded[:min(typical, len(recorded))])
	}
	return a.answers(standard[:typical])
}

// replayed reports whether the run holds traces and scenarios alone.
func (a *Adviser) replayed() bool {
	names, _ := a.Recorded()
	return len(names) > 0 && len(names) == len(a.cells)
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
// the results. A page sets its controls from them.
func (a *Adviser) Recorded() (names []string, questions []Question) {
	for _, c := range a.cells {
		_, trace := a.r.Parameters.Traces[c.Workload]
		_, scenario := a.r.Parameters.Scenarios[c.Workload]
		if trace || scenario {
			names, questions = append(names, c.Workload), append(questions, c.at.question())
		}
	}
	return names, questions
}

// Answers holds the answers to all combinations of the values of a few controls. A page looks its answers up in the JSON form.
type Answers struct {
	N       []int     `json:"n"`      // powers of ten from 100 to a million that were measured
	Cancel  []float64 `json:"cancel"` // the first is Unknown
	Moved   []float64 `json:"moved"`  // the first is Unknown
	Delays  []string  `json:"delays"` // the first is empty: any
	Matters []string  `json:"matters"`
	Late    []bool    `json:"late"`

	// Answers are in the order of these lists; the last list varies fastest. An answer that the results
	// cannot give has no Name.
	Answers  []Answer        `json:"answers"`
	Recorded []ProgramAnswer `json:"recorded"` // by throughput and exact
	Program  bool            `json:"program"`  // the run holds recorded programs alone, so a page begins with the first
}

// ProgramAnswer is the answer to the question of a trace or a scenario of the results.
type ProgramAnswer struct {
	Name   string `json:"name"`
	At     [4]int `json:"at"` // the places of the values of N, Cancel, Moved and Delays that are nearest to it
	Answer Answer `json:"answer"`
}

// Grid answers all combinations of the sizes, the shares cancelled and moved and the shapes of delays of the
// results, of the criteria (each alone, and balanced) and of exactness. It is empty if the results
// can answer nothing.
func (a *Adviser) Grid() *Answers {
	if len(a.cells) == 0 {
		return &Answers{}
	}
	shares, shapes := make(map[float64]bool), make(map[string]bool)
	for _, c := range a.cells {
		if c.Grid != nil {
			shares[float64(c.Grid.CancelPercent)/100], shapes[c.Grid.Delays] = true, true
		}
	}
	if len(shares) == 0 { // without a grid: what there is
		shares[math.Round(100*a.cells[0].at.Cancel)/100] = true
	}
	g := &Answers{
		N: a.sizes(), Cancel: slices.Insert(slices.Sorted(maps.Keys(shares)), 0, Unknown), Moved: []float64{Unknown},
		Delays: append([]string{""}, slices.Sorted(maps.Keys(shapes))...), Late: []bool{false, true},
		Matters: append(slices.Clone(weightWords[:Pause]), "balanced"),
	}
	for _, moved := range []float64{0, 0.5, 0.98} { // none, some, most
		if slices.ContainsFunc(a.cells, func(c *candidate) bool { return math.Abs(c.at.Reschedule-moved)/unitMoved <= Measured }) {
			g.Moved = append(g.Moved, moved)
		}
	}
	matters := []Weights{{Throughput: 1}, {Tail: 1}, {Memory: 1}, {Idle: 1}, Balanced}
	for i := range len(g.N) * len(g.Cancel) * len(g.Moved) * len(g.Delays) * len(matters) * len(g.Late) {
		next := func(values int) (at int) {
			i, at = i/values, i%values
			return at
		}
		q := Question{
			Late: g.Late[next(len(g.Late))], Matters: matters[next(len(matters))], Delays: g.Delays[next(len(g.Delays))],
			Reschedule: g.Moved[next(len(g.Moved))], Cancel: g.Cancel[next(len(g.Cancel))], N: float64(g.N[i]),
		}
		x, err := a.Answer(q)
		if err != nil {
			x = Answer{Question: q}
		}
		g.Answers = append(g.Answers, x)
	}
	g.Program = a.replayed()
	names, questions := a.Recorded()
	for i, q := range questions {
		if x, err := a.Answer(q); err == nil {
			g.Recorded = append(g.Recorded, ProgramAnswer{names[i], g.nearest(q), x})
		}
	}
	return g
}

// nearest returns the places of the values of the first four controls that are nearest to a question.
func (g *Answers) nearest(q Question) [4]int {
	size := func(n int) float64 { return decades(float64(n), q.N) }
	from := func(share float64) func(float64) float64 {
		return func(v float64) float64 { return math.Abs(v - share) }
	}
	delays := max(0, slices.Index(g.Delays, q.Delays)) // any, unless it was measured
	return [4]int{leastOf(g.N, size), leastOf(g.Cancel, from(q.Cancel)), leastOf(g.Moved, from(q.Reschedule)), delays}
}

// leastOf returns the place of the first value at the least distance.
func leastOf[T any](values []T, distance func(T) float64) (at int) {
	for i, v := range values {
		if distance(v) < distance(values[at]) {
			at = i
		}
	}
	return at
}

// Ranking is a ranking. In JSON it is one object by name, in the order of the ranking. Numbers have three significant digits. An
// unknown value is left out.
type Ranking []Ranked

// MarshalJSON writes the object.
func (list Ranking) MarshalJSON() ([]byte, error) {
	objects := make([]string, len(list))
	for i, s := range list {
		object := fmt.Sprintf(`%q:{"center":%.3g`, s.Structure, s.Times.Center)
		add := func(key string, value float64, known bool) {
			if known {
				object += fmt.Sprintf(`,%q:%.3g`, key, value)
			}
		}
		narrow := show.Narrow(s.Times.Lo, s.Times.Hi)
		add("lo", s.Times.Lo, narrow)
		add("hi", s.Times.Hi, narrow)
		add("ns", s.NS, s.NS > 0)
		add("p99_ns", s.TailNS, s.TailNS > 0)
		add("bytes", s.Bytes, s.Bytes > 0)
		add("pause_ns", s.PauseNS, s.PauseNS > 0)
		add("idle_ticking", s.Ticking, s.Idle)
		add("idle_tickless", s.Tickless, s.Idle)
		objects[i] = object + "}"
	}
	return []byte("{" + strings.Join(objects, ",") + "}"), nil
}

// sizes returns the powers of ten from 100 to a million that were measured, or else the size of the first cell.
func (a *Adviser) sizes() []int {
	out := slices.DeleteFunc([]int{100, 1000, 10_000, 100_000, 1_000_000}, func(n int) bool {
		return !slices.ContainsFunc(a.cells, func(c *candidate) bool { return c.N == n })
	})
	if len(out) == 0 {
		return []int{a.cells[0].N}
	}
	return out
}
