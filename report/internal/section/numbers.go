package section

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/cost"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/analysis"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// mostOff is the ratio of model and time beyond which the page names a row (chosen).
const mostOff = 1.5

func why(v *View) Section {
	s := Section{Title: "Why is it faster?"}
	w := v.Why()
	if w == nil {
		return s
	}
	from, near, agree, known := v.Known.Counts, 0, 0, 0
	var off []string
	t := newTable("lrllrrrrrrrl", "Workload", "N", "Structure", "Multiple of the fastest", "ns", "Model, ns", "Instructions",
		"Misses of 32 kB", "of 1 MB", "of 32 MB", "Mispredicted", "Counts")
	for _, c := range w.Rows {
		if c.Off() <= analysis.Near {
			near++
		}
		if c.Off() > mostOff {
			off = append(off, fmt.Sprintf("%s in %s (%s ns, by the counts %s)", c.Structure,
				sized(c.Workload, c.N), show.Figure(c.NS), show.Figure(c.Model)))
		}
		ok, said := w.Agree(c)
		if said {
			known++
		}
		if ok {
			agree++
		}
		place := show.Number(1, "fastest")
		if c.To.Center > 1 {
			place = ratio(c.To)
			place.Text += map[stats.Standing]string{stats.Tie: ", a tie", stats.Unclear: "?"}[c.To.Standing()]
		}
		addUnit(t, c.Cell, show.Name(c.Structure), place, c.NS, c.Model, c.Instructions, c.L1Misses,
			c.L2Misses, c.LLMisses, c.Mispredicted, agreement(ok, said))
	}
	s.Lead = show.Para(fmt.Sprintf("Counts explain times, and they are the same on any machine. For the first structures of each cell a simulator "+
		"counted the instructions, the cache misses and the mispredicted branches at commit %s (%s, %s). The model adds them to "+
		"the cost of the harness: %s ns for an instruction, %s ns for a miss of 32 kB, %s ns more for a miss of 1 MB, %s ns more for "+
		"a miss of 32 MB, and %s ns for a mispredicted branch. These nonnegative weights fit the times of this run best. %s", cmp.Or(from.Revision[:min(12, len(from.Revision))], "unknown"), from.Go, from.Arch,
		show.Figure(w.Costs.Instruction), show.Figure(w.Costs.L1Miss), show.Figure(w.Costs.L2Miss), show.Figure(w.Costs.LLMiss),
		show.Figure(w.Costs.Mispredicted), sinceCounted(v)))
	s.Charts = []*draw.Figure{v.whyChart(w)}
	said := fmt.Sprintf("The model is within %s times the time in %d of %d rows. The counts agree with the ranking in %d of %d: they put a "+
		"structure behind the fastest if its time is certainly longer, and within %s times the fastest if it is not.",
		show.Times(analysis.Near), near, len(w.Rows), agree, known, show.Times(analysis.Near))
	if len(off) > 0 {
		said += fmt.Sprintf(" Time and counts differ by more than %s times for %s. The model knows neither dependencies between "+
			"instructions nor the caches of this machine.",
			show.Times(mostOff), show.And(off))
	}
	s.Caption = show.Para(said)
	s.Tables = []Table{{Title: "Counts of the first structures of each cell, per unit of cost", Body: show.Tables(t)}}
	return s
}

func agreement(ok, known bool) string {
	switch {
	case !known:
		return show.Unknown
	case ok:
		return "agree"
	}
	return "do not agree"
}

func sinceCounted(v *View) string {
	if v.Environment.Revision == v.Known.Counts.Revision {
		return ""
	}
	return "The run is of another commit, so a structure that has changed since has other counts."
}

func (v *View) whyChart(w *analysis.Why) *draw.Figure {
	least, most := math.Inf(1), 0.0
	marks := make(map[string][]draw.Mark)
	for _, c := range w.Rows {
		least, most = min(least, c.NS, c.Model), max(most, c.NS, c.Model)
		marks[c.Structure] = append(marks[c.Structure], draw.Mark{
			X: c.Model, Y: c.NS,
			Title: fmt.Sprintf("%s: %s ns, by the counts %s", sized(c.Workload, c.N), show.Figure(c.NS), show.Figure(c.Model)),
		})
	}
	present := v.ByMerit(v.Present(func(who analysis.Contender) bool { return marks[who.Name] != nil }))
	both := draw.Axis{Ticks: draw.LogTicks{Label: show.Short, Most: 7}, Low: 1.15, High: 1.15}
	p := &draw.Panel{XLabel: "ns by the counts", YLabel: "ns, measured", Marks: []draw.Marks{draw.Series{
		Style: draw.Style{Color: draw.Pale(draw.Faded, 0.45)}, Joined: true, Marks: []draw.Mark{{X: least, Y: least}, {X: most, Y: most}},
	}}}
	for _, who := range present {
		p.Marks = append(p.Marks, draw.Series{Style: v.Styles[who.Name], Radius: 3, Marks: marks[who.Name]})
	}
	return &draw.Figure{
		Name:     "why",
		Title:    "Counts and times",
		Subtitle: "The time of a unit, by the time that the model predicts from the counts. On the line both are equal.",
		Caption:  "Both axes are logarithmic.",
		Legend:   v.keys(present),
		X:        both, Y: both,
		Height: 320,
		Panels: []*draw.Panel{p},
	}
}

// because names the count that separates the fastest structure of a cell from the next one. nil: not both are counted.
func because(w *analysis.Why, c *cost.Costs) any {
	rows := w.Of(c)
	if len(rows) < 2 || rows[0].Structure != c.Ranked[0].Structure {
		return nil
	}
	r := w.Between(c, rows[0].Structure, rows[1].Structure)
	ok, known := w.Agree(rows[0])
	return fmt.Sprintf("%s %s, %s %s: counts %s", show.Figure(r.Value), r.Count, r.Against, show.Figure(r.Other), agreement(ok, known))
}

func inNumbers(v *View) Section {
	s := Section{
		Title: "What are the numbers of each workload?",
		Lead: show.Para("Each workload has its cost at each N and the time per call by kind of operation. The 95 % confidence " +
			"interval is in brackets. × is the ratio to the fastest structure, paired by round; the time is that ratio times the time " +
			"of the fastest. Bold: may be the fastest. For the time per call, the clock is read once per run of operations of one kind, and its cost is subtracted; the wake-up that ends a run of fires is part of " +
			"fire. The results file has all sizes."),
	}
	for _, w := range v.Workloads() {
		cells := v.CellsOf(w)
		var body show.Text
		add := func(title string, t *show.Table) {
			if len(t.Rows) > 0 {
				body = slices.Concat(body, show.Para(show.Strong(title)), show.Tables(t))
			}
		}
		add("Cost in nanoseconds", v.costTable(cells))
		if c := v.Largest(w, hasKinds); c != nil {
			add("Nanoseconds per call, N = "+short(c.N), v.kindTable(c))
		}
		title := w + ": time per " + string(cells[0].Unit)
		s.Tables = append(s.Tables, Table{Title: title, Body: body})
	}
	return s
}

func hasKinds(r *results.Row) bool {
	return slices.ContainsFunc(r.ByKind, func(t results.Trial) bool { return len(t.Kinds) > 0 })
}

// costTable shows the costs of a workload, with two columns for each N.
func (v *View) costTable(cells []*cost.Costs) *show.Table {
	cells = slices.DeleteFunc(slices.Clone(cells), func(c *cost.Costs) bool { return len(v.Measured(c)) == 0 })
	var header []string
	for _, c := range cells {
		header = append(header, "N = "+short(c.N), "×")
	}
	return pivot("lr", v.ByMerit(v.Measured(cells...)), header, func(who analysis.Contender, column int) any {
		c := cells[column/2]
		row := c.Row(who.Name)
		switch {
		case !row.HasCost() || column%2 == 1 && who.Role == results.RoleFloor:
			return nil
		case column%2 == 0:
			return withInterval(c.Cost(row))
		}
		return faceIf(c.MayBeBest(row), ratio(c.ToBest(row)))
	})
}

func (v *View) kindTable(c *cost.Costs) *show.Table {
	var found []script.Kind
	for _, r := range c.Rows {
		for _, t := range r.ByKind {
			for _, k := range t.Kinds {
				if k.Count > 0 {
					found = append(found, k.Kind)
				}
			}
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	var header []string
	for _, k := range found {
		header = append(header, k.String())
	}
	return pivot("lr", v.ByMerit(v.Contenders), header, func(who analysis.Contender, column int) any {
		if s := c.KindCost(c.Row(who.Name), found[column]); s.OK() {
			return withInterval(s)
		}
		return nil
	})
}
