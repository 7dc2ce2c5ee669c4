package section

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/analysis"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// usual are the structures of the first chart: the default, and what programs have.
var usual = []string{"auto", "hwheel", "wheel", "quadheap", "minheap", "rbtree", "skiplist", "list"}

// CostChart is the first chart of a page: the cost by the number of timers in one workload. Nil: no workload has two sizes.
func (v *View) CostChart() *draw.Figure {
	workloads := v.Scaled()
	slices.SortStableFunc(workloads, func(a, b string) int { // those with Go's timers first
		has := func(w string) int {
			if v.Largest(w, (*results.Row).HasCost).Of(results.RoleBaseline).HasCost() {
				return 1
			}
			return 0
		}
		return has(b) - has(a)
	})
	for _, w := range workloads {
		cells := v.CellsOf(w)
		if len(sizesOf(cells)) < 2 {
			continue
		}
		f := &draw.Figure{
			Name: "cost", Title: "What does a timer cost?", Headed: true,
			Subtitle: fmt.Sprintf("Time per %s by the number of timers (%s). Bands: 95 %% intervals.", cells[0].Unit, w),
			X:        draw.Axis{Ticks: draw.TicksAt(sizesOf(cells), show.Short), Low: 1.25, High: 1.25},
			Y:        draw.Axis{Ticks: draw.LogTicks{Label: show.Duration, Most: 6}, Low: 1.2, High: 1.2},
			Height:   138, Columns: 1,
		}
		p := &draw.Panel{}
		var bands, lines []draw.Marks
		add := func(who analysis.Contender, label string) {
			curve := v.costCurve(w, who.Name)
			curve.Style.Name = label
			bands = append(bands, draw.Band(curve))
			curve.Marks = slices.Clone(curve.Marks)
			for i := range curve.Marks {
				curve.Marks[i].Lo, curve.Marks[i].Hi = 0, 0
			}
			lines = append(lines, curve)
			f.Legend = append(f.Legend, draw.Key{Text: label, Style: curve.Style, Line: true, Radius: 3})
		}
		measured := v.Measured(cells...)
		for _, name := range usual {
			for _, who := range measured {
				if label := name; who.Name == name {
					if name == "quadheap" {
						label = "quadheap, as Go has it"
					}
					add(who, label)
				}
			}
		}
		for _, who := range measured {
			if who.Role == results.RoleBaseline {
				add(who, "Go's own timers")
			}
		}
		p.Marks = append(bands, lines...)
		f.Panels = []*draw.Panel{p}
		return f
	}
	return nil
}
