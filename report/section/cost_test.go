package section

import (
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
	"github.com/timerbench/timerbench/structures/catalog"
)

// The band of a point of few rounds is their range, no interval, and no band reaches beyond twice the line. The default is drawn last.
func TestTheBandsOfTheFirstChart(t *testing.T) {
	r := &results.Run{Complete: true}
	for _, n := range []int{100, 1000} {
		c := results.Cell{Workload: "grid-uniform-90", N: n, Unit: "lifecycle", Grid: &results.Grid{Delays: "uniform", CancelPercent: 90}}
		for name, ns := range map[string][]float64{"auto": {10, 11, 10, 11, 10, 11, 10, 11}, "rbtree": {30, 40, 200}} {
			row := results.Row{Structure: name, Role: results.RoleStructure}
			for i, v := range ns {
				row.Cost = append(row.Cost, results.Trial{Instance: i, Round: i, NS: v, Units: 1})
			}
			c.Rows = append(c.Rows, row)
		}
		r.Cells = append(r.Cells, c)
	}
	f := NewView(answer.Of(r, catalog.All())).CostChart()
	marks := f.Panels[0].Marks
	last, ok := marks[len(marks)-1].(draw.Series)
	if !ok || last.Style.Name != "auto" || !last.Thick || f.Legend[0].Text != "auto" {
		t.Errorf("the last line is %+v, the first key %+v", last.Style, f.Legend[0])
	}
	for _, m := range marks {
		band, ok := m.(draw.Band)
		if !ok || band.Style.Name != "rbtree" {
			continue
		}
		for _, m := range band.Marks {
			if m.Lo < m.Y/2 || m.Hi > 2*m.Y || m.Hi == m.Lo {
				t.Errorf("the band %v to %v around %v", m.Lo, m.Hi, m.Y)
			}
		}
		if first := band.Marks[0]; first.Lo != max(first.Y/2, 30) {
			t.Errorf("the band of three rounds begins at %v of the line at %v, want at the fastest", first.Lo, first.Y)
		}
	}
}
