package draw

import (
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/timerbench/timerbench/report/sketch"
)

// sketchText is the size of the text of a sketch, the same as the text of a page.
func sketchText(s sketch.Sketch) Length {
	if s.Columns < sketch.Columns {
		return smallSize
	}
	return bodySize
}

// SketchFigure draws a sketch, and another one for the narrow figure, in the color of a style.
func SketchFigure(s, narrow sketch.Sketch, style Style) *Figure {
	panel := func(s sketch.Sketch) *Panel {
		return &Panel{Marks: []Marks{sketchMarks{s, style}}, finish: func(p *plot.Plot) {
			p.HideAxes()
			p.X.Min, p.X.Max = 0, float64(s.Columns)
			p.Y.Min, p.Y.Max = 0, float64(max(s.Rows, 1))
		}}
	}
	height := func(s sketch.Sketch) Length { return Length(s.Rows)*sketchText(s)*1.34 + 6 }
	f := &Figure{Height: height(s), Panels: []*Panel{panel(s)}, Narrow: []*Panel{panel(narrow)}, NarrowHeight: height(narrow)}
	for _, key := range []struct {
		text string
		mark sketch.Mark
	}{
		{"+ new", sketch.Added}, {"> moved", sketch.Moved}, {"x left: stale from now on", sketch.Left}, {"( ) stale", sketch.Stale},
	} {
		f.Legend = append(f.Legend, Key{Text: key.text, Swatch: markFill(key.mark, style)})
	}
	return f
}

// markFill is the color behind an entry with a mark.
func markFill(m sketch.Mark, style Style) color.Color {
	switch m {
	case sketch.Added:
		return style.Color
	case sketch.Moved:
		return Mix(style.Color, 0.7)
	case sketch.Left:
		return Hex("b5b5b5")
	case sketch.Stale:
		return Hex("e4e4e4")
	}
	return paper
}

type sketchMarks struct {
	sketch.Sketch
	style Style
}

func (sketchMarks) reach(_, _ *span) {}

// Plot implements plot.Plotter.
func (s sketchMarks) Plot(c draw.Canvas, p *plot.Plot) {
	size := sketchText(s.Sketch)
	x, trY := p.Transforms(&c)
	y := func(row float64) Length { return trY(float64(max(s.Rows, 1)) - row) }
	edge := draw.LineStyle{Color: frame, Width: 0.7}
	for _, l := range s.Lines {
		if l.Y0 == l.Y1 {
			c.StrokeLine2(edge, x(float64(l.X0)), y(float64(l.Y0)+0.5), x(float64(l.X1)+1), y(float64(l.Y1)+0.5))
			continue
		}
		c.StrokeLine2(edge, x(float64(l.X0)+0.5), y(float64(l.Y0)+0.9), x(float64(l.X1)+0.5), y(float64(l.Y1)+0.1))
	}
	baseline := func(row int) Length { return y(float64(row)+0.5) - size*0.35 }
	for _, n := range s.Notes {
		sty := sans(size, Ink)
		switch n.Style {
		case sketch.Heading:
			sty = bold(size, Ink)
		case sketch.Faded:
			sty.Color = Faded
		}
		text := strings.TrimLeft(n.Text, " ") // a browser would drop the spaces
		write(&c, sty, x(float64(n.X+len(n.Text)-len(text))), baseline(n.Y), 0, text)
	}
	for _, b := range s.Boxes {
		left, right := x(float64(b.X)), x(float64(b.X+b.Width))
		if !b.Framed {
			top, bottom, each := y(float64(b.Y)+0.08), y(float64(b.Y)+0.92), (right-left)/Length(len(b.Labels))
			for i, l := range b.Labels {
				if b.Red && i == len(b.Labels)-1 {
					l.Text += "r"
				}
				s.entry(&c, l, left+Length(i)*each, left+Length(i+1)*each, top, bottom)
			}
			sty := edge
			if b.Red {
				sty = draw.LineStyle{Color: Ink, Width: 1.6}
			}
			outline(&c, sty, left, right, top, bottom)
			continue
		}
		middle := (left + right) / 2
		write(&c, sans(size, Faded), middle, baseline(b.Y), 0.5, strings.TrimSpace(b.Title))
		write(&c, sans(size, Faded), middle, baseline(b.Y+b.Height()-1), 0.5, b.Foot)
		for i, l := range b.Labels {
			s.entry(&c, l, left+1, right-1, y(float64(b.Y+1+i)), y(float64(b.Y+2+i)))
		}
		outline(&c, edge, left+1, right-1, y(float64(b.Y+1)), y(float64(b.Y+1+len(b.Labels))))
	}
}

// entry draws an entry with its mark.
func (s sketchMarks) entry(c *draw.Canvas, l sketch.Label, left, right, top, bottom Length) {
	size := sketchText(s.Sketch)
	sty := sans(size, Ink)
	if l.Mark != sketch.Same {
		fill := markFill(l.Mark, s.style)
		sty.Color = textOn(fill)
		c.FillPolygon(fill, box(left, top, right, bottom))
	}
	write(c, sty, (left+right)/2, (top+bottom)/2-size*0.35, 0.5, l.Text)
}

func outline(c *draw.Canvas, sty draw.LineStyle, left, right, top, bottom Length) {
	c.StrokeLines(sty, append(box(left, top, right, bottom), vg.Point{X: left, Y: top}))
}
