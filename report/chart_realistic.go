package report

import (
	"strings"

	"gonum.org/v1/plot"

	"github.com/timerbench/timerbench/bench/results"
)

// fromPrograms says how the realistic workloads come from programs.
func (v *view) fromPrograms() string {
	recorded, all := 0, v.ofClass(realistic)
	for _, w := range all {
		if _, ok := v.r.Parameters.Traces[w]; ok {
			recorded++
		}
	}
	if recorded == len(all) {
		return "recorded from programs"
	}
	return "modelled on programs"
}

// unitsInBrackets is for cells under their titles, which name any unit but the
// lifecycle.
func unitsInBrackets(cells []results.Cell) string {
	if all := units(cells); !strings.Contains(all, "(") {
		return all
	}
	return "lifecycle, or per what stands in brackets"
}

// realisticChart shows the workloads that are modelled on programs. Nil: there
// are none.
func (v *view) realisticChart() *figure {
	workloads := v.ofClass(realistic)
	if len(workloads) == 0 {
		return nil
	}
	cells := make([]results.Cell, len(workloads))
	costs := newSpan()
	for i, w := range workloads {
		cells[i], _ = v.largest(w)
		for _, row := range cells[i].Rows {
			m := markOf(cost(row), 0)
			costs.add(m.x, m.lo, m.hi)
		}
	}
	rows := v.present(func(who contender) bool {
		for _, c := range cells {
			if row, ok := rowOf(c, who.name); ok && cost(row).ok() {
				return true
			}
		}
		return false
	})
	columns := min(len(cells), 3)
	f := &figure{
		name:     "realistic",
		title:    "What does a timer cost in real programs?",
		subtitle: "Time per " + unitsInBrackets(cells) + ", on workloads " + v.fromPrograms() + ". Lower (further left) is better.",
		caption:  "Logarithmic time axis. Median with its 95 % confidence interval, where that is wider than the mark.",
		height:   lines(len(cells), columns) * rowsHeight(len(rows)),
	}
	costs = costs.around(1.3, 1.3).roomRight(0.07 * float64(columns)) // for the numbers beside the marks
	var panels []*plot.Plot
	for i, c := range cells {
		p := newPanel(cellTitle(c))
		logAxis(&p.X, costs, logTicks{duration, 18 / columns})
		p.X.Label.Text = "time per " + string(unitOf(c))
		rowsAxis(p, names(rows), i%columns == 0)
		for j, who := range rows {
			row, ok := rowOf(c, who.name)
			if s := cost(row); ok && s.ok() {
				m := markOf(s, rowAt(j, len(rows)))
				m.label = duration(s.median)
				p.Add(dots{look: v.looks[who.name], radius: 3.2, marks: []mark{m}})
			}
		}
		panels = append(panels, p)
	}
	f.panels = arrange(panels, columns)
	return f
}
