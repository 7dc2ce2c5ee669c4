package report

import (
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// realistic says what the structures cost on what programs do.
func realistic(v *view) section {
	return section{
		title:  "What does a timer cost on workloads " + v.fromPrograms() + "?",
		absent: "workloads of programs",
		charts: []*draw.Figure{v.realisticChart()},
		tables: v.costTables(ofPrograms),
	}
}

// realisticChart has a panel for each workload of a program. Nil: there are none.
func (v *view) realisticChart() *draw.Figure {
	var cells []results.Cell
	for _, w := range v.ofClass(ofPrograms) {
		c, _ := v.largest(w)
		cells = append(cells, c)
	}
	if len(cells) == 0 {
		return nil
	}
	rows := v.measured(cells)
	columns := min(len(cells), 3)
	costs := v.costSpan(cells).Around(1.3, 1.3).RoomForLabels(0.07 * float64(columns)) // for the numbers beside the marks
	var panels []*draw.Panel
	for i, c := range cells {
		p := draw.NewPanel(cellTitle(c))
		p.LogX(timePer(c), costs, draw.LogTicks{Label: duration, Most: 18 / columns})
		p.Rows(v.looksOf(rows))
		if i%columns > 0 {
			p.UnnamedY()
		}
		for j, who := range rows {
			row, ok := rowOf(c, who.name)
			if s := v.cost(c, row); ok && s.ok() {
				m := markOf(s, draw.RowAt(j, len(rows)))
				m.Label = duration(s.median)
				p.Add(draw.Dots{Look: v.looks[who.name], Radius: 3.2, Marks: []draw.Mark{m}})
			}
		}
		panels = append(panels, p)
	}
	return &draw.Figure{
		Name:     "realistic",
		Subtitle: "Time per " + unitsInBrackets(cells) + ". Lower (further left) is better.",
		Caption:  "Logarithmic time axis. Median with its 95 % confidence interval, where that is wider than the mark.",
		Height:   draw.Lines(len(cells), columns) * draw.RowsHeight(len(rows)),
		Panels:   draw.Arrange(panels, columns),
	}
}

// unitsInBrackets is for cells under their titles, which name any unit but the
// lifecycle.
func unitsInBrackets(cells []results.Cell) string {
	if all := units(cells); !strings.Contains(all, "(") {
		return all
	}
	return "lifecycle, or per what stands in brackets"
}
