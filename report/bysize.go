package report

import (
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// BySize is a chart of figures against the number of timers: a panel for each figure, a
// line for each structure. The zero BySize is empty.
type BySize struct {
	panels []*sizePanel
	rows   []contender
}

// SizeUnit is the unit of a figure.
type SizeUnit int

// The units.
const (
	Nanoseconds SizeUnit = iota
	Bytes
)

func (u SizeUnit) format(value float64) string {
	if u == Bytes {
		return short(value) + " B"
	}
	return duration(value)
}

type sizePanel struct {
	what   string
	unit   SizeUnit
	points []sizePoint
}

type sizePoint struct {
	structure string
	n         int
	value     float64
}

// Add adds a figure of a structure, or of a floor or baseline, among n timers. A figure that
// is not above 0 has no place on a logarithmic axis and is left out.
func (b *BySize) Add(what string, unit SizeUnit, structure string, role results.Role, n int, value float64) {
	if !(value > 0) {
		return
	}
	if who := (contender{structure, role, ""}); !slices.Contains(b.rows, who) {
		b.rows = append(b.rows, who)
	}
	i := slices.IndexFunc(b.panels, func(p *sizePanel) bool { return p.what == what })
	if i < 0 {
		i = len(b.panels)
		b.panels = append(b.panels, &sizePanel{what: what, unit: unit})
	}
	b.panels[i].points = append(b.panels[i].points, sizePoint{structure, n, value})
}

// SVG draws the chart.
func (b *BySize) SVG() ([]byte, error) {
	var sizes draw.Span
	var ns []int
	for _, p := range b.panels {
		for _, at := range p.points {
			sizes.Add(float64(at.n))
			ns = append(ns, at.n)
		}
	}
	slices.Sort(ns)
	ns = slices.Compact(ns)
	looks := looks(catalogStructures(), b.rows)
	const columns = 2
	f := &draw.Figure{
		Title:    "What does a timer cost, from few to many?",
		Subtitle: "Lean loops, medians. Both axes are logarithmic. Lower is better; flat is constant cost.",
		Height:   max(draw.Lines(len(b.panels), columns)*220, 300),
	}
	var panels []*draw.Panel
	for _, p := range b.panels {
		panel, values := draw.NewPanel(p.what), draw.Span{}
		for _, at := range p.points {
			values.Add(at.value)
		}
		panel.LogX("resident timers", sizes.Around(1.25, 1.25), draw.TicksAt(ns, short))
		panel.LogY("", values.Around(1.3, 1.3), draw.LogTicks{Label: p.unit.format, Most: 8})
		for _, who := range slices.Backward(b.rows) {
			panel.Add(draw.Series{Look: looks[who.name], Radius: 2.7, Marks: p.marks(who.name)})
		}
		panels = append(panels, panel)
	}
	f.Panels = draw.Arrange(panels, columns)
	for _, who := range b.rows {
		f.Legend = append(f.Legend, draw.Key{Text: who.shown(), Look: looks[who.name], Line: true, Radius: 2.7})
	}
	return f.SVG(), nil
}

// marks returns the points of a structure, the smallest size first.
func (p *sizePanel) marks(structure string) []draw.Mark {
	var out []draw.Mark
	for _, at := range p.points {
		if at.structure == structure {
			out = append(out, draw.Mark{X: float64(at.n), Y: at.value})
		}
	}
	slices.SortFunc(out, func(a, b draw.Mark) int { return int(a.X - b.X) })
	return out
}
