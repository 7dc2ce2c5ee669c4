package draw

import (
	"cmp"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Mark is one measured value on a panel, with its interval.
type Mark struct {
	X, Y   float64
	Lo, Hi float64 // the interval of the value; Lo >= Hi: none
	Title  string  // its figures in words, for the title of the series
}

// Series shows the values of one contender, in rows of a panel or over a horizontal scale.
type Series struct {
	Style  Style
	Radius Length // 0: no marks
	Marks  []Mark

	Joined bool // straight lines join the measured points
	Thick  bool // the line stands out
}

func (s Series) reach(x, y *span) {
	for _, m := range s.Marks {
		x.add(m.X)
		y.add(m.Y, m.Lo, m.Hi) // of no account in a panel with rows
	}
}

// Plot implements plot.Plotter.
func (s Series) Plot(c draw.Canvas, p *plot.Plot) {
	if len(s.Marks) == 0 {
		return
	}
	var figures []string
	for _, m := range s.Marks {
		if m.Title != "" {
			figures = append(figures, m.Title)
		}
	}
	grouped(c, s.Style, strings.Join(figures, "; "), func() {
		trX, trY := p.Transforms(&c)
		var points []vg.Point
		for _, m := range s.Marks {
			points = append(points, vg.Point{X: trX(m.X), Y: trY(m.Y)})
		}
		if s.Joined && len(points) > 1 {
			width := Length(1.3)
			if s.Thick {
				width = 3
			}
			c.StrokeLines(s.Style.line(width), points)
		}
		for i, m := range s.Marks {
			if m.Lo < m.Hi && trY(m.Hi)-trY(m.Lo) > 2*s.Radius+1 { // the interval is wider than the mark
				const end = 2.5 // half the width of the ends
				sty, x, lo, hi := draw.LineStyle{Color: s.Style.Color, Width: 0.8}, points[i].X, trY(m.Lo), trY(m.Hi)
				c.StrokeLine2(sty, x, lo, x, hi)
				c.StrokeLine2(sty, x-end, lo, x+end, lo)
				c.StrokeLine2(sty, x-end, hi, x+end, hi)
			}
			if s.Radius > 0 {
				s.Style.Marker.draw(&c, s.Style.Color, s.Radius, points[i])
			}
		}
	})
}

// Bar is a horizontal bar of parts, with a label at its end. It starts at 0, so its axis must be
// linear.
type Bar struct {
	Style Style
	Title string // tooltip
	Parts []Part
	Label string
	Row   int
}

// Part is one piece of a bar.
type Part struct {
	Length float64
	Color  color.Color
}

func (b Bar) reach(x, _ *span) {
	sum := 0.0
	for _, part := range b.Parts {
		sum += part.Length
	}
	x.add(sum)
}

// Plot implements plot.Plotter.
func (b Bar) Plot(c draw.Canvas, p *plot.Plot) {
	grouped(c, b.Style, b.Title, func() {
		trX, trY := p.Transforms(&c)
		y := trY(float64(b.Row))
		half := (trY(float64(b.Row)-0.5) - y) * 0.68
		from := 0.0
		for _, s := range b.Parts {
			if s.Length > 0 {
				c.FillPolygon(s.Color, box(trX(from), y-half, trX(from+s.Length), y+half))
				from += s.Length
			}
		}
		write(&c, sans(smallSize, Ink), trX(from)+4, y-smallSize*0.35, 0, b.Label)
	})
}

// box returns the corners of a rectangle.
func box(x0, y0, x1, y1 Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
}

// Ends names lines to the right of their last marks. Names move up and down so that none covers another. The axis must have room
// at its end: [Axis.High].
type Ends []End

// End is the name of a line, and where the line ends.
type End struct {
	Style Style // with the name
	X, Y  float64
}

func (e Ends) reach(x, y *span) {
	for _, end := range e {
		x.add(end.X)
		y.add(end.Y)
	}
}

// Plot implements plot.Plotter.
func (e Ends) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	at := make([]vg.Point, len(e))
	for i, end := range e {
		at[i] = vg.Point{X: trX(end.X), Y: trY(end.Y)}
	}
	for i, y := range apart(at, c.Min.Y+smallSize/2, smallSize*1.12) {
		sty := e[i].Style
		grouped(c, sty, "", func() {
			c.StrokeLine2(draw.LineStyle{Color: Pale(sty.Color, 0.5), Width: 0.5}, at[i].X+3, at[i].Y, at[i].X+11, y)
			text := sans(smallSize, sty.Color)
			write(&c, text, at[i].X+12, y-smallSize*0.35, 0, sty.Name)
		})
	}
}

// apart returns heights near those of points, each at least gap from the next and none below low.
func apart(points []vg.Point, low, gap Length) []Length {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(points[a].Y, points[b].Y) })
	type group struct { // of neighbours that are too close, around their mean
		size, middle Length
	}
	var groups []group
	half := func(g group) Length { return gap * (g.size - 1) / 2 }
	for _, i := range order {
		g := group{1, points[i].Y}
		for len(groups) > 0 {
			last := groups[len(groups)-1]
			if last.middle+half(last)+gap <= g.middle-half(g) {
				break
			}
			g = group{last.size + g.size, (last.middle*last.size + g.middle*g.size) / (last.size + g.size)}
			groups = groups[:len(groups)-1]
		}
		g.middle = max(g.middle, low+half(g))
		groups = append(groups, g)
	}
	out := make([]Length, len(points))
	for _, g := range groups {
		for j := range int(g.size) {
			out[order[0]] = g.middle - half(g) + gap*Length(j)
			order = order[1:]
		}
	}
	return out
}
