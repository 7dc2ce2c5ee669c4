package draw

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/timerbench/timerbench/internal/show"
)

// Heat is a map: a table of ratios, colored by steps. A field without a value is blank.
type Heat struct {
	Rows    []HeatRow
	Columns []Style
	XLabel  string // below the names of columns
}

// HeatRow is a row of a map, with a field for each column.
type HeatRow struct {
	Name   string
	Fields []Field
}

// Field is a ratio in a map.
type Field struct {
	Value float64 // NaN: none
	Name  string  // below the value
	Title string  // in words
	Cell  string  // of the results
}

// heatSteps are the colors of ratios. Each is for costs up to a multiple of the best. They come from the
// color map viridis, whose order is visible with any color blindness.
var heatSteps = []struct {
	to    float64
	name  string
	color color.Color
	text  color.Color // with the larger contrast; it keeps its color on a dark page, like the field
}{
	{1.05, "up to 1.05 ×", Hex("fde725"), Ink.NRGBA},
	{1.1, "1.1 ×", Hex("d2e21b"), Ink.NRGBA},
	{1.5, "1.5 ×", Hex("a0da39"), Ink.NRGBA},
	{2, "2 ×", Hex("4ac16d"), Ink.NRGBA},
	{3, "3 ×", Hex("1fa187"), Ink.NRGBA},
	{5, "5 ×", Hex("277f8e"), paper.NRGBA},
	{10, "10 ×", Hex("365c8d"), paper.NRGBA},
	{math.Inf(1), "more", Hex("440154"), paper.NRGBA},
}

func stepOf(value float64) (step int) {
	for value > heatSteps[step].to {
		step++
	}
	return step
}

// stacked is how many columns fit a narrow figure.
const stacked = 3

// Figure returns a figure of the map. Its legend has the steps that the map uses. The narrow figure has parts of few columns,
// one below the other.
func (h Heat) Figure() *Figure {
	height := Length(len(h.Rows))*30 + 34
	f := &Figure{Height: height, Panels: []*Panel{h.panel()}, NarrowHeight: height}
	for i, s := range heatSteps {
		if slices.ContainsFunc(h.Rows, func(r HeatRow) bool {
			return slices.ContainsFunc(r.Fields, func(f Field) bool { return !math.IsNaN(f.Value) && stepOf(f.Value) == i })
		}) {
			f.Legend = append(f.Legend, Key{Text: s.name, Swatch: s.color})
		}
	}
	for from := 0; from < len(h.Columns); from += stacked {
		to := min(from+stacked, len(h.Columns))
		part := Heat{Columns: h.Columns[from:to], XLabel: h.XLabel, Rows: slices.Clone(h.Rows)}
		for i, row := range h.Rows {
			part.Rows[i].Fields = row.Fields[from:to]
		}
		f.Narrow = append(f.Narrow, part.panel())
	}
	return f
}

func (h Heat) panel() *Panel {
	rows := make([]Style, len(h.Rows))
	for i, row := range h.Rows {
		rows[i].Name = row.Name
	}
	return &Panel{XLabel: h.XLabel, Rows: rows, columns: h.Columns, Marks: []Marks{h}}
}

func (Heat) reach(_, _ *span) {}

// Plot implements plot.Plotter.
func (h Heat) Plot(c draw.Canvas, p *plot.Plot) {
	const gap = 0.75 // half of it
	trX, trY := p.Transforms(&c)
	for i, row := range h.Rows {
		bottom, top := trY(float64(i)+0.5)+gap, trY(float64(i)-0.5)-gap
		for col, f := range row.Fields {
			if !math.IsNaN(f.Value) {
				grouped(c, Style{Name: f.Title, Cell: f.Cell}, "", func() {
					f.draw(&c, trX(float64(col)-0.5)+gap, bottom, trX(float64(col)+0.5)-gap, top)
				})
			}
		}
	}
}

func (f Field) draw(c *draw.Canvas, left, bottom, right, top Length) {
	step := heatSteps[stepOf(f.Value)]
	c.FillPolygon(step.color, box(left, bottom, right, top))
	sty, middle, y := sans(labelSize, step.text), (left+right)/2, (bottom+top)/2-labelSize*0.35
	if f.Name != "" {
		y += labelSize * 0.6
		write(c, sty, middle, y-labelSize*1.2, 0.5, f.Name)
	}
	write(c, sty, middle, y, 0.5, show.Times(f.Value))
}
