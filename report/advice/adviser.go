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

// Adviser answers questions from the results of one run. Only one goroutine may use it at a time.
type Adviser struct {
	r      *analysis.Run
	cells  []*candidate
	shapes []string // of the delays that were measured
	tailed bool     // there are percentiles of single calls

	structures int // that cells can name
}

// candidate is a cell of the results that may answer a question.
type candidate struct {
	*analysis.Cell
	place
	ranked map[bool][]*analysis.Row // by Question.Late
	tails  map[string]tail
}

// Answer says which structure fits, and on which evidence.
type Answer struct {
	Question `json:"-"`

	Leader string   `json:"leader"` // the first of the ranking; empty: the results cannot answer
	Tied   []string `json:"-"`      // may be as good as the leader, the best first
	Open   bool     `json:"-"`      // one of these may be worse as well: too close to tell
	Next   *Ranked  `json:"-"`      // the best structure that is certainly worse; nil: there is none
	Exact  *Ranked  `json:"-"`      // the best exact structure, if the leader fires late; nil otherwise

	Before string `json:"before"` // the words of the sentence before the leader
	After  string `json:"after"`  // and after it

	Ranking  []Ranked   `json:"ranking"`           // the best first
	Evidence []Evidence `json:"evidence"`          // the heaviest first
	Worth    string     `json:"-"`                 // of the difference at the rate of the question, in words; empty: not known
	Far      string     `json:"far,omitempty"`     // how the nearest cell differs, in words; empty: it was measured
	Missing  []string   `json:"missing,omitempty"` // what the results lack, in sentences
}

// Sentence returns the answer in words.
func (a Answer) Sentence() string { return a.Before + a.Leader + a.After }

// judge sets the fields that follow from the ranking.
func (a *Answer) judge() {
	a.Leader = a.Ranking[0].Structure
	for i := range a.Ranking {
		s := &a.Ranking[i]
		switch standing := s.Times.Standing(); {
		case i == 0:
		case standing == stats.Worse:
			if a.Next == nil {
				a.Next = s
			}
		default:
			a.Tied, a.Open = append(a.Tied, s.Structure), a.Open || standing == stats.Unclear
		}
		if a.Exact == nil && s.Late == "" && a.Ranking[0].Late != "" {
			a.Exact = s
		}
	}
}

// Ranked is a structure in a ranking. A figure of 0 is not known.
type Ranked struct {
	Structure string
	Late      string         // how late it fires at most; empty: it is exact
	Score     float64        // weighted geometric mean of the multiples of the best, 1 or more
	Times     stats.Interval // score as a multiple of the first's; without an interval Lo is 0 and Hi is infinite
	NS        float64        // cost of a unit in the nearest cell, see Evidence; over several cells, only of the first structure
	Cost      float64        // multiple of the fastest that takes part, over the evidence
	Worst     float64        // the largest of these multiples
	TailTimes float64        // multiple of the least tail, over the evidence
	TailNS    float64        // in the nearest cell; over several cells, only of the first structure
	Bytes     float64        // per timer

	Counted           bool    // the idle ticks are known
	Ticking, Tickless float64 // idle ticks of the two drivers for each timer that fires
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

// New returns an adviser for results, which must not change afterwards.
func New(r *results.Run) *Adviser {
	if r == nil {
		r = &results.Run{}
	}
	return Of(analysis.Of(r))
}

// Of returns an adviser for analysed results.
func Of(r *analysis.Run) *Adviser {
	a := &Adviser{r: r}
	names := make(map[string]bool)
	for _, c := range r.Cells {
		p, ok := placeOf(r, c)
		if !ok || len(c.Ranked) == 0 {
			continue
		}
		x := &candidate{
			Cell: c, place: p, tails: tails(c, max(r.Environment.ClockNS, 1)),
			ranked: map[bool][]*analysis.Row{true: c.Ranked, false: c.Among(r.IsExact)},
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

// Answer answers a question. It returns an error if a value of the question is out of its range or if the results
// cannot answer it. It costs milliseconds.
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
	if !slices.ContainsFunc(a.cells, func(c *candidate) bool { return c.place.answers(q) }) {
		return Answer{}, errors.New("no timer fires in the workloads of these results, and in the question some do: " +
			"want results of a workload in which timers fire, such as hold")
	}
	return a.answer(q, "")
}

// Measured returns the question, without its shape of the delays if no workload has this shape.
func (a *Adviser) Measured(q Question) Question {
	if !slices.Contains(a.shapes, q.Delays) {
		q.Delays = ""
	}
	return q
}

// answer answers a question without the cells of one workload.
func (a *Adviser) answer(q Question, without string) (Answer, error) {
	near := a.near(q, without, false)
	memory, idle := a.memory(q.N), a.idle(q.N, q.Delays)
	present := [...]bool{true, a.tailed, len(memory) > 0, len(idle) > 0} // in the order of the weights
	out := Answer{Question: q, Missing: a.missing(q, present[:])}
	for _, w := range near {
		out.Evidence = append(out.Evidence, Evidence{
			Workload: w.Workload, N: w.N, Unit: w.Unit, Distance: w.distance, Weight: w.weight,
			Differs: differs(q.place(), w.place), Fastest: w.ranked[q.Late][0].Structure,
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
	out.judge()
	out.Before, out.After = "For "+q.Words()+": ", out.after()
	out.Worth = out.worth()
	return out, nil
}

type weighted struct {
	*candidate
	distance, weight float64
}

// leastWeight is the smallest share of a cell in an answer (chosen).
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
			all = append(all, weighted{candidate: c, distance: d})
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

// rank ranks the structures with a figure for each criterion that matters. The tails come from the cells
// near, or from tailed if half of these lack them.
func (a *Adviser) rank(q Question, near, tailed []weighted, memory map[string]float64, idle map[string]idling, present []bool) []Ranked {
	shares := q.Matters.shares()
	leastBytes, total := least(memory), 0.0
	for i, there := range present {
		if !there {
			shares[i] = 0
		}
		total += shares[i]
	}
	for i := range shares {
		shares[i] /= total
	}
	var out []Ranked
	for _, name := range structuresOf(near, q.Late) {
		e, _ := a.r.Entry(name)
		if e.Limit > 0 && q.N > float64(e.Limit) {
			continue
		}
		idling, counted := idle[name]
		s := Ranked{
			Structure: name, Late: e.Late, Bytes: memory[name], Counted: counted, Ticking: idling.ticking, Tickless: idling.tickless,
		}
		s.Cost = average(near, func(c *candidate) float64 {
			times := a.measuring(c, name, q.Late).cost(name, q.Late)
			s.Worst = max(s.Worst, times)
			return times
		})
		s.TailTimes = cmp.Or(tailTimes(near, name), tailTimes(tailed, name))
		s.NS, s.TailNS = near[0].Row(name).Cost().Center, near[0].tails[name].ns
		log, complete := 0.0, s.Cost > 0 && total > 0
		for i, multiple := range []float64{s.Cost, s.TailTimes, s.Bytes / leastBytes, idling.times} {
			if shares[i] > 0 {
				complete = complete && multiple > 0
				log += shares[i] * math.Log(multiple)
			}
		}
		if complete {
			s.Score = math.Exp(log)
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(x, y Ranked) int {
		return cmp.Or(cmp.Compare(x.Score, y.Score), cmp.Compare(x.Cost, y.Cost)) // or else as in the nearest cell
	})
	for i := range out {
		s := &out[i]
		ratio := s.Score / out[0].Score
		s.Times = stats.Interval{Center: ratio, Lo: ratio, Hi: ratio}
		if i == 0 {
			continue
		}
		below, above := 0.0, 0.0
		widen := func(share float64, cells []weighted, spread func(c *candidate) (below, above float64, ok bool)) {
			if share > 0 {
				b, a := spreadOver(cells, spread)
				below, above = math.Hypot(below, share*b), math.Hypot(above, share*a)
			}
		}
		widen(shares[Throughput], near, func(c *candidate) (below, above float64, ok bool) {
			c = a.measuring(c, s.Structure, q.Late)
			r := c.Row(s.Structure).RatioTo(c.Row(out[0].Structure))
			return math.Log(r.Center / r.Lo), math.Log(r.Hi / r.Center), r.Pairs > 0 // infinite where there is no interval
		})
		cells := near
		if tailTimes(near, s.Structure) == 0 {
			cells = tailed
		}
		widen(shares[Tail], cells, func(c *candidate) (below, above float64, ok bool) {
			t, ok := c.tails[s.Structure]
			first, too := c.tails[out[0].Structure]
			return math.Hypot(t.below, first.above), math.Hypot(t.above, first.below), ok && too
		})
		s.Times.Lo, s.Times.Hi = ratio*math.Exp(-below), ratio*math.Exp(above)
		if len(near) > 1 { // a ratio over several cells is not the quotient of the times in one of them
			s.NS, s.TailNS = 0, 0
		}
	}
	return out
}

func tailTimes(near []weighted, name string) float64 {
	return average(near, func(c *candidate) float64 { return c.tails[name].times })
}

// spreadOver returns how far the interval of a ratio that is averaged over cells reaches below and above its center, as
// logarithms. The cells are measured apart, so the squares of their errors add up.
func spreadOver(near []weighted, spread func(c *candidate) (below, above float64, ok bool)) (below, above float64) {
	total := 0.0
	for _, w := range near {
		if b, a, ok := spread(w.candidate); ok {
			total += w.weight
			below, above = math.Hypot(below, w.weight*b), math.Hypot(above, w.weight*a)
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

// average returns the weighted geometric mean over the cells with a value. It is 0 if these have less than half of the
// weight.
func average(near []weighted, value func(*candidate) float64) float64 {
	var sum, total float64
	for _, w := range near {
		if v := value(w.candidate); v > 0 {
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
