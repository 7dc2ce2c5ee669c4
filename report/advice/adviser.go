package advice

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/analysis"
)

// Adviser answers questions from the results of one run. It is for one goroutine at a time.
type Adviser struct {
	r      *analysis.Run
	cells  []*cell
	shapes []string // of the delays, as far as they were measured
	tailed bool     // there are percentiles of single calls

	structures int // that cells can name
}

type cell struct {
	*analysis.Cell
	place
	ranked map[bool][]analysis.Ranked // by Question.Late
	tails  map[string]float64         // multiples of the least
}

// Answer says what fits, and why.
type Answer struct {
	Question `json:"-"`
	Sentence string     `json:"sentence"`
	Ranking  []Ranked   `json:"ranking"`           // the best first
	Evidence []Evidence `json:"evidence"`          // the heaviest first
	Worth    string     `json:"-"`                 // what the difference is worth at the rate of the question; empty: not known
	Far      string     `json:"far,omitempty"`     // not empty: no measured cell is near, and in what the nearest one differs
	Missing  []string   `json:"missing,omitempty"` // what the results do not hold, in sentences
}

// Ranked is a structure in a ranking. A figure of 0 is not known.
type Ranked struct {
	Structure string
	Late      string         // how late it fires at most; empty: it is exact
	Score     float64        // weighted geometric mean of the multiples of the best, 1 or more
	Times     stats.Interval // score as a multiple of the first's; without an interval Lo is 0 and Hi is infinite
	NS        float64        // cost of a unit in the nearest cell, see Evidence
	Cost      float64        // multiple of the fastest that takes part, over the evidence
	Worst     float64        // the largest of these multiples
	TailTimes float64        // multiple of the least tail, over the evidence
	TailNS    float64        // in the nearest cell
	Bytes     float64        // a timer
	Wakeups   float64        // of a tickless driver, as a multiple of the fewest
}

// Evidence is a cell on which an answer rests.
type Evidence struct {
	Workload string      `json:"workload"`
	N        int         `json:"n"`
	Unit     script.Unit `json:"unit"`
	Distance float64     `json:"-"`      // from the question
	Weight   float64     `json:"weight"` // share in the answer
	Differs  string      `json:"-"`      // from the question, in words; empty: in nothing
	Fastest  string      `json:"-"`
}

// New returns an adviser on results, which must not change.
func New(r *results.Run) *Adviser {
	if r == nil {
		r = &results.Run{}
	}
	return Of(analysis.Of(r))
}

// Of returns an adviser on results that are analysed.
func Of(r *analysis.Run) *Adviser {
	a := &Adviser{r: r}
	names := make(map[string]bool)
	for _, c := range r.Cells {
		p, ok := placeOf(r, c)
		if !ok || len(c.Ranked) == 0 {
			continue
		}
		x := &cell{
			Cell: c, place: p, tails: tails(c, max(r.Environment.ClockNS, 1)),
			ranked: map[bool][]analysis.Ranked{true: c.Ranked, false: c.Among(r.IsExact)},
		}
		if p.delays != "" && !slices.Contains(a.shapes, p.delays) {
			a.shapes = append(a.shapes, p.delays)
		}
		a.tailed = a.tailed || len(x.tails) > 0
		a.cells = append(a.cells, x)
		for _, s := range c.Ranked {
			names[s.Structure] = true
		}
	}
	a.structures = len(names)
	return a
}

var errNothing = errors.New("these results hold no costs of structures on a workload, so no " +
	"structure can be named: want results of a run")

// Answer answers a question. It returns an error if the question makes no sense or if the results cannot
// answer it.
func (a *Adviser) Answer(q Question) (Answer, error) {
	if err := q.Check(); err != nil {
		return Answer{}, err
	}
	if len(a.cells) == 0 {
		return Answer{}, errNothing
	}
	if a.Measured(q) != q {
		have := "no single shape of delays"
		if len(a.shapes) > 0 {
			have = show.And(slices.Sorted(slices.Values(a.shapes))) + " delays"
		}
		return Answer{}, fmt.Errorf("this run did not measure %s delays: it has %s; timerbench run --workload '^grid-%[1]s-' measures them", q.Delays, have)
	}
	if !slices.ContainsFunc(a.cells, func(c *cell) bool { return c.place.answers(q) }) {
		return Answer{}, errors.New("no timer fires in the workloads of these results, and in the question some do: " +
			"want results of a workload in which timers fire, such as hold")
	}
	return a.answer(q, "")
}

// Measured returns a question without its shape of the delays if no workload has it.
func (a *Adviser) Measured(q Question) Question {
	if !slices.Contains(a.shapes, q.Delays) {
		q.Delays = ""
	}
	return q
}

// answer leaves the cells of one workload out.
func (a *Adviser) answer(q Question, without string) (Answer, error) {
	near := a.near(q, without, false)
	memory, idle := a.memory(q.N), a.idle(q.N, q.Delays)
	present := [...]bool{true, a.tailed, len(memory) > 0, len(idle) > 0} // in the order of the weights
	out := Answer{Question: q, Missing: a.missing(q, present[:])}
	for _, w := range near {
		out.Evidence = append(out.Evidence, Evidence{
			Workload: w.Workload, N: w.N, Unit: w.Unit, Distance: w.distance, Weight: w.weight,
			Differs: differs(q.place(), w.cell.place), Fastest: w.ranked[q.Late][0].Structure,
		})
	}
	out.Ranking = a.rank(q, near, a.near(q, without, true), memory, idle, present[:])
	if len(out.Ranking) == 0 {
		what := "none has"
		if !q.Late {
			what = "none that is known to be exact has"
		}
		return Answer{}, fmt.Errorf("no structure of these results answers this question: "+
			"%s all the figures that it asks for", what)
	}
	out.Far = out.Evidence[0].far(q.Recorded)
	out.Sentence, out.Worth = out.sentence(), out.worth()
	return out, nil
}

type weighted struct {
	*cell
	distance, weight float64
}

// leastWeight is the share in an answer below which a cell does not count (chosen).
const leastWeight = 0.02

// near returns the cells that answer, the heaviest first. Their weights add up to 1. With tailed it returns only cells
// with tails, which short recordings lack.
func (a *Adviser) near(q Question, without string, tailed bool) []weighted {
	var all []weighted
	least := math.Inf(1)
	for _, c := range a.cells {
		if c.Workload != without && c.answers(q) && len(c.ranked[q.Late]) > 0 && (!tailed || len(c.tails) > 0) {
			d := q.place().distance(c.place)
			least = min(least, d)
			all = append(all, weighted{cell: c, distance: d})
		}
	}
	total := 0.0
	for i := range all {
		w := &all[i]
		switch {
		case least > Measured:
			w.weight = math.Exp((least*least - w.distance*w.distance) / 2)
		case w.distance <= Measured:
			w.weight = 1
		}
		total += w.weight
	}
	all = slices.DeleteFunc(all, func(w weighted) bool { return w.weight < leastWeight*total })
	total = 0
	for _, w := range all {
		total += w.weight
	}
	for i := range all {
		all[i].weight /= total
	}
	slices.SortStableFunc(all, func(x, y weighted) int {
		return cmp.Or(cmp.Compare(y.weight, x.weight), cmp.Compare(x.distance, y.distance))
	})
	return all
}

// rank ranks the structures that have a figure for all that matters. Tails are those of the cells
// near, or if half of these have none, of tailed.
func (a *Adviser) rank(q Question, near, tailed []weighted, memory, idle map[string]float64, present []bool) []Ranked {
	shares := q.Matters.shares()
	leastBytes, total := least(memory), 0.0
	for i, there := range present {
		if there {
			total += shares[i]
		}
	}
	var out []Ranked
	for _, name := range structuresOf(near, q.Late) {
		e, _ := a.r.Entry(name)
		if e.Limit > 0 && q.N > float64(e.Limit) {
			continue
		}
		s := Ranked{Structure: name, Late: e.Late, Bytes: memory[name], Wakeups: idle[name]}
		s.Cost = average(near, func(c *cell) float64 {
			times := a.measuring(c, name, q.Late).cost(name, q.Late)
			s.Worst = max(s.Worst, times)
			return times
		})
		tails := func(c *cell) float64 { return c.tails[name] }
		s.TailTimes = cmp.Or(average(near, tails), average(tailed, tails))
		s.NS, s.TailNS = near[0].Row(name).Cost().Center, tail(near[0].Row(name))
		log, complete := 0.0, s.Cost > 0 && total > 0
		for i, multiple := range []float64{s.Cost, s.TailTimes, s.Bytes / leastBytes, s.Wakeups} {
			if shares[i] == 0 || !present[i] {
				continue
			}
			complete = complete && multiple > 0
			log += shares[i] * math.Log(multiple)
		}
		if complete {
			s.Score = math.Exp(log / total)
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(x, y Ranked) int {
		return cmp.Or(cmp.Compare(x.Score, y.Score), cmp.Compare(x.Cost, y.Cost)) // or else as in the nearest cell
	})
	for i := range out {
		a.compare(&out[i], out[0], near, q.Late, shares[0]/total)
	}
	return out
}

// compare sets the ratio of a structure to the first, in which the cost has the given share.
func (a *Adviser) compare(s *Ranked, first Ranked, near []weighted, late bool, costShare float64) {
	ratio := s.Score / first.Score
	s.Times = stats.Interval{Center: ratio, Lo: ratio, Hi: ratio}
	if costShare > 0 && s.Structure != first.Structure {
		below, above := a.costSpread(near, s.Structure, first.Structure, late)
		s.Times.Lo, s.Times.Hi = ratio*math.Exp(-below*costShare), ratio*math.Exp(above*costShare)
	}
}

// costSpread returns how far the interval of the ratio of the costs of two structures reaches below and above its
// center, as logarithms, over the cells that have both. The cells are measured apart, so that their errors add up
// as squares do.
func (a *Adviser) costSpread(near []weighted, name, of string, late bool) (below, above float64) {
	total := 0.0
	for _, w := range near {
		c := a.measuring(w.cell, name, late)
		if r := c.Row(name).RatioTo(c.Row(of)); r.Pairs > 0 {
			total += w.weight
			below = math.Hypot(below, w.weight*math.Log(r.Center/r.Lo)) // infinite where there is no interval
			above = math.Hypot(above, w.weight*math.Log(r.Hi/r.Center))
		}
	}
	if total == 0 {
		return math.Inf(1), math.Inf(1)
	}
	return below / total, above / total
}

func structuresOf(near []weighted, late bool) []string {
	var out []string
	for _, w := range near {
		for _, s := range w.ranked[late] {
			if !slices.Contains(out, s.Structure) {
				out = append(out, s.Structure)
			}
		}
	}
	return out
}

// average is the weighted geometric mean over the cells that have a value, which must have half of the
// weight. It is 0 otherwise.
func average(near []weighted, value func(*cell) float64) float64 {
	var sum, total float64
	for _, w := range near {
		if v := value(w.cell); v > 0 {
			sum, total = sum+w.weight*math.Log(v), total+w.weight
		}
	}
	if total < 0.5 {
		return 0
	}
	return math.Exp(sum / total)
}

func (a *Adviser) missing(q Question, present []bool) []string {
	var out []string
	shares := q.Matters.shares()
	for i, there := range present {
		if shares[i] > 0 && !there {
			out = append(out, fmt.Sprintf("These results hold no figures for %s, so that does not count.", weightWords[i]))
		}
	}
	if a.structures == 1 {
		out = append(out, "These results hold one structure only, so there is nothing to compare it "+
			"with.")
	}
	if !a.r.Complete {
		out = append(out, "The run was interrupted: cells may be missing.")
	}
	return out
}
