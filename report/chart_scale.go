package report

import (
	"slices"

	"gonum.org/v1/plot"
)

// scaleChart shows cost against the number of resident timers, a panel for each
// synthetic workload. Nil: no number to show.
func (v *view) scaleChart() *figure {
	workloads := v.scaled()
	if len(workloads) == 0 {
		return nil
	}
	costs, sizes := newSpan(), newSpan()
	var ns []int
	curves := make(map[string]map[string][]mark) // by workload and contender
	for _, w := range workloads {
		curves[w] = make(map[string][]mark)
		for _, c := range v.cells(w) {
			for _, row := range c.Rows {
				s := cost(row)
				if !s.ok() || c.N <= 0 {
					continue
				}
				m := markOf(s, 0)
				curves[w][row.Structure] = append(curves[w][row.Structure],
					mark{x: float64(c.N), y: m.x, lo: m.lo, hi: m.hi})
				costs.add(m.x, m.lo, m.hi)
				sizes.add(float64(c.N))
				if !slices.Contains(ns, c.N) {
					ns = append(ns, c.N)
				}
			}
		}
	}
	rows := v.present(func(who contender) bool {
		return slices.ContainsFunc(workloads, func(w string) bool { return len(curves[w][who.name]) > 0 })
	})
	if len(rows) == 0 {
		return nil
	}
	f := &figure{
		name:  "scale",
		title: "How does the cost of a timer grow with their number?",
		subtitle: "Time per lifecycle (a timer scheduled, then fired or cancelled) against the number of resident timers; " +
			"per what, where not a lifecycle, stands in brackets. Lower is better; flat is constant cost.",
		caption: "Both axes are logarithmic. Median of the trials with its 95 % confidence interval, where that is wider than the mark. " +
			"Straight lines between measured points. The floor is a scheduler that does nothing: what the harness itself costs.",
		legend: v.keys(rows, true),
	}
	slices.Sort(ns)
	costs, sizes = costs.around(1.2, 1.2), sizes.around(1.25, 1.25)
	columns := min(len(workloads), 2)
	if len(workloads) > 4 {
		columns = 3
	}
	f.height = max(lines(len(workloads), columns)*250, 300)
	var panels []*plot.Plot
	for i, w := range workloads {
		c, _ := v.largest(w)
		p := newPanel(w + perUnit(c))
		logAxis(&p.X, sizes, sizeTicks(ns))
		logAxis(&p.Y, costs, logTicks{duration, 9})
		p.X.Label.Text = "resident timers (N)"
		p.Y.Label.Text = "time per " + string(unitOf(c))
		if i%columns > 0 {
			p.Y.Label.Text = ""
			p.Y.Tick.Marker = unnamed{p.Y.Tick.Marker}
		}
		// Last to first: the first of the catalog ends up on top.
		for _, who := range slices.Backward(rows) {
			if marks := curves[w][who.name]; len(marks) > 0 {
				p.Add(series{look: v.looks[who.name], radius: 2.7, marks: marks})
			}
		}
		panels = append(panels, p)
	}
	f.panels = arrange(panels, columns)
	return f
}

// sizeTicks marks the sizes that were measured.
func sizeTicks(ns []int) plot.ConstantTicks {
	ticks := make(plot.ConstantTicks, len(ns))
	for i, n := range ns {
		ticks[i] = plot.Tick{Value: float64(n), Label: short(float64(n))}
	}
	return ticks
}
