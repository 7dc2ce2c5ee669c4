package section

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// usual are the structures of the first chart: the default, and what programs have.
var usual = []string{"auto", "hwheel", "wheel", "quadheap", "minheap", "rbtree", "skiplist", "list"}

// CostChart is the first chart of a page: the cost by the number of timers in one workload. Nil: no workload has two sizes.
func (v *View) CostChart() *draw.Figure {
	for _, w := range v.Scaled() {
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
		add := func(curve draw.Series, label string) {
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
					add(v.costCurve(w, who.Name), label)
				}
			}
		}
		if v.Live != nil {
			if curve := v.goCurve(results.StartStop(results.FormAfterFunc), ""); len(curve.Marks) > 0 {
				curve.Style.Dashes = []draw.Length{3, 2}
				add(curve, "Go's own timers, under the real clock")
			}
		}
		p.Marks = append(bands, lines...)
		f.Panels = []*draw.Panel{p}
		return f
	}
	return nil
}
