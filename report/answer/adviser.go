package answer

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
)

// Adviser answers questions from the results of one run. Only one goroutine may use it at a time.
type Adviser struct {
	r      *Run
	cells  []*candidate
	shapes []string // of the delays that were measured

	structures int // that cells can name
	redefined  int // cells that do not answer, because the operations of their workload have changed since
}

// candidate is a cell of the results that may answer a question.
type candidate struct {
	*stats.Costs
	at     place
	ranked map[bool][]*results.Row // by Question.Late
	tails  map[string]tail
}

// Answer names the structure that fits, with the evidence. Its JSON form is documented in docs/data.md.
type Answer struct {
	Question `json:"question"`

	Name       string   `json:"name"`       // the structure to take; empty: the results cannot answer
	Candidates []string `json:"candidates"` // may be the best, the lowest score first; Name is one of them or the default
	Ranking    Ranking  `json:"ratio"`      // the lowest score first
	Next       *Ranked  `json:"-"`          // the best structure but the default that is certainly worse than Name; nil: there is none

	// Intrusive are the structures whose timers are fields of the caller's structs, as multiples of the named one. They are no
	// candidates: the results compare them, and only the caller knows whether they fit.
	Intrusive Ranking `json:"intrusive,omitempty"`

	Against string `json:"against,omitempty"` // the structure that Worth compares with Name; empty: there is no other

	Before string `json:"before"` // the words before the name
	After  string `json:"after"`  // the words after it, up to the end of the sentence
	Worth  string `json:"-"`      // the value of the choice at the rate of the question, in a sentence; empty: not known
	Rest   string `json:"rest"`   // the other sentences

	Evidence []Evidence `json:"evidence"`          // the heaviest first
	Far      string     `json:"far,omitempty"`     // how the nearest cell differs, in words; empty: it was measured
	Live     string     `json:"live,omitempty"`    // how the driver on the structure compares with Go's own timers, in a sentence
	Missing  []string   `json:"missing,omitempty"` // what the results lack, in sentences

	BytesAmong int `json:"bytes_among,omitempty"` // the number of timers among which the bytes were measured
	IdleAmong  int `json:"idle_among,omitempty"`  // and the idle wake-ups of a tickless driver were counted
}

// Sentence returns the answer in words.
func (a Answer) Sentence() string {
	return show.Joined(" ", a.Before+a.Name+a.After, a.Worth, a.Rest)
}

// Of returns the rank of a structure; nil: it is not in the ranking.
func (a *Answer) Of(name string) *Ranked {
	for i := range a.Ranking {
		if a.Ranking[i].Structure == name {
			return &a.Ranking[i]
		}
	}
	return nil
}

// Ranked is a structure in a ranking. A figure of 0 is not known.
type Ranked struct {
	Structure string
	Late      string         // how late it fires at most; empty: it is exact
	Score     float64        // weighted geometric mean of the multiples of the best, 1 or more
	Standing  stats.Standing // relative to the first of the ranking
	Times     stats.Interval // score as a multiple of that of the named structure; without an interval Lo is 0 and Hi is infinite
	NS        float64        // cost of a unit in the nearest cell, see Evidence; over several cells, only of the named structure
	Cost      float64        // multiple of the fastest that takes part, over the evidence
	Worst     float64        // the largest of these multiples
	TailTimes float64        // multiple of the least tail, over the evidence
	TailNS    float64        // in the nearest cell; over several cells, only of the named structure
	Bytes     float64        // per timer
	PauseNS   float64        // longest call

	Idle              bool    // the idle ticks are known
	Ticking, Tickless float64 // idle ticks of the two drivers for each timer that fires
}

// Candidate reports whether the structure may be the best.
func (s *Ranked) Candidate() bool { return s.Standing != stats.Worse }

// Evidence is a cell on which an answer rests.
type Evidence struct {
	Workload string      `json:"workload"`
	N        int         `json:"n"`
	Unit     script.Unit `json:"unit"`
	Distance float64     `json:"-"`      // from the question
	Weight   float64     `json:"weight"` // share in the answer
	Differs  string      `json:"-"`      // from the question, in words; empty: in nothing
	Fastest  string      `json:"-"`
	calls    float64     // in a unit of the cost
}

// tooFar reports whether the cell says little about the question.
func (e Evidence) tooFar() bool { return e.Distance > TooFar }

// Adviser returns an adviser for the results.
func (r *Run) Adviser() *Adviser {
	a := &Adviser{r: r}
	names := make(map[string]bool)
	redefined := r.Redefined(r.version)
	a.redefined = len(redefined)
	for _, c := range r.Cells {
		p, ok := placeOf(r, c)
		old := slices.ContainsFunc(redefined, func(o results.Cell) bool { return o.Workload == c.Workload && o.N == c.N })
		if !ok || old || len(c.Ranked) == 0 {
			continue
		}
		x := &candidate{
			Costs: c, at: p, tails: tails(c, max(r.Environment.ClockNS, 1)),
			ranked: map[bool][]*results.Row{true: c.Ranked, false: c.Among(r.IsExact)},
		}
		if p.Delays != "" && !slices.Contains(a.shapes, p.Delays) {
			a.shapes = append(a.shapes, p.Delays)
		}
		a.cells = append(a.cells, x)
		for _, s := range c.Ranked {
			names[s.Structure] = true
		}
	}
	a.structures = len(names)
	return a
}

// Answer answers a question. It returns an error if a value of the question is out of its range or if the results
// cannot answer it. It costs milliseconds.
func (a *Adviser) Answer(q Question) (Answer, error) {
	if err := a.check(q); err != nil {
		return Answer{}, err
	}
	x, _, err := a.answer(q)
	return x, err
}

// check returns an error if a question is bad or if no cell answers it.
func (a *Adviser) check(q Question) error {
	if err := q.Check(); err != nil {
		return err
	}
	if len(a.cells) == 0 {
		return errors.New("these results hold no costs of structures on a workload, so no structure can be named: want results of a run")
	}
	if a.Measured(q) != q {
		have := "no single shape of delays"
		if len(a.shapes) > 0 {
			have = show.And(slices.Sorted(slices.Values(a.shapes))) + " delays"
		}
		return fmt.Errorf("this run did not measure %s delays: it has %s; timerbench run --workload '^grid-%[1]s-' measures them", q.Delays, have)
	}
	if !slices.ContainsFunc(a.cells, func(c *candidate) bool { return c.at.answers(q) }) {
		return errors.New("no timer fires in the workloads of these results, and in the question some do: " +
			"want results of a workload in which timers fire, such as hold")
	}
	return nil
}

// Measured returns the question, without its shape of the delays if no workload has this shape.
func (a *Adviser) Measured(q Question) Question {
	if !slices.Contains(a.shapes, q.Delays) {
		q.Delays = ""
	}
	return q
}

func (a *Adviser) answer(q Question) (Answer, ranking, error) {
	near := a.near(q, false)
	memory, bytesAmong := a.memory(near, q.N)
	idle, idleAmong := a.idle(q.N, q.Delays)
	pauses := a.pauses(q.N)
	tailed := slices.ContainsFunc(a.cells, func(c *candidate) bool { return len(c.tails) > 0 })
	present := [...]bool{true, tailed, len(memory) > 0, len(idle) > 0, len(pauses) > 0} // in the order of the weights
	out := Answer{Question: q, Missing: a.missing(q, present[:]), BytesAmong: bytesAmong, IdleAmong: idleAmong}
	for _, w := range near {
		out.Evidence = append(out.Evidence, Evidence{
			Workload: w.Workload, N: w.N, Unit: w.Unit, Distance: w.distance, Weight: w.weight,
			Differs: show.Joined("; ", differs(q.place(), w.at), w.Unsteady()), Fastest: w.ranked[q.Late][0].Structure, calls: w.at.perUnit,
		})
	}
	ranks := ranking{a: a, q: q, near: near, tailed: a.near(q, true), shares: q.Matters.among(present[:])}
	out.Ranking = ranks.rank(memory, idle, pauses)
	if len(out.Ranking) == 0 {
		what := "none has"
		if !q.Late {
			what = "none that is known to be exact has"
		}
		return Answer{}, ranks, fmt.Errorf("no structure of these results answers this question: "+
			"%s all the figures that it asks for", what)
	}
	out.Far = out.Evidence[0].far(q.Recorded)
	ranks.name(&out)
	out.Intrusive = ranks.intrusive(out.Name)
	out.Before, out.After, out.Rest = "For "+q.Words()+": take ", out.after(), out.rest()
	out.Live = a.underRealClock(q, out.Name)
	out.Against = out.rival()
	out.Worth = out.worth()
	return out, ranks, nil
}

type weighted struct {
	*candidate
	distance, weight float64
}

// leastWeight is the share of a cell below which it does not count (chosen). It is subtracted from the others, so that no weight jumps.
// sharpness is the distance within which a cell counts nearly as the question itself (chosen, see the documentation of the package).
const leastWeight, sharpness = 0.04, 0.1

// near returns the cells that answer, the heaviest first. Their weights add up to 1. With tailed it returns only cells
// with tails, which short recordings lack.
func (a *Adviser) near(q Question, tailed bool) []weighted {
	var all []weighted
	least, most := math.Inf(1), 0.0
	for _, c := range a.cells {
		if c.at.answers(q) && len(c.ranked[q.Late]) > 0 && (!tailed || len(c.tails) > 0) {
			all = append(all, weighted{candidate: c, distance: q.place().distance(c.at)})
			least = min(least, all[len(all)-1].distance)
		}
	}
	for i := range all {
		w := &all[i]
		square := w.distance * w.distance
		w.weight = math.Exp((least*least-square)/2) / (square + sharpness*sharpness)
	}
	scale(all)
	for _, w := range all {
		most = max(most, w.weight)
	}
	few := min(leastWeight, most/2) // where many are alike, all have little
	for i := range all {
		all[i].weight -= few
	}
	all = slices.DeleteFunc(all, func(w weighted) bool { return w.weight <= 0 })
	scale(all)
	slices.SortStableFunc(all, func(x, y weighted) int {
		return cmp.Or(cmp.Compare(y.weight, x.weight), cmp.Compare(x.distance, y.distance))
	})
	return all
}

// scale makes the weights add up to 1.
func scale(cells []weighted) {
	total := 0.0
	for _, w := range cells {
		total += w.weight
	}
	for i := range cells {
		cells[i].weight /= total
	}
}

// ranking compares structures for a question. The tails come from the cells near, or from tailed if half of these lack them.
type ranking struct {
	a            *Adviser
	q            Question
	near, tailed []weighted
	shares       Weights // of the criteria with figures
}

// rank ranks the structures with a figure for each criterion that matters.
func (r ranking) rank(memory map[string]float64, idle map[string]idling, pauses map[string]float64) []Ranked {
	leastBytes, leastPause := least(memory), least(pauses)
	var out []Ranked
	for _, name := range structuresOf(r.near, r.q.Late) {
		e, _ := r.a.r.Entry(name)
		if e.Limit > 0 && r.q.N > float64(e.Limit) {
			continue
		}
		idling, counted := idle[name]
		s := Ranked{
			Structure: name, Late: e.Late, Bytes: memory[name], PauseNS: pauses[name], Idle: counted, Ticking: idling.ticking, Tickless: idling.tickless,
		}
		s.Cost = average(r.near, func(c *candidate) float64 {
			times := r.a.measuring(c, name, r.q.Late).times(name, r.q.Late) * r.a.growth(name, r.q.N, c)
			s.Worst = max(s.Worst, times)
			return times
		}, func(c *candidate) float64 { // like the slowest
			ranked := c.ranked[r.q.Late]
			return c.times(ranked[len(ranked)-1].Structure, r.q.Late)
		})
		s.TailTimes = cmp.Or(tailTimes(r.near, name), tailTimes(r.tailed, name))
		log, complete := 0.0, s.Cost > 0
		for i, multiple := range []float64{s.Cost, s.TailTimes, s.Bytes / leastBytes, idling.times, s.PauseNS / leastPause} {
			if r.shares[i] > 0 {
				complete = complete && multiple > 0
				log += r.shares[i] * math.Log(multiple)
			}
		}
		if complete && r.shares != (Weights{}) {
			s.Score = math.Exp(log)
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(x, y Ranked) int {
		return cmp.Or(cmp.Compare(x.Score, y.Score), cmp.Compare(x.Cost, y.Cost)) // or else as in the nearest cell
	})
	return out
}

// growth returns the factor by which a cost in a cell grows to that of n timers. It is above 1 for a structure with a linear
// operation, if the cell has fewer timers. Such a structure may be the fastest in the cell and far behind at n.
func (a *Adviser) growth(name string, n float64, c *candidate) float64 {
	if e, _ := a.r.Entry(name); !e.Costs.Linear() {
		return 1
	}
	return max(1, n/max(c.at.N, float64(c.N)))
}

// ratio is the paired ratio of two structures in a cell, at the number of timers of the question.
func (r ranking) ratio(c *candidate, s, to string) stats.Ratio {
	measured := r.a.measuring(c, s, r.q.Late)
	ratio := measured.Ratio(measured.Row(s), measured.Row(to))
	if by := r.a.growth(s, r.q.N, c) / r.a.growth(to, r.q.N, c); by != 1 && ratio.Pairs > 0 {
		ratio = ratio.Recentered(ratio.Center * by)
	}
	return ratio
}

// compare returns the score of a structure as a multiple of that of another, and the standing of the structure relative to
// the other.
func (r ranking) compare(s, to *Ranked) (stats.Interval, stats.Standing) {
	ratio := s.Score / to.Score
	if s == to {
		return stats.Interval{Center: 1, Lo: 1, Hi: 1}, stats.Tie
	}
	below, above := 0.0, 0.0
	widen := func(share float64, cells []weighted, spread func(c *candidate) (below, above float64, ok bool)) {
		if share > 0 {
			b, a := spreadOver(cells, spread)
			below, above = math.Hypot(below, share*b), math.Hypot(above, share*a)
		}
	}
	var alone stats.Ratio // of the only cell
	widen(r.shares[Throughput], r.near, func(c *candidate) (below, above float64, ok bool) {
		alone = r.ratio(c, s.Structure, to.Structure)
		return math.Log(alone.Center / alone.Lo), math.Log(alone.Hi / alone.Center), alone.Pairs > 0 // infinite where there is no interval
	})
	cells := r.near
	if tailTimes(r.near, s.Structure) == 0 {
		cells = r.tailed
	}
	widen(r.shares[Tail], cells, func(c *candidate) (below, above float64, ok bool) {
		t, ok := c.tails[s.Structure]
		other, too := c.tails[to.Structure]
		return math.Hypot(t.below, other.above), math.Hypot(t.above, other.below), ok && too
	})
	widen(r.shares[Pause], r.near[:1], func(*candidate) (below, above float64, ok bool) { return pauseError, pauseError, true })
	i := stats.Interval{Center: ratio, Lo: ratio * math.Exp(-below), Hi: ratio * math.Exp(above)}
	if len(r.near) == 1 && r.shares[Throughput] == 1 {
		return i, alone.Standing()
	}
	return i, i.Standing()
}

// judge sets the standings relative to the first of the ranking. Costs over several cells are one question.
func (r ranking) judge(all []Ranked) {
	single := len(r.near) == 1 || r.shares[Throughput] < 1
	var ratios []stats.Ratio
	var by [][]stats.Ratio // by cell
	for i := range all {
		s := &all[i]
		if single || i == 0 {
			_, s.Standing = r.compare(s, &all[0])
		}
		if single {
			continue
		}
		var of []stats.Ratio
		var weights []float64
		for _, w := range r.near {
			of, weights = append(of, r.ratio(w.candidate, s.Structure, all[0].Structure)), append(weights, w.weight)
		}
		ratios, by = append(ratios, stats.Average(of, weights)), append(by, of)
	}
	stats.Judge(ratios)
	for i := range ratios[min(1, len(ratios)):] {
		s := &all[i+1]
		s.Standing = ratios[i+1].Standing()
		if lacking := func(r stats.Ratio) bool { return r.Pairs == 0 }; s.Score > mostForDefault*all[0].Score && slices.ContainsFunc(by[i+1], lacking) {
			s.Standing = stats.Worse // the ratios are those of the other cells
		}
	}
}

// Default is the structure that an answer names unless another one takes less than 1/1.1 of its time.
const Default = "auto"

// mostForDefault is the largest multiple of the lowest score at which an answer still names the default (chosen). So no small change
// of a question changes the score of the named structure by more.
const mostForDefault = 1.1

// name names the structure with the lowest score, or the default if that scores little more or if all cells are far from the question.
func (r ranking) name(x *Answer) {
	first, usual := &x.Ranking[0], x.Of(Default)
	r.judge(x.Ranking)
	x.Name = first.Structure
	if usual != nil && (x.Evidence[0].tooFar() || usual.Score <= mostForDefault*first.Score) {
		x.Name = Default
	}
	named := x.Of(x.Name)
	for i := range x.Ranking {
		s := &x.Ranking[i]
		if s.Candidate() {
			x.Candidates = append(x.Candidates, s.Structure)
		}
		var standing stats.Standing
		s.Times, standing = r.compare(s, named)
		if x.Next == nil && !s.Candidate() && standing == stats.Worse && s != usual {
			x.Next = s
		}
		// A ratio over several cells, or at a larger number of timers, is not the quotient of the times in one cell.
		if near := r.near[0]; s == named || len(r.near) == 1 && r.a.growth(s.Structure, r.q.N, near.candidate) == 1 {
			s.NS, s.TailNS = near.Cost(near.Row(s.Structure)).Center, near.tails[s.Structure].ns
		}
	}
}

func tailTimes(near []weighted, name string) float64 {
	none := func(*candidate) float64 { return 0 }
	return average(near, func(c *candidate) float64 { return c.tails[name].times }, none)
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

// average returns the weighted geometric mean over the cells. A cell without a value counts as missing says, or not at all if that
// is 0. The mean is 0 if the cells with a value have less than half of the weight.
func average(near []weighted, value func(*candidate) float64, missing func(*candidate) float64) float64 {
	var sum, total, known float64
	for _, w := range near {
		v := value(w.candidate)
		if v > 0 {
			known += w.weight
		} else {
			v = missing(w.candidate)
		}
		if v > 0 {
			sum, total = sum+w.weight*math.Log(v), total+w.weight
		}
	}
	if known < 0.5 {
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
	for _, lack := range []struct {
		is   bool
		says string
	}{
		{a.structures == 1, "These results hold one structure only, so there is nothing to compare it with."},
		{a.redefined > 0, fmt.Sprintf("%s of %s left out: the operations of their workloads have changed since.",
			show.Grouped(a.redefined), show.Count(len(a.r.Run.Cells), "cell"))},
		{len(a.r.Unknown) > 0, fmt.Sprintf("%s left out, because this version does not have them: %s.",
			show.Count(len(a.r.Unknown), "structure"), show.And(a.r.Unknown))},
		{!a.r.Complete, "The run was interrupted: cells may be missing."},
	} {
		if lack.is {
			out = append(out, lack.says)
		}
	}
	return out
}
