package section

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
)

// usual are the structures of the first chart: what programs have, and the default on top of them.
var usual = []string{"list", "skiplist", "rbtree", "minheap", "quadheap", "wheel", "hwheel", "auto"}

// lives are the workloads of the first chart, the best one first: timers that are scheduled and then cancelled or fired, so that a
// structure pays for their whole lives. Others do if the results lack these.
var lives = []string{"grid-uniform-90", "grid-uniform-50", "cancel-hold-50", "hold"}

// wholeLife returns the cells of the first chart; nil: no workload has two sizes.
func (v *View) wholeLife() []*stats.Costs {
	for _, w := range slices.Concat(lives, v.Scaled()) {
		if cells := v.CellsOf(w); len(sizesOf(cells)) > 1 {
			return cells
		}
	}
	return nil
}

// CostChart is the first chart of a page: the cost by the number of timers in one workload. Nil: no workload has two sizes.
func (v *View) CostChart() *draw.Figure {
	cells := v.wholeLife()
	if cells == nil {
		return nil
	}
	w, fate := cells[0].Workload, ""
	if g := cells[0].Grid; g != nil {
		fate = fmt.Sprintf("A timer is scheduled, and then %d %% are cancelled and the others fire. ", g.CancelPercent)
	}
	f := &draw.Figure{
		Name: "cost", Title: "What does a timer cost over its whole life?", Headed: true,
		Subtitle: fmt.Sprintf("%sTime per %s by the number of timers (%s). Bands: 95 %% intervals, or the range of a few rounds.", fate, cells[0].Unit, w),
		X:        draw.Axis{Ticks: draw.TicksAt(sizesOf(cells), show.Short), Low: 1.25, High: 1.25},
		Y:        draw.Axis{Ticks: draw.LogTicks{Label: show.Duration, Most: 6}, Low: 1.2, High: 1.2},
		Height:   138, Columns: 1,
	}
	var bands, lines []draw.Marks
	add := func(curve draw.Series, label string) {
		curve.Style.Name, curve.Thick = label, label == answer.Default
		bands = append(bands, draw.Band{Series: clipped(curve)})
		curve.Marks = slices.Clone(curve.Marks)
		for i := range curve.Marks {
			curve.Marks[i].Lo, curve.Marks[i].Hi = 0, 0
		}
		lines = append(lines, curve)
		f.Legend = append(f.Legend, draw.Key{Text: label, Style: curve.Style, Line: true, Radius: 3})
	}
	measured := v.Measured(cells...)
	for _, name := range usual {
		if slices.ContainsFunc(measured, func(who answer.RowName) bool { return who.Name == name }) {
			curve := v.rangesOfFew(cells, v.costCurve(w, name))
			curve.Style.Color = v.overN(name).Color
			add(curve, name)
		}
	}
	slices.Reverse(f.Legend) // the default first
	if v.Live != nil {
		if curve := v.goCurve(results.StartStop(results.FormAfterFunc), ""); len(curve.Marks) > 0 {
			curve.Style.Dashes, curve.Style.Color = []draw.Length{3, 2}, draw.Faded
			add(curve, "Go's own timers, under the real clock")
		}
	}
	f.Panels = []*draw.Panel{{Marks: append(bands, lines...)}}
	return f
}

// fewRounds is the number of rounds from which on a band is a 95 % interval. The interval of fewer is far wider than what was seen.
const fewRounds = 6

// rangesOfFew replaces the intervals of a curve at points of few rounds by the range of the rounds.
func (v *View) rangesOfFew(cells []*stats.Costs, curve draw.Series) draw.Series {
	for i := range curve.Marks {
		m := &curve.Marks[i]
		for _, c := range cells {
			if float64(c.N) != m.X {
				continue
			}
			if rounds := c.Samples(c.Row(curve.Style.Structure)); len(rounds) > 0 && len(rounds) < fewRounds {
				byValue := func(a, b stats.Sample) int { return cmp.Compare(a.Value, b.Value) }
				m.Lo, m.Hi = min(m.Y, slices.MinFunc(rounds, byValue).Value), max(m.Y, slices.MaxFunc(rounds, byValue).Value)
			}
		}
	}
	return curve
}

// clipped limits the intervals of a curve, so that none stretches the axis.
func clipped(curve draw.Series) draw.Series {
	const most = 2
	for i := range curve.Marks {
		if m := &curve.Marks[i]; m.Lo < m.Hi {
			m.Lo, m.Hi = max(m.Lo, m.Y/most), min(m.Hi, m.Y*most)
		}
	}
	return curve
}
