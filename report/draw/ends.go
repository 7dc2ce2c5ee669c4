package draw

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
