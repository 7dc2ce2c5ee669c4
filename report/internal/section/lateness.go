package section

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/analysis"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// lateness says how late coarse structures fire, and what that buys.
func lateness(v *View) Section {
	return Section{
		Title: "How late do coarse structures fire, and what does it buy?",
		Lead: "A coarse structure rounds deadlines up: it fires late, never early, and by no more than it declares " +
			"for the delay, which was checked for every timer. All others fire at the very tick. Ticking driver; " +
			"exact counts.",
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
	var multiples draw.Span
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
		multiples.Add(m.Typical)
		s.Places = append(s.Places, at)
	}
	if latest == 0 {
		return nil
	}
	p := draw.NewPanel("")
	ticks := []float64{0}
	for _, share := range []float64{0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5} {
		if latest/share < 8 {
			for k := 1; float64(k)*share < latest*1.3; k++ {
				ticks = append(ticks, float64(k)*share)
			}
			break
		}
	}
	p.LinearX("mean lateness as a share of the delay", latest*1.45, draw.TicksAt(ticks, show.Percent))
	p.LogY("time, × the fastest", multiples.Around(1.2, 1.2), draw.LogTicks{Label: ratioTick, Most: 7})
	p.Add(s)
	return &draw.Figure{
		Name:  "lateness",
		Title: "What does it buy to fire late?",
		Subtitle: fmt.Sprintf("What it says: the time, as the geometric mean of the multiples of the fastest over "+
			"%s, against the lateness of the timers, over %s. Beside each coarse structure stands the latest of its "+
			"timers.", show.Count(len(cells), "workload"), v.idleScope()),
		Caption: fmt.Sprintf("What it does not say: whether a program can bear it. At 0 %% stand the best %d exact "+
			"structures. The vertical axis is logarithmic.", min(exact, exactShown)),
		Height: 240,
		Panels: [][]*draw.Panel{{p}},
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
