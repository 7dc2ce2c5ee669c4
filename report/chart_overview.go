package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

// steps are the colours of the overview: each is for costs up to that many times
// the best.
var steps = []struct {
	to    float64
	name  string
	color color.Color
}{
	{1.1, "up to 1.1 ×", hex("1b7837")},
	{1.5, "1.5 ×", hex("5aae61")},
	{2, "2 ×", hex("a6dba0")},
	{3, "3 ×", hex("e7f2d9")},
	{5, "5 ×", hex("fde3c0")},
	{10, "10 ×", hex("f7a668")},
	{30, "30 ×", hex("d9622b")},
	{math.Inf(1), "more", hex("8c2d04")},
}

func stepOf(ratio float64) int {
	for i, s := range steps {
		if ratio <= s.to {
			return i
		}
	}
	return len(steps) - 1
}

var notMeasured = hex("f2f2f2")

// overviewChart is the picture that answers "which one should I use?": the cost
// of each structure relative to the best, for each workload at its largest N.
// Nil: no workload has a cost.
func (v *view) overviewChart() *figure {
	var cells []results.Cell
	var groups []group
	for _, g := range []group{
		{names: []string{v.fromPrograms(), "programs"}, class: realistic},
		{names: []string{"delays × share cancelled", "grid"}, class: grid},
		{names: []string{"synthetic"}, class: synthetic},
	} {
		g.first = len(cells)
		for _, w := range v.ofClass(g.class) {
			if c, _ := v.fullest(w); len(rank(c).names) > 0 {
				cells = append(cells, c)
			}
		}
		if len(cells) > g.first {
			groups = append(groups, g)
		}
	}
	if len(cells) == 0 {
		return nil
	}
	caption := "Bold: the fastest, or tied with it (95 % confidence intervals overlap). "
	if len(cells) > 1 {
		groups = append(groups, group{first: len(cells)})
		caption += "Worst: the largest multiple of the row, where all workloads were measured: what the choice costs at most. "
	}
	rows := v.present(func(who contender) bool {
		if who.role != results.RoleStructure && who.role != results.RoleBaseline {
			return false
		}
		return slices.ContainsFunc(cells, func(c results.Cell) bool {
			row, ok := rowOf(c, who.name)
			return ok && cost(row).ok()
		})
	})
	table := overviewTable(cells, rows)
	f := &figure{
		name:     "overview",
		title:    "Which timer structure should I use?",
		subtitle: "Time per " + units(cells) + " as a multiple of the fastest structure's, for each workload at the largest N at which nearly all took part. Lower is better; 1 is the fastest.",
		caption:  caption + "Grey: not measured.",
		height:   vg.Length(len(rows))*19 + 76,
	}
	for _, s := range steps {
		f.legend = append(f.legend, key{text: s.name, swatch: s.color})
	}
	p := newPanel(" ")
	rowsAxis(p, names(rows), true)
	p.Y.Min, p.Y.Max = -0.5, float64(len(rows))-0.5
	columns, _ := table.Dims()
	p.X.Min, p.X.Max = -0.5, float64(columns)-0.5
	p.X.Tick.Length = 0
	p.X.Width, p.Y.Width = 0, 0
	labels := columnTicks(cells)
	p.X.Tick.Marker = labels
	p.X.Tick.Label.Font.Size = fitting(p.X.Tick.Label, labels,
		(figureWidth-2*margin-p.Y.Tick.Label.Width(longest(names(rows))))/vg.Length(columns)-3)
	p.Add(table, overviewNumbers{table, groups})
	f.panels = [][]*plot.Plot{{p}}
	return f
}

// units names what the costs of cells are counted per, the commonest first.
func units(cells []results.Cell) string {
	var found []string
	for _, unit := range []script.Unit{script.PerLifecycle, script.PerTick, script.PerReschedule, script.PerOperation} {
		if slices.ContainsFunc(cells, func(c results.Cell) bool { return unitOf(c) == unit }) {
			found = append(found, string(unit))
		}
	}
	if len(found) < 2 {
		return strings.Join(found, "")
	}
	return found[0] + " (or " + strings.Join(found[1:], ", or ") + ")"
}

// group is a run of columns of one class.
type group struct {
	names []string // the first that fits heads it
	class class
	first int
}

// columnTicks names the columns: workloads, broken so that they fit, and N. All
// labels have as many lines, which aligns them at the top.
func columnTicks(cells []results.Cell) plot.ConstantTicks {
	labels := make([][]string, len(cells))
	most := 0
	for i, c := range cells {
		labels[i] = strings.Split(c.Workload, "-")
		if d, cancel, ok := gridName(c.Workload); ok {
			labels[i] = []string{d, fmt.Sprintf("%d %%", cancel)}
		}
		labels[i] = append(labels[i], short(float64(c.N)))
		most = max(most, len(labels[i]))
	}
	if len(cells) > 1 {
		labels = append(labels, []string{"worst"})
	}
	ticks := make(plot.ConstantTicks, len(labels))
	for i, l := range labels {
		for len(l) < most {
			l = append(l, " ")
		}
		ticks[i] = plot.Tick{Value: float64(i), Label: strings.Join(l, "\n")}
	}
	return ticks
}

// fitting is the size of text, no larger than it is, at which labels are no wider
// than a column.
func fitting(sty text.Style, labels plot.ConstantTicks, column vg.Length) vg.Length {
	var widest vg.Length
	for _, t := range labels {
		widest = max(widest, sty.Width(t.Label))
	}
	if widest <= column {
		return sty.Font.Size
	}
	return sty.Font.Size * column / widest
}

// longest returns the name with the most letters.
func longest(names []string) string {
	out := ""
	for _, n := range names {
		if len(n) > len(out) {
			out = n
		}
	}
	return out
}

// ratios is the content of the overview: by row and column, NaN where there is no
// number. Its coordinates are indices, which puts each cell's edges midway.
type ratios struct {
	*plotter.HeatMap
	value [][]float64
	best  [][]bool
}

func overviewTable(cells []results.Cell, rows []contender) ratios {
	t := ratios{}
	for _, who := range rows {
		var values []float64
		var best []bool
		worst := 0.0
		for _, c := range cells {
			r := rank(c)
			row, _ := rowOf(c, who.name)
			s := cost(row)
			value := math.NaN()
			if s.ok() {
				value = s.median / r.stats[0].median
			}
			values = append(values, value)
			best = append(best, s.ok() && slices.Contains(r.names[:r.ties], who.name))
			worst = max(worst, value) // NaN stays
		}
		if len(cells) > 1 {
			values, best = append(values, worst), append(best, false)
		}
		t.value = append(t.value, values)
		t.best = append(t.best, best)
	}
	t.HeatMap = plotter.NewHeatMap(t, stepPalette{})
	t.HeatMap.Min, t.HeatMap.Max = 0, float64(len(steps)-1)
	t.HeatMap.NaN = notMeasured
	return t
}

// Dims implements plotter.GridXYZ, as do the next three.
func (t ratios) Dims() (c, r int)    { return len(t.value[0]), len(t.value) }
func (t ratios) X(c int) float64     { return float64(c) }
func (t ratios) Y(r int) float64     { return float64(r) }
func (t ratios) at(c, r int) float64 { return t.value[len(t.value)-1-r][c] }

// Z is the step of the colour scale, not the ratio itself.
func (t ratios) Z(c, r int) float64 {
	if v := t.at(c, r); !math.IsNaN(v) {
		return float64(stepOf(v))
	}
	return math.NaN()
}

type stepPalette struct{}

// Colors implements palette.Palette.
func (stepPalette) Colors() []color.Color {
	out := make([]color.Color, len(steps))
	for i := range steps {
		out[i] = steps[i].color
	}
	return out
}

// overviewNumbers writes the ratios into their cells and sets the cells apart.
type overviewNumbers struct {
	ratios
	groups []group
}

// Plot implements plot.Plotter.
func (o overviewNumbers) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	columns, rows := o.Dims()
	gap := draw.LineStyle{Color: color.White, Width: 1.5}
	for i := 0; i <= columns; i++ {
		x := trX(float64(i) - 0.5)
		c.StrokeLine2(gap, x, c.Min.Y, x, c.Max.Y)
	}
	heading := bold(smallSize, faded)
	for i, g := range o.groups {
		x := trX(float64(g.first) - 0.5)
		if g.first > 0 {
			c.StrokeLine2(draw.LineStyle{Color: color.White, Width: 7}, x, c.Min.Y, x, c.Max.Y)
		}
		end := c.Max.X
		if i+1 < len(o.groups) {
			end = trX(float64(o.groups[i+1].first) - 0.5)
		}
		for _, name := range g.names {
			if heading.Width(name) < end-x-6 {
				write(&c, heading, x+4, c.Max.Y+headingGap+1, 0, name)
				break
			}
		}
	}
	for i := 0; i <= rows; i++ {
		y := trY(float64(i) - 0.5)
		c.StrokeLine2(gap, c.Min.X, y, c.Max.X, y)
	}
	for col := range columns {
		for row := range rows {
			v := o.at(col, row)
			sty := sans(labelSize, ink)
			if math.IsNaN(v) {
				continue
			}
			if o.best[rows-1-row][col] {
				sty = bold(labelSize, ink)
			}
			if step := stepOf(v); step == 0 || step >= len(steps)-2 {
				sty.Color = color.White
			}
			write(&c, sty, trX(float64(col)), trY(float64(row))-labelSize*0.35, 0.5, overviewNumber(v))
		}
	}
}

func overviewNumber(v float64) string {
	if v == 1 {
		return "1"
	}
	return ratio(v)
}
