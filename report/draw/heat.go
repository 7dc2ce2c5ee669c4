package draw

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// Heat is a table of numbers, colored by steps.
type Heat struct {
	Rows    []Style
	Titles  []string // of the rows, in words
	Columns []Style  // whose names are written upwards
	Value   [][]float64
	Bold    [][]bool
	Steps   []Bin
	Groups  []Group
	Number  func(float64) string // as it stands in a field
}

// Bin is a color for values up to a bound. The last bound is infinite.
type Bin struct {
	To    float64
	Name  string
	Color color.Color
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
	for _, s := range h.Steps {
		f.Legend = append(f.Legend, Key{Text: s.Name, Swatch: s.Color})
	}
	for from := 0; from < len(h.Columns); {
		to := min(from+stackedColumns, len(h.Columns))
		for _, g := range h.Groups {
			if g.First < to && g.First-from >= stackedColumns/2 {
				to = g.First // a group begins a part
			}
		}
		part := h.part(from, to)
		f.Narrow.Panels = append(f.Narrow.Panels, part.panel())
		f.Narrow.Height = max(f.Narrow.Height, part.height())
		from = to
	}
	return f
}

// stackedColumns is the number of table columns that fit a narrow figure.
const stackedColumns = 9

func (h Heat) part(from, to int) Heat {
	part := h
	part.Columns, part.Groups, part.Value, part.Bold = h.Columns[from:to], nil, nil, nil
	for i, g := range h.Groups {
		if g.First < to && (i+1 == len(h.Groups) || h.Groups[i+1].First > from) {
			part.Groups = append(part.Groups, Group{g.Names, max(0, g.First-from)})
		}
	}
	for row := range h.Value {
		part.Value = append(part.Value, h.Value[row][from:to])
		part.Bold = append(part.Bold, h.Bold[row][from:to])
	}
	return part
}

func (h Heat) height() Length {
	sty := sans(smallSize, ink)
	var longest Length
	for _, c := range h.Columns {
		longest = max(longest, sty.Width(c.Name))
	}
	return Length(len(h.Rows))*18 + longest + 32
}

func (h Heat) panel() *Panel {
	return &Panel{Title: " ", Rows: h.Rows, columns: h.Columns, Marks: []Marks{heatFields{h}}, finish: func(p *plot.Plot) {
		p.X.Tick.Length, p.X.Tick.Width, p.X.Padding = 3, 0, 5 // room between the fields and the names
		p.X.Tick.Label.Rotation = math.Pi / 2
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
	}}
}

// step returns the index of the step of a value.
func (h Heat) step(value float64) int {
	return max(0, slices.IndexFunc(h.Steps, func(s Bin) bool { return value <= s.To }))
}

type heatFields struct{ Heat }

func (heatFields) reach(_, _ *span) {}

// Plot implements plot.Plotter.
func (h heatFields) Plot(c draw.Canvas, p *plot.Plot) {
	const gap = 0.75 // half of it
	trX, trY := p.Transforms(&c)
	h.headings(&c, trX)
	for row, values := range h.Value {
		at := float64(row)
		bottom, top := trY(at+0.5)+gap, trY(at-0.5)-gap
		grouped(c, h.Rows[row], h.Titles[row], func() {
			for col, v := range values {
				left, right := trX(float64(col)-0.5)+gap, trX(float64(col)+0.5)-gap
				if col > 0 && slices.ContainsFunc(h.Groups, func(g Group) bool { return g.First == col }) {
					left += 2.5 * gap
				}
				colour := Shade
				if !math.IsNaN(v) {
					colour = h.Steps[h.step(v)].Color
				}
				c.FillPolygon(colour, box(left, bottom, right, top))
				if math.IsNaN(v) {
					continue
				}
				sty := sans(labelSize, textOn(colour))
				if h.Bold[row][col] {
					sty = bold(labelSize, textOn(colour))
				}
				write(&c, sty, trX(float64(col)), trY(at)-labelSize*0.35, 0.5, h.Number(v))
			}
		})
	}
}

// headings separates the groups of columns and names them.
func (h heatFields) headings(c *draw.Canvas, trX func(float64) Length) {
	sty := bold(smallSize, faded)
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
