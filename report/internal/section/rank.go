package section

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/report/internal/analysis"
	"github.com/timerbench/timerbench/report/internal/draw"
)

func rank(v *View) Section {
	return Section{
		Title:  "How do the structures rank at each size?",
		Charts: []*draw.Figure{v.rankChart()},
	}
}

// rankChart shows the typical multiples of all structures, a panel for each of up to four sizes.
// Nil: there are no two sizes to compare.
func (v *View) rankChart() *draw.Figure {
	all := v.scaledCells()
	sizes := spread(sizesOf(all), 4)
	who := slices.DeleteFunc(v.ByMerit(v.Measured(all...)), func(c analysis.Contender) bool { return !c.IsStructure() })
	if len(sizes) < 2 || len(who) < 2 {
		return nil
	}
	f := &draw.Figure{
		Name: "rank",
		Subtitle: "The time of each structure as a multiple of the fastest: the geometric mean over the workloads measured " +
			"with that number of timers. The order of the rows is the ranking over all cells.",
		Caption: "A structure without a mark was not measured at that size. A structure that lacks some workloads " +
			"is ranked on the others.",
		X:      draw.Axis{Ticks: draw.LogTicks{Label: ratioTick, Most: 4}, Low: 1.1, High: 1.2, Also: []float64{1}},
		Height: draw.RowsHeight(len(who)), Columns: len(sizes),
	}
	for _, n := range sizes {
		cells := slices.DeleteFunc(slices.Clone(all), func(c *analysis.Cell) bool { return c.N != n })
		p := &draw.Panel{Title: "N = " + short(n), XLabel: "multiple of the fastest", Rows: v.stylesOf(who)}
		for place, m := range v.Merits(cells, analysis.Contender.IsStructure) {
			p.Marks = append(p.Marks, draw.Series{Style: v.Styles[m.Name], Radius: 2.7, Rows: true, Marks: []draw.Mark{{
				X: m.Typical, Y: float64(slices.Index(who, m.Contender)),
				Title: fmt.Sprintf("place %d at %s: %.2f × the fastest, in %d of %d workloads",
					place+1, short(n), m.Typical, m.Cells, len(cells)),
			}}})
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// spread returns up to most values of list, the first and the last among them.
func spread(list []int, most int) []int {
	if len(list) <= most {
		return list
	}
	var out []int
	for i := range most {
		out = append(out, list[i*(len(list)-1)/(most-1)])
	}
	return out
}
