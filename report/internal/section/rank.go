package section

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/report/internal/analysis"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// rank says which place each structure has among few timers and among many.
func rank(v *View) Section {
	return Section{
		Title:  "Which place has each structure, among few timers and among many?",
		Charts: []*draw.Figure{v.rankChart()},
	}
}

// rankChart shows the typical multiples of all structures, a panel for each of up to four sizes.
// Nil: there are no two sizes to compare.
func (v *View) rankChart() *draw.Figure {
	bySize := make(map[int][]*analysis.Cell)
	var all []*analysis.Cell
	for _, w := range v.Scaled() {
		for _, c := range v.CellsOf(w) {
			bySize[c.N] = append(bySize[c.N], c)
			all = append(all, c)
		}
	}
	sizes := spread(sizesOf(all), 4)
	who := slices.DeleteFunc(v.Measured(all...), func(c analysis.Contender) bool { return !c.IsStructure() })
	if len(sizes) < 2 || len(who) < 2 {
		return nil
	}
	who = v.ByMerit(who)
	var rows []draw.Look
	for _, c := range who {
		rows = append(rows, v.Looks[c.Name])
	}
	multiples := draw.SpanOf(1.0)
	marks := make([]map[string]draw.Mark, len(sizes))
	for i, n := range sizes {
		marks[i] = make(map[string]draw.Mark)
		for place, m := range v.Merits(bySize[n], analysis.Contender.IsStructure) {
			row := slices.IndexFunc(who, func(c analysis.Contender) bool { return c.Name == m.Name })
			multiples.Add(m.Typical)
			marks[i][m.Name] = draw.Mark{
				X: m.Typical, Y: draw.RowAt(row, len(rows)),
				Title: fmt.Sprintf("place %d at %s: %.2f × the fastest, in %d of %d workloads",
					place+1, short(n), m.Typical, m.Cells, len(bySize[n])),
			}
		}
	}
	multiples = multiples.Around(1.1, 1.2)
	var panels []*draw.Panel
	for i, n := range sizes {
		p := draw.NewPanel("N = " + short(n))
		p.LogX("multiple of the fastest", multiples, draw.LogTicks{Label: ratioTick, Most: 4})
		p.Rows(rows)
		for _, c := range who {
			if m, ok := marks[i][c.Name]; ok {
				p.Add(draw.Dots{Look: v.Looks[c.Name], Radius: 2.7, Marks: []draw.Mark{m}})
			}
		}
		panels = append(panels, p)
	}
	return &draw.Figure{
		Name: "rank",
		Subtitle: "What it says: the time of each structure as a multiple of that of the fastest, the geometric mean " +
			"over the workloads that are measured at this number of timers. The structures are in the order of all cells.",
		Caption: "What it does not say: in which workload. A structure that has no mark was not measured among so many; " +
			"one that was not measured in each workload has a mark for those in which it was.",
		Height: draw.RowsHeight(len(rows)),
		Panels: panels, Columns: len(panels),
	}
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
