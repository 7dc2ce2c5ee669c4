package draw

import (
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/timerbench/timerbench/internal/show"
)

// Heat is a table of ratios, colored by steps.
type Heat struct {
	Rows    []HeatRow
	Columns []Style // whose names are written upwards
	Groups  []Group

	Level  bool   // the table has few columns: their names are level, fields have names, and a field without a value is blank
	XLabel string // below the names of columns
}

// HeatRow is a row of a table, with a field for each column.
type HeatRow struct {
	Style
	Title  string // in words
	Fields []Field
}

// Field is a ratio in a table.
type Field struct {
	Value float64 // NaN: none
	Bold  bool
	Name  string // below the value, in a level table
	Title string // in words, in a level table
	Cell  string // of the results, in a level table
}

// heatSteps are the colors of ratios. Each is for costs up to a multiple of the best. They come from the
// color map viridis, whose order is visible with any color blindness.
var heatSteps = []struct {
	to    float64
	name  string
	color color.Color
}{
	{1.05, "up to 1.05 ×", Hex("fde725")},
	{1.1, "1.1 ×", Hex("d2e21b")},
	{1.5, "1.5 ×", Hex("a0da39")},
	{2, "2 ×", Hex("4ac16d")},
	{3, "3 ×", Hex("1fa187")},
	{5, "5 ×", Hex("277f8e")},
	{10, "10 ×", Hex("365c8d")},
	{math.Inf(1), "more", Hex("440154")},
}

func stepOf(value float64) (step int) {
	for value > heatSteps[step].to {
		step++
	}
	return step
}

// Group is a run of columns under one heading.
type Group struct {
	Names []string // the first that fits stands there; none: a gap
	First int      // column
}

// Figure returns a figure of the table, with the steps as its legend. The narrow figure has parts of few columns,
// one below the other.
func (h Heat) Figure() *Figure {
	f := &Figure{Height: h.height(), Panels: []*Panel{h.panel()}}
	for i, s := range heatSteps {
		if h.Level && !slices.ContainsFunc(h.Rows, func(r HeatRow) bool {
			return slices.ContainsFunc(r.Fields, func(f Field) bool { return !math.IsNaN(f.Value) && stepOf(f.Value) == i })
		}) {
			continue // few fields need few steps
		}
		f.Legend = append(f.Legend, Key{Text: s.name, Swatch: s.color})
	}
	stacked := 9 // columns that fit a narrow figure
	if h.Level {
		stacked = 3
	}
	for from := 0; from < len(h.Columns); {
		to := min(from+stacked, len(h.Columns))
		for _, g := range h.Groups {
			if g.First < to && g.First-from >= stacked/2 {
				to = g.First // a group begins a part
			}
		}
		part := h.part(from, to)
		f.Narrow, f.NarrowHeight = append(f.Narrow, part.panel()), max(f.NarrowHeight, part.height())
		from = to
	}
	return f
}

func (h Heat) part(from, to int) Heat {
	part := h
	part.Columns, part.Groups, part.Rows = h.Columns[from:to], nil, slices.Clone(h.Rows)
	for i, g := range h.Groups {
		if g.First < to && (i+1 == len(h.Groups) || h.Groups[i+1].First > from) {
			part.Groups = append(part.Groups, Group{g.Names, max(0, g.First-from)})
		}
	}
	for i, row := range h.Rows {
		part.Rows[i].Fields = row.Fields[from:to]
	}
	return part
}

func (h Heat) height() Length {
	if h.Level {
		return Length(len(h.Rows))*30 + 34
	}
	sty := sans(smallSize, Ink)
	var longest Length
	for _, c := range h.Columns {
		longest = max(longest, sty.Width(c.Name))
	}
	return Length(len(h.Rows))*18 + longest + 32
}

func (h Heat) panel() *Panel {
	rows := make([]Style, len(h.Rows))
	for i, row := range h.Rows {
		rows[i] = row.Style
	}
	title := " " // room for the names of groups
	if h.Level {
		title = ""
	}
	return &Panel{Title: title, XLabel: h.XLabel, Rows: rows, columns: h.Columns, Marks: []Marks{h}, finish: func(p *plot.Plot) {
		p.Y.Min, p.Y.Max = -0.5, float64(len(h.Rows))-0.5
		p.X.Min, p.X.Max = -0.5, float64(len(h.Columns))-0.5
		p.X.Width, p.Y.Width = 0, 0
		p.X.Tick.Marker = namesOf(h.Columns)
		if p.X.Tick.Length = 0; h.Level {
			return
		}
		p.X.Tick.Length, p.X.Tick.Width, p.X.Padding = 3, 0, 5 // room between the fields and the names
		p.X.Tick.Label.Rotation = math.Pi / 2
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
	}}
}

func (Heat) reach(_, _ *span) {}

// Plot implements plot.Plotter.
func (h Heat) Plot(c draw.Canvas, p *plot.Plot) {
	const gap = 0.75 // half of it
	trX, trY := p.Transforms(&c)
	h.headings(&c, trX)
	for i, row := range h.Rows {
		at := float64(i)
		bottom, top := trY(at+0.5)+gap, trY(at-0.5)-gap
		grouped(c, row.Style, row.Title, func() {
			for col, f := range row.Fields {
				left, right := trX(float64(col)-0.5)+gap, trX(float64(col)+0.5)-gap
				if col > 0 && slices.ContainsFunc(h.Groups, func(g Group) bool { return g.First == col }) {
					left += 2.5 * gap
				}
				switch {
				case !math.IsNaN(f.Value):
					grouped(c, Style{Name: f.Title, Cell: f.Cell}, "", func() { h.field(&c, f, left, bottom, right, top) })
				case !h.Level:
					c.FillPolygon(shade, box(left, bottom, right, top))
				}
			}
		})
	}
}

// field draws a field with a value.
func (h Heat) field(c *draw.Canvas, f Field, left, bottom, right, top Length) {
	colour := heatSteps[stepOf(f.Value)].color
	c.FillPolygon(colour, box(left, bottom, right, top))
	sty, middle := sans(labelSize, textOn(colour)), (left+right)/2
	if f.Bold {
		sty = bold(labelSize, textOn(colour))
	}
	y, text := (bottom+top)/2-labelSize*0.35, ratio(f.Value)
	if h.Level {
		text = show.Times(f.Value)
	}
	if f.Name != "" {
		y += labelSize * 0.6
		write(c, sty, middle, y-labelSize*1.2, 0.5, f.Name)
	}
	write(c, sty, middle, y, 0.5, text)
}

// ratio writes a value for a field: a table of forty columns has no room for more digits.
func ratio(v float64) string {
	switch {
	case v == 1:
		return "1"
	case v < 9.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return show.Times(v)
}

// headings separates the groups of columns and names them.
func (h Heat) headings(c *draw.Canvas, trX func(float64) Length) {
	sty := bold(smallSize, Faded)
	for i, g := range h.Groups {
		x := trX(float64(g.First) - 0.5)
		end := c.Max.X
		if i+1 < len(h.Groups) {
			end = trX(float64(h.Groups[i+1].First) - 0.5)
		}
		for _, name := range g.Names {
			if sty.Width(name) < end-x-6 {
				write(c, sty, x+4, c.Max.Y+headingGap+1, 0, name)
				break
			}
		}
	}
}
