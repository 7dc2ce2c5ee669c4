package draw

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// Heat is a table of numbers, coloured by steps.
type Heat struct {
	Rows    []Look
	Titles  []string // of the rows, in words
	Columns []Look   // whose names are written upwards
	Value   [][]float64
	Bold    [][]bool
	Steps   []Step
	Groups  []Group
	Number  func(float64) string // as it stands in a field
}

// Step is a colour for values up to a bound; the last bound is infinite.
type Step struct {
	To    float64
	Name  string
	Color color.Color
}

// Group is a run of columns under one heading.
type Group struct {
	Names []string // the first that fits stands there; none: a gap
	First int      // column
}

// Height is what the panel of the table takes.
func (h Heat) Height() Length {
	sty := sans(smallSize, ink)
	var longest Length
	for _, c := range h.Columns {
		longest = max(longest, sty.Width(c.Name))
	}
	return Length(len(h.Rows))*18 + longest + 32
}

// Legend has a key for each step.
func (h Heat) Legend() []Key {
	var out []Key
	for _, s := range h.Steps {
		out = append(out, Key{Text: s.Name, Swatch: s.Color})
	}
	return out
}

// Panel draws the table.
func (h Heat) Panel() *Panel {
	p := NewPanel(" ")
	p.Rows(h.Rows)
	names := make([]string, len(h.Columns))
	for i, c := range h.Columns {
		names[i] = c.Name
		p.names[c.Name] = c
	}
	p.fields(len(h.Rows), names)
	x := &p.plot.X
	x.Tick.Length, x.Tick.Width, x.Padding = 3, 0, 5 // room between the fields and the names
	x.Tick.Label.Rotation = math.Pi / 2
	x.Tick.Label.XAlign, x.Tick.Label.YAlign = draw.XRight, draw.YCenter
	p.Add(heatFields{h})
	return p
}

// step returns the index of the step of a value.
func (h Heat) step(value float64) int {
	return max(0, slices.IndexFunc(h.Steps, func(s Step) bool { return value <= s.To }))
}

// heatFields draws the fields and writes the numbers into them.
type heatFields struct{ Heat }

// Plot implements plot.Plotter.
func (h heatFields) Plot(c draw.Canvas, p *plot.Plot) {
	const gap = 0.75 // half of it
	trX, trY := p.Transforms(&c)
	h.headings(&c, trX)
	for row, values := range h.Value {
		at := RowAt(row, len(h.Rows))
		bottom, top := trY(at-0.5)+gap, trY(at+0.5)-gap
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

// headings sets the groups of columns apart and names them.
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

// stackedColumns is how many columns of a table a narrow figure has room for.
const stackedColumns = 9

// Stack is the table in parts of few columns, one below the other.
func (h Heat) Stack() (out Stack) {
	for from := 0; from < len(h.Columns); {
		to := min(from+stackedColumns, len(h.Columns))
		part := h
		part.Columns, part.Groups, part.Value, part.Bold = h.Columns[from:to], nil, nil, nil
		for i, g := range h.Groups {
			if g.First > from && g.First < to && g.First-from >= stackedColumns/2 {
				to = g.First // a group begins a part
				part.Columns = h.Columns[from:to]
			}
			if g.First < to && (i+1 == len(h.Groups) || h.Groups[i+1].First > from) {
				part.Groups = append(part.Groups, Group{g.Names, max(0, g.First-from)})
			}
		}
		for row := range h.Value {
			part.Value = append(part.Value, h.Value[row][from:to])
			part.Bold = append(part.Bold, h.Bold[row][from:to])
		}
		out.Panels = append(out.Panels, part.Panel())
		out.Height = max(out.Height, part.Height())
		from = to
	}
	return out
}
