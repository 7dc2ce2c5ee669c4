package section

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
)

func scale(v *View) Section {
	return Section{
		Title:  "How does the cost grow with the number of timers?",
		Absent: "cost against N",
		Charts: []*draw.Figure{v.scaleChart()},
	}
}

// scaleChart shows cost against the number of resident timers, a panel for each
// synthetic workload. Nil: no number to show.
func (v *View) scaleChart() *draw.Figure {
	workloads := v.Scaled()
	cells := slices.DeleteFunc(slices.Clone(v.Cells), func(c *stats.Costs) bool { return c.N <= 0 || !slices.Contains(workloads, c.Workload) })
	rows, sizes := v.Measured(cells...), sizesOf(cells)
	if len(rows) == 0 {
		return nil
	}
	shown := v.Curves(rows)
	columns, height := min(len(workloads), 2), draw.Length(250)
	if len(workloads) > 4 {
		columns = 3
	}
	if len(workloads) <= columns { // one row
		height = 300
	}
	f := &draw.Figure{
		Name: "scale",
		Subtitle: "The time per lifecycle (a timer is scheduled, then fires or is cancelled), or per the unit in brackets, " +
			"by the number of resident timers. Lower is better. A flat line is a constant cost.",
		Caption: "Straight lines join the measured points. Both axes are logarithmic. A bar is a 95 % confidence interval " +
			"that is wider than its mark. The floor is the cost of the harness with a scheduler that does nothing. " +
			v.ChoiceNote(rows),
		Legend: mapped(v.stylesOf(shown), draw.Style.Key),
		X:      draw.Axis{Ticks: draw.TicksAt(sizes, show.Short), Low: 1.25, High: 1.25},
		Y:      draw.Axis{Ticks: draw.LogTicks{Label: show.Duration, Most: 9}, Low: 1.2, High: 1.2},
		Height: height, Columns: columns,
	}
	left := "" // what names the vertical axis in this row of panels
	for i, w := range workloads {
		c := v.Largest(w, (*results.Row).HasCost)
		p := &draw.Panel{Title: w + perUnit(c), XLabel: "resident timers (N)"}
		if label := "time per " + string(c.Unit); i%columns == 0 || label != left {
			p.YLabel, left = label, label
		}
		for _, who := range rows {
			if !slices.Contains(shown, who) {
				curve := v.costCurve(w, who.Name)
				curve.OnDemand = true
				p.Marks = append(p.Marks, curve)
			}
		}
		for _, who := range slices.Backward(shown) { // the first one ends up on top
			p.Marks = append(p.Marks, v.costCurve(w, who.Name))
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// costCurve is the cost of a contender at each size of a workload.
func (v *View) costCurve(workload, name string) draw.Series {
	out := draw.Series{Style: v.Styles[name], Radius: 2.7, Joined: true}
	for _, c := range v.CellsOf(workload) {
		if s := c.Cost(c.Row(name)); s.OK() && c.N > 0 {
			m := draw.Mark{X: float64(c.N), Y: s.Center, Title: show.Short(s.Center) + " ns at " + short(c.N)}
			if s.Bounded() && s.Lo > 0 {
				m.Lo, m.Hi = s.Lo, s.Hi
			}
			out.Marks = append(out.Marks, m)
		}
	}
	return out
}

// sizesOf returns the distinct sizes of cells in ascending order.
func sizesOf(cells []*stats.Costs) []int {
	sizes := distinct(mapped(cells, func(c *stats.Costs) int { return c.N }))
	return slices.DeleteFunc(sizes, func(n int) bool { return n <= 0 })
}

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
		band := draw.Band{Series: curve}
		band.Marks = v.bandOf(cells, curve)
		for i := range curve.Marks {
			curve.Marks[i].Lo, curve.Marks[i].Hi = 0, 0
		}
		bands, lines = append(bands, band), append(lines, curve)
		f.Legend = append(f.Legend, curve.Style.Key())
	}
	measured := v.Measured(cells...)
	for _, name := range usual {
		if slices.ContainsFunc(measured, func(who answer.RowName) bool { return who.Name == name }) {
			curve := v.costCurve(w, name)
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

// bandOf returns the marks of a curve with the intervals of its band: at points of few rounds the range of the rounds, and none that
// would stretch the axis.
func (v *View) bandOf(cells []*stats.Costs, curve draw.Series) []draw.Mark {
	const most = 2 // times the value
	out := slices.Clone(curve.Marks)
	for i := range out {
		m := &out[i]
		for _, c := range cells {
			rounds := mapped(c.Samples(c.Row(curve.Style.Structure)), func(s stats.Sample) float64 { return s.Value })
			if float64(c.N) == m.X && len(rounds) > 0 && len(rounds) < fewRounds {
				m.Lo, m.Hi = min(m.Y, slices.Min(rounds)), max(m.Y, slices.Max(rounds))
			}
		}
		if m.Lo < m.Hi {
			m.Lo, m.Hi = max(m.Lo, m.Y/most), min(m.Hi, m.Y*most)
		}
	}
	return out
}

func grid(v *View) Section {
	return Section{
		Title:  "Does it matter how deadlines are spread?",
		Absent: "the grid of distributions",
		Charts: []*draw.Figure{v.gridChart()},
	}
}

// gridChart compares the distributions of the delays, with a panel for each share
// cancelled. Nil: there is no grid.
func (v *View) gridChart() *draw.Figure {
	cells := slices.DeleteFunc(v.InClass(workload.Grid), func(c *stats.Costs) bool { return c.Grid == nil })
	if len(cells) == 0 {
		return nil
	}
	at := make(map[results.Grid]*stats.Costs)
	for _, c := range cells {
		at[*c.Grid] = c
	}
	distributions, shares := gridOf(cells)
	measured := v.Measured(cells...)
	rows, columns := v.Leaders(measured), min(len(shares), 3)
	f := &draw.Figure{
		Name: "grid",
		Subtitle: fmt.Sprintf("The time per %s with %s delays, by the share of timers cancelled before they fire. N = %s resident timers. "+
			"The time is relative to that of the empty loop in the same rounds, so that a change of the machine between the workloads cancels out. "+
			"Further left is better.",
			units(cells), show.And(distributions), shortList(sizesOf(cells))),
		Caption: "A line joins the marks of one structure: the same operations with other delays. A bar is a 95 % " +
			"confidence interval that is wider than its mark. The axis is logarithmic. " + v.ChoiceNote(measured),
		X:      draw.Axis{Ticks: draw.LogTicks{Label: ratioTick, Most: 16 / columns}, Low: 1.25, High: 1.25},
		Height: draw.RowsHeight(len(rows)), Columns: columns,
	}
	for _, share := range shares {
		p := &draw.Panel{
			Title: fmt.Sprintf("%d %% cancelled", share), XLabel: "time / time of the empty loop", Rows: v.stylesOf(rows),
		}
		for i, who := range rows {
			line := draw.Series{Style: v.Styles[who.Name], Rows: true, Joined: true}
			var points []draw.Marks
			for d, distribution := range distributions {
				c := at[results.Grid{Delays: distribution, CancelPercent: share}]
				if c == nil {
					continue
				}
				r := c.Ratio(c.Row(who.Name), c.Of(results.RoleFloor))
				if r.Pairs == 0 {
					continue
				}
				m := draw.Mark{X: r.Center, Y: float64(i)}
				line.Marks = append(line.Marks, m)
				if r.Bounded() {
					m.Lo, m.Hi = r.Lo, r.Hi
				}
				point := distributionMark(v.Styles[who.Name], d)
				point.Marks = []draw.Mark{m}
				points = append(points, point)
			}
			p.Marks = append(append(p.Marks, line), points...)
		}
		f.Panels = append(f.Panels, p)
	}
	for i, d := range distributions {
		of := distributionMark(draw.Style{Color: draw.Faded}, i)
		f.Legend = append(f.Legend, draw.Key{Text: d, Style: of.Style, Radius: of.Radius})
	}
	return f
}

// gridOf returns the shapes of delays and the shares cancelled, in percent, of cells of the grid.
func gridOf(cells []*stats.Costs) (delays []string, shares []int) {
	for _, c := range cells {
		if !slices.Contains(delays, c.Grid.Delays) {
			delays = append(delays, c.Grid.Delays)
		}
	}
	return delays, distinct(mapped(cells, func(c *stats.Costs) int { return c.Grid.CancelPercent }))
}

// distributionMark returns the marker of a distribution, by its index, in the color
// of a style.
func distributionMark(l draw.Style, distribution int) draw.Series {
	shape, radius := draw.Markers[(distribution+1)%len(draw.Markers)], draw.Length(2.8)
	switch distribution {
	case 0:
		shape, radius = draw.Circle, 3.2
	case 1:
		shape, radius = draw.Diamond.AsHollow(), 3
	}
	l.Marker = shape
	return draw.Series{Style: l, Radius: radius, Rows: true}
}

func ratioTick(r float64) string {
	if r < 1 {
		return "1/" + show.Figure(1/r)
	}
	return show.Figure(r)
}
