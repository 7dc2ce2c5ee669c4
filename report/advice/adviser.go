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
	"github.com/timerbench/timerbench/report/internal/rank"
	"github.com/timerbench/timerbench/structures/catalog"
)

// Adviser answers questions from the results of one run. It is for one goroutine at a time.
type Adviser struct {
	r       *results.Run
	entries map[string]catalog.Entry
	cells   []*cell
	tailed  bool // there are percentiles of single calls
}

// cell is a cell that can answer.
type cell struct {
	results.Cell
	place
	ranking *rank.Cell
	rows    map[string]results.Row // of structures
	tails   map[string]float64     // multiples of the least
	ratios  map[[2]string]stats.Ratio
}

// Answer says what fits, and why.
type Answer struct {
	Question
	Sentence string
	Ranking  []Ranked   // the best first
	Evidence []Evidence // the heaviest first
	Far      string     // not empty: the nearest measured cell is far, and how
	Missing  []string   // what the results do not hold, in sentences
}

// Ranked is a structure in a ranking. A figure of 0 is not known.
type Ranked struct {
	Structure string
	Late      string         // how late it fires at most; empty: it is exact
	Score     float64        // weighted geometric mean of the multiples of the best, 1 or more
	Times     stats.Interval // score as a multiple of the first's; without an interval Lo is 0 and Hi is infinite
	Tie       bool           // with the first
	Unclear   bool           // it may be as good as the first, too, but is not known well enough
	NS        float64        // cost of a unit in the nearest cell, see Evidence
	Cost      float64        // multiple of the fastest, over the evidence
	TailTimes float64        // multiple of the least tail, over the evidence
	TailNS    float64        // in the nearest cell
	Bytes     float64        // a timer
	Wakeups   float64        // of a tickless driver, as a multiple of the fewest
}

// Evidence is a cell on which an answer rests.
type Evidence struct {
	Workload string
	N        int
	Unit     script.Unit
	Distance float64 // from the question
	Weight   float64 // share in the answer
	Differs  string  // from the question, in words; empty: in nothing
	Fastest  string
}

// New returns an adviser on results, which must not change.
func New(r *results.Run) *Adviser {
	a := &Adviser{r: r, entries: make(map[string]catalog.Entry)}
	for _, e := range catalog.All() {
		a.entries[e.Name] = e
	}
	if r == nil {
		a.r = &results.Run{}
		return a
	}
	for _, c := range r.Cells {
		p, ok := placeOf(r, c)
		ranking := rank.Of(c, r.Parameters.Budget > 0)
		if !ok || len(ranking.Structures) == 0 {
			continue
		}
		x := &cell{Cell: c, place: p, ranking: ranking, rows: make(map[string]results.Row), ratios: make(map[[2]string]stats.Ratio)}
		for _, row := range c.Rows {
			if row.Role == results.RoleStructure && len(rank.Costs(row)) > 0 {
				x.rows[row.Structure] = row
			}
		}
		x.tails = tails(c, max(r.Environment.ClockNS, 1))
		a.tailed = a.tailed || len(x.tails) > 0
		a.cells = append(a.cells, x)
	}
	return a
}

// Run returns the results that the answers come from.
func (a *Adviser) Run() *results.Run { return a.r }

// errNothing is the answer of results without a usable cell.
var errNothing = errors.New("these results hold no costs of structures on a workload, so no structure can be named: want results of a run")

// Answer answers a question. It returns an error if the question makes no sense or if the results cannot
// answer it.
func (a *Adviser) Answer(q Question) (Answer, error) { return a.answer(q, "") }

// answer leaves the cells of one workload out.
func (a *Adviser) answer(q Question, without string) (Answer, error) {
	if err := q.Check(); err != nil {
		return Answer{}, err
	}
	near := a.near(q.place(), without)
	if len(near) == 0 {
		return Answer{}, errNothing
	}
	out := Answer{Question: q, Missing: a.missing(q)}
	for _, w := range near {
		out.Evidence = append(out.Evidence, Evidence{
			Workload: w.Workload, N: w.N, Unit: cmp.Or(w.Unit, script.PerLifecycle), Distance: w.distance, Weight: w.weight,
			Differs: differs(q.place(), w.cell.place), Fastest: w.ranking.Structures[0].Name,
		})
	}
	out.Ranking = a.rank(q, near)
	if len(out.Ranking) == 0 {
		return Answer{}, fmt.Errorf("no structure of these results answers this question: %s", a.excluded(q))
	}
	if near[0].distance > TooFar {
		e := out.Evidence[0]
		out.Far = fmt.Sprintf("The nearest measured cell, %s with %s, is far from the question: it has %s. Take the answer as a guess.",
			e.Workload, timers(float64(e.N)), e.Differs)
	}
	out.Sentence = out.sentence()
	return out, nil
}

// weighted is a cell with its weight in an answer.
type weighted struct {
	*cell
	distance, weight float64
}

// leastWeight is the share in an answer below which a cell does not count (chosen).
const leastWeight = 0.02

// near returns the cells that answer, the heaviest first. The weights have the sum 1.
func (a *Adviser) near(q place, without string) []weighted {
	var all []weighted
	least := math.Inf(1)
	for _, c := range a.cells {
		if c.Workload != without {
			d := q.distance(c.place)
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

// rank ranks the structures that have a figure for all that matters.
func (a *Adviser) rank(q Question, near []weighted) []Ranked {
	memory, idle := a.memory(q.N), a.idle(q.N, q.Delays)
	shares := q.Matters.shares()
	present := []bool{true, a.tailed, len(memory) > 0, len(idle) > 0}
	var out []Ranked
	for _, name := range structuresOf(near) {
		e := a.entries[name]
		if q.ExactOnly && (e.New == nil || !e.Exact()) || e.Limit > 0 && q.N > float64(e.Limit) {
			continue
		}
		s := Ranked{Structure: name, Late: e.Late, Bytes: memory[name], Wakeups: idle[name]}
		s.Cost = average(near, func(c *cell) float64 { return c.cost(name) })
		s.TailTimes = average(near, func(c *cell) float64 { return c.tails[name] })
		if row, ok := near[0].rows[name]; ok {
			s.NS, s.TailNS = median(row), tail(row)
		}
		log, weight, complete := 0.0, 0.0, s.Cost > 0
		for i, multiple := range []float64{s.Cost, s.TailTimes, s.Bytes / least(memory), s.Wakeups} {
			if shares[i] == 0 || !present[i] {
				continue
			}
			complete = complete && multiple > 0
			log, weight = log+shares[i]*math.Log(multiple), weight+shares[i]
		}
		if complete && weight > 0 {
			s.Score = math.Exp(log / weight)
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(x, y Ranked) int {
		return cmp.Or(cmp.Compare(x.Score, y.Score), cmp.Compare(x.Cost, y.Cost), cmp.Compare(x.Structure, y.Structure))
	})
	costShare := shares[0]
	if sum := sumOf(shares, present); sum > 0 {
		costShare /= sum
	}
	for i := range out {
		out[i].compare(out[0], near, costShare)
	}
	return out
}

func sumOf(shares []float64, present []bool) float64 {
	sum := 0.0
	for i, s := range shares {
		if present[i] {
			sum += s
		}
	}
	return sum
}

// tie is the largest ratio of structures that tie, as in package stats.
const tie = 1.05

// compare sets the ratio to the first, in which the cost has the given share.
func (s *Ranked) compare(first Ranked, near []weighted, costShare float64) {
	s.Times = stats.Interval{Center: 1, Lo: 1, Hi: 1}
	if s.Structure == first.Structure {
		return
	}
	ratio, best := costRatio(near, s.Structure, first.Structure)
	rest := s.Score / first.Score / math.Pow(s.Cost/first.Cost, costShare)
	of := func(v float64) float64 { return rest * math.Pow(v, costShare) }
	s.Times = stats.Interval{Center: of(ratio.Center), Lo: of(ratio.Lo), Hi: of(ratio.Hi)}
	if costShare == 0 {
		s.Times = stats.Interval{Center: rest, Lo: rest, Hi: rest}
		s.Tie = rest < 1+1e-9
		return
	}
	may := costShare == 1 && best || s.Times.Lo <= 1
	within := s.Times.Lo >= 1/tie && s.Times.Hi <= tie
	s.Tie, s.Unclear = may && within, may && !within
}

// costRatio returns the ratio of the costs of two structures over the cells that have both, and whether
// both may be the best in each of these.
func costRatio(near []weighted, name, of string) (out stats.Interval, best bool) {
	var center, lo, hi, total float64
	best = true
	for _, w := range near {
		r := w.ratio(name, of)
		if r.Pairs == 0 {
			continue
		}
		best = best && w.inBest(name) && w.inBest(of)
		total += w.weight
		center += w.weight * math.Log(r.Center)
		lo, hi = lo+w.weight*math.Log(r.Lo), hi+w.weight*math.Log(r.Hi) // infinite where there is no interval
	}
	if total == 0 {
		return stats.Interval{Center: 1, Hi: math.Inf(1)}, false
	}
	return stats.Interval{Center: math.Exp(center / total), Lo: math.Exp(lo / total), Hi: math.Exp(hi / total)}, best
}

func (c *cell) inBest(name string) bool {
	return slices.ContainsFunc(c.ranking.Structures, func(s rank.Structure) bool { return s.Name == name && s.InBest })
}

// ratio compares two structures of the cell. Pairs is 0 if one of them is missing.
func (c *cell) ratio(name, of string) stats.Ratio {
	key := [2]string{name, of}
	r, ok := c.ratios[key]
	if !ok {
		r = c.ranking.Ratio(c.rows[name], c.rows[of])
		c.ratios[key] = r
	}
	return r
}

// structuresOf returns the structures of the cells in the order of the first cells that have them.
func structuresOf(near []weighted) []string {
	var out []string
	for _, w := range near {
		for _, s := range w.ranking.Structures {
			if !slices.Contains(out, s.Name) {
				out = append(out, s.Name)
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

// excluded says why no structure is left.
func (a *Adviser) excluded(q Question) string {
	if q.ExactOnly {
		return "none that is known to be exact has all the figures that it asks for"
	}
	return "none has all the figures that it asks for"
}

// missing says what matters in the question and is not in the results.
func (a *Adviser) missing(q Question) []string {
	var out []string
	shares := q.Matters.shares()
	for i, there := range []bool{true, a.tailed, len(a.r.Memory) > 0, len(a.idle(q.N, q.Delays)) > 0} {
		if shares[i] > 0 && !there {
			out = append(out, fmt.Sprintf("These results hold no figures for %s, so that does not count.", weightWords[i]))
		}
	}
	if q.Delays != "" && !slices.ContainsFunc(a.cells, func(c *cell) bool { return c.delays == q.Delays }) {
		out = append(out, fmt.Sprintf("No measured workload has %s delays, so their shape does not count.", q.Delays))
	}
	if len(structuresOf(everything(a.cells))) == 1 {
		out = append(out, "These results hold one structure only, so there is nothing to compare it with.")
	}
	if !a.r.Complete {
		out = append(out, "The run was interrupted: cells may be missing.")
	}
	return out
}

func everything(cells []*cell) []weighted {
	var out []weighted
	for _, c := range cells {
		out = append(out, weighted{cell: c, weight: 1})
	}
	return out
}
