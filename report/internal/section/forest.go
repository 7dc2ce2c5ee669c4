package section

import (
	"fmt"

	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/draw"
)

func forest(v *View) Section {
	return Section{
		Title:  "When is another structure worth it?",
		Absent: "ratios of structures",
		Charts: []*draw.Figure{v.forestChart()},
	}
}

// forestChart shows the ratios of the leaders to the one with the best typical multiple, paired
// by round: a panel for each, a row for each workload. Nil: there are no two structures to compare.
func (v *View) forestChart() *draw.Figure {
	cells := v.AnswerCells()
	measured := v.Measured(cells...)
	leaders := v.Leaders(measured)
	if len(leaders) < 2 {
		return nil
	}
	base, rest := leaders[0].Name, leaders[1:]
	var rows []draw.Style
	for _, c := range cells {
		rows = append(rows, draw.Style{Name: c.Workload + "  " + short(c.N), Cell: cellName(c)})
	}
	columns := min((len(rest)+1)/2, 4)
	f := &draw.Figure{
		Name: "forest",
		Subtitle: fmt.Sprintf("The time of each structure divided by the time of %s, the best over all workloads, with its 95 %% interval. "+
			"The ratios are paired by round. Left of the line the structure is faster than %s, right of it slower.", base, base),
		Caption: "Each workload is at the largest N that nearly all structures ran at. The axis is logarithmic. " +
			"Each interval is for one comparison, so about one in twenty misses. " + v.ChoiceNote(measured),
		X:      draw.Axis{Ticks: draw.LogTicks{Label: ratioTick, Most: 15 / columns}, Low: 1.15, High: 1.15},
		Height: draw.RowsHeight(len(rows)), Columns: columns,
	}
	compared := false
	for _, who := range rest {
		p := &draw.Panel{Title: who.Name, XLabel: "time of " + who.Name + " / time of " + base, Rows: rows}
		p.Marks = []draw.Marks{draw.VerticalLine{X: 1, Style: draw.Style{Color: draw.Faded, Dashes: []draw.Length{2, 2}}}}
		s := draw.Series{Style: v.Styles[who.Name], Radius: 2.7, Rows: true}
		for i, c := range cells {
			if r := c.Row(who.Name).RatioTo(c.Row(base)); r.Pairs > 0 {
				m := draw.Mark{X: r.Center, Y: float64(i), Title: times(r) + " on " + rows[i].Name}
				if r.Bounded() {
					m.Lo, m.Hi = r.Lo, r.Hi
				}
				s.Marks = append(s.Marks, m)
				compared = true
			}
		}
		p.Marks = append(p.Marks, s)
		f.Panels = append(f.Panels, p)
	}
	if !compared {
		return nil
	}
	return f
}

func ratioTick(r float64) string {
	if r < 1 {
		return "1/" + show.Figure(1/r)
	}
	return show.Figure(r)
}
