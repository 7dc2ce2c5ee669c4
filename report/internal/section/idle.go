package section

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/analysis"
	"github.com/timerbench/timerbench/report/internal/draw"
)

func idle(v *View) Section {
	return Section{
		Title:  "How often does a structure wake up for nothing?",
		Absent: "idle wake-ups",
		Lead: v.idleSentence() + "A _ticking_ driver wakes at every tick, a _tickless_ one at the tick " +
			"that `Next` names. An idle wake-up fires nothing: it was _empty_ (nothing was done), _only " +
			"moved_ timers (cascades, rounds still to go) or _only dropped_ stale entries of cancelled " +
			"timers.",
		Tables: []Table{{Title: "Wake-ups and work, over " + v.idleScope(), Body: v.idleTable()}},
	}
}

// idleCase is the workload of some of the idle counts. Counts of different cases cannot be
// compared.
type idleCase struct {
	workload, distribution string
	n                      int
}

// largestIdle returns the counts with the largest N for each workload and distribution, and their
// cases.
func (v *View) largestIdle() (counts []results.Idle, cases []idleCase) {
	largest := make(map[idleCase]int) // by workload and distribution
	for _, i := range v.Idle {
		of := idleCase{i.Workload, i.Distribution, 0}
		largest[of] = max(largest[of], i.N)
	}
	for _, i := range v.Idle {
		if i.N == largest[idleCase{i.Workload, i.Distribution, 0}] {
			counts = append(counts, i)
			if at := (idleCase{i.Workload, i.Distribution, i.N}); !slices.Contains(cases, at) {
				cases = append(cases, at)
			}
		}
	}
	return counts, cases
}

// idleSums adds the counts of structures up over the cases, of those that lack none.
func (v *View) idleSums(d results.Driver, of []analysis.Contender) []results.Idle {
	counts, cases := v.largestIdle()
	var out []results.Idle
	for _, who := range of {
		sum, found := results.Idle{Structure: who.Name}, 0
		for _, i := range counts {
			if i.Driver != d || i.Structure != who.Name {
				continue
			}
			found++
			sum.Ticks, sum.Wakeups, sum.Fired = sum.Ticks+i.Ticks, sum.Wakeups+i.Wakeups, sum.Fired+i.Fired
			sum.Empty, sum.Moved, sum.Dropped = sum.Empty+i.Empty, sum.Moved+i.Moved, sum.Dropped+i.Dropped
			w := &sum.Work
			w.SlotsVisited, w.EmptySlots = w.SlotsVisited+i.Work.SlotsVisited, w.EmptySlots+i.Work.EmptySlots
			w.Moved, w.Dropped = w.Moved+i.Work.Moved, w.Dropped+i.Work.Dropped
			w.Comparisons += i.Work.Comparisons
		}
		if found > 0 && found == len(cases) {
			out = append(out, sum)
		}
	}
	return out
}

// idleScope says what the counts are over.
func (v *View) idleScope() string {
	var shapes []string
	var sizes []int
	_, cases := v.largestIdle()
	for _, c := range cases {
		if c.distribution != "" && !slices.Contains(shapes, c.distribution) {
			shapes = append(shapes, c.distribution)
		}
		sizes = append(sizes, c.n)
	}
	slices.Sort(sizes)
	out := "N = " + shortList(slices.Compact(sizes))
	if len(shapes) > 0 {
		out += ", delays " + show.And(shapes)
	}
	return out
}

// idleSentence says who wakes up for nothing under a driver that wakes when Next says so.
func (v *View) idleSentence() string {
	awake := slices.DeleteFunc(v.idleSums(results.Tickless, v.Contenders), func(i results.Idle) bool { return i.Wakeups == 0 })
	idle := slices.DeleteFunc(slices.Clone(awake), func(i results.Idle) bool { return i.Total() == 0 })
	all := show.Count(len(awake), "structure")
	switch {
	case len(awake) == 0:
		return ""
	case len(idle) == 0:
		return fmt.Sprintf("Under a tickless driver, none of %s wakes up for nothing. ", all)
	}
	share := func(i results.Idle) float64 { return float64(i.Total()) / float64(i.Wakeups) }
	slices.SortStableFunc(idle, func(a, b results.Idle) int { return cmp.Compare(share(b), share(a)) })
	var names []string
	for _, i := range idle {
		names = append(names, fmt.Sprintf("%s on %s", Literal(i.Structure), show.Percent(share(i))))
	}
	return fmt.Sprintf("Under a tickless driver, %d of %s wake up for nothing at times: %s of their "+
		"wake-ups. ", len(idle), all, show.And(names))
}

// idleTable shows the wake-ups of the structures by cause, and the work behind them.
func (v *View) idleTable() string {
	t := newTable("llr", "Structure", "Driver", "Ticks", "Wake-ups", "Fired", "Idle wake-ups",
		"empty", "only moved", "only dropped",
		"Slots visited", "of these empty", "Timers moved", "Stale dropped", "Comparisons")
	for _, d := range []results.Driver{results.Ticking, results.Tickless} {
		for _, i := range v.idleSums(d, v.ByMerit(v.Contenders)) {
			w := i.Work
			t.add(i.Structure, string(d), i.Ticks, i.Wakeups, i.Fired, i.Total(), i.Empty, i.Moved, i.Dropped,
				w.SlotsVisited, w.EmptySlots, w.Moved, w.Dropped, w.Comparisons)
		}
	}
	return t.Markdown()
}

func lateness(v *View) Section {
	return Section{
		Title: "How late do coarse structures fire, and what does it buy?",
		Lead: "A coarse structure rounds deadlines up: it fires late, never early, and by no more than " +
			"it declares for the delay, which was checked for every timer. All others fire at the very " +
			"tick. Ticking driver; exact counts.",
		Charts: []*draw.Figure{v.latenessChart()},
		Tables: []Table{{Title: "Lateness by shape of the delays", Body: v.latenessTable()}},
	}
}

// isLate reports whether counts hold the lateness of a coarse structure.
func isLate(i results.Idle) bool { return i.Lateness != nil && i.Driver == results.Ticking }

// latenessChart sets the cost of each coarse structure against its lateness, with the best exact
// ones beside. Nil: there is no coarse structure with both.
func (v *View) latenessChart() *draw.Figure {
	const exactShown = 3 // chosen
	mean, most, shapes := make(map[string]float64), make(map[string]float64), make(map[string]float64)
	counts, _ := v.largestIdle()
	for _, i := range counts {
		if isLate(i) {
			mean[i.Structure] += i.Lateness.MeanShare
			most[i.Structure] = max(most[i.Structure], i.Lateness.MaxShare)
			shapes[i.Structure]++
		}
	}
	cells := v.AnswerCells()
	var s draw.Scatter
	latest, exact := 0.0, 0
	for _, m := range v.Merits(cells, analysis.Contender.IsStructure) {
		times := show.Times(m.Typical) + " times the fastest, "
		at := draw.Place{Look: v.Looks[m.Name], Y: m.Typical, Label: m.Name, Title: times + "exact"}
		if n := shapes[m.Name]; n > 0 {
			at.X, at.Bold = mean[m.Name]/n, true
			at.Label += ", at most " + show.Percent(most[m.Name])
			at.Title = fmt.Sprintf("%slate by %s of the delay on average, %s at most",
				times, show.Percent(at.X), show.Percent(most[m.Name]))
		} else if exact++; exact > exactShown || v.IsCoarse(m.Name) {
			continue
		}
		latest = max(latest, at.X)
		s.Places = append(s.Places, at)
	}
	if latest == 0 {
		return nil
	}
	ticks := []float64{0}
	for _, share := range []float64{0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5} {
		if latest/share < 8 {
			for k := 1; float64(k)*share < latest*1.3; k++ {
				ticks = append(ticks, float64(k)*share)
			}
			break
		}
	}
	return &draw.Figure{
		Name:  "lateness",
		Title: "What does it buy to fire late?",
		Subtitle: fmt.Sprintf("What it says: the time, as the geometric mean of the multiples of the fastest over "+
			"%s, against the lateness of the timers, over %s. Beside each coarse structure stands the latest of its "+
			"timers.", show.Count(len(cells), "workload"), v.idleScope()),
		Caption: fmt.Sprintf("What it does not say: whether a program can bear it. At 0 %% stand the best %d exact "+
			"structures. The vertical axis is logarithmic.", min(exact, exactShown)),
		X:      draw.Axis{Ticks: draw.TicksAt(ticks, show.Percent), Linear: true, High: 1.45},
		Y:      draw.Axis{Ticks: draw.LogTicks{Label: ratioTick, Most: 7}, Low: 1.2, High: 1.2},
		Height: 240,
		Panels: []*draw.Panel{{
			XLabel: "mean lateness as a share of the delay", YLabel: "time, × the fastest", Marks: []draw.Marks{s},
		}},
	}
}

// latenessTable says how late coarse structures fired, for each distribution of
// delays. It is empty when all structures are exact.
func (v *View) latenessTable() string {
	t := newTable("llr", "Structure", "Delays", "N", "Fired", "Mean, ticks", "p99, ticks", "Max, ticks",
		"Mean, of the delay", "p99, of the delay", "Max, of the delay")
	for _, i := range v.Idle {
		if isLate(i) {
			l := i.Lateness
			t.add(i.Structure, i.Distribution, size(i.N), i.Fired, l.Mean, l.P99, l.Max,
				show.Percent(l.MeanShare), show.Percent(l.P99Share), show.Percent(l.MaxShare))
		}
	}
	return t.Markdown()
}
