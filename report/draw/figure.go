// Package draw renders figures as SVG: panels of data under a title and a legend. It does not
// know the meaning of the data.
//
// A [Figure] is a grid of [Panel], each with two axes and with marks on them: [Series],
// [Bar], a [Heat] map, or a sketch without axes.
package draw

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Width is the width of every figure, 1000 pixels on a page. NarrowWidth is the width of [Figure.NarrowSVG], 350 pixels.
const (
	Width       = 750 * Length(1)
	NarrowWidth = 262.5 * Length(1)
)

const (
	margin  = 14 * Length(1)
	lineGap = 1.35

	narrowTicks = 5 // labels that the horizontal axis of a narrow figure has room for
)

// Figure is one picture: a title, a subtitle, a legend in its own strip, a grid of panels and a
// caption. Only the panels hold data, so nothing covers data.
type Figure struct {
	Name         string // of its files, without extension
	Title        string
	Subtitle     string
	Caption      string
	Legend       []Key
	X, Y         Axis     // of all panels
	Panels       []*Panel // row by row
	Columns      int      // of panels; 0: one
	Height       Length   // of each row of panels
	Narrow       []*Panel // what a narrow figure shows instead of the panels; empty: the same
	NarrowHeight Length   // of each panel of Narrow
}

// grid returns the panels row by row.
func (f *Figure) grid() [][]*Panel { return slices.Collect(slices.Chunk(f.Panels, max(1, f.Columns))) }

// Alt returns the description of the figure.
func (f *Figure) Alt() string { return f.Title + " " + f.Subtitle }

// Key is one entry of a legend.
type Key struct {
	Text   string
	Style  Style
	Line   bool        // a line through the marker
	Radius Length      // of the marker; 0: none
	Swatch color.Color // a box instead of a marker
}

const (
	keyMark = 20 * Length(1) // room for the marker of a legend's entry
	keyGap  = 12 * Length(1)
)

// legendLines breaks a legend into lines.
func (f *Figure) legendLines(room Length) (lines [][]Key) {
	sty, left := sans(labelSize, Ink), Length(0)
	for _, k := range f.Legend {
		w := keyMark + sty.Width(k.Text) + keyGap
		if left -= w; left < 0 || lines == nil {
			lines, left = append(lines, nil), room-w
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], k)
	}
	return lines
}

type layout struct {
	title, subtitle, caption []string
	legend                   [][]Key
	width, height            Length
}

func (f *Figure) layout(width Length) layout {
	l := layout{width: width}
	room := width - 2*margin
	if f.Title != "" {
		l.title = wrap(bold(titleSize, Ink), room, f.Title)
	}
	l.subtitle = wrap(sans(bodySize, Faded), room, f.Subtitle)
	l.caption = wrap(sans(smallSize, Faded), room, f.Caption)
	l.legend = f.legendLines(room)
	l.height = 2*margin + Length(len(l.title))*titleSize*lineGap + Length(len(l.subtitle))*bodySize*lineGap +
		legendHeight(l.legend) + f.Height*Length(len(f.grid())) + Length(len(l.caption))*smallSize*lineGap
	if len(l.caption) > 0 {
		l.height += 6
	}
	return l
}

func legendHeight(lines [][]Key) Length {
	if len(lines) == 0 {
		return 6
	}
	return Length(len(lines))*labelSize*1.5 + 12
}

func (f *Figure) draw(c draw.Canvas, l layout) {
	c.SetColor(paper)
	c.Fill(c.Rectangle.Path())

	y := c.Max.Y - margin
	for _, s := range l.title {
		write(&c, bold(titleSize, Ink), c.Min.X+margin, y-titleSize*0.8, 0, s)
		y -= titleSize * lineGap
	}
	for _, s := range l.subtitle {
		y -= bodySize * lineGap
		write(&c, sans(bodySize, Faded), c.Min.X+margin, y+bodySize*0.35, 0, s)
	}
	y = f.drawLegend(&c, l, y)

	bottom := c.Min.Y + margin
	for i := len(l.caption) - 1; i >= 0; i-- {
		write(&c, sans(smallSize, Faded), c.Min.X+margin, bottom+smallSize*0.2, 0, l.caption[i])
		bottom += smallSize * lineGap
	}
	if len(l.caption) > 0 {
		bottom += 6
	}

	area := c
	area.Rectangle = vg.Rectangle{
		Min: vg.Point{X: c.Min.X + margin - 4, Y: bottom},
		Max: vg.Point{X: c.Max.X - margin, Y: y},
	}
	rows := f.grid()
	tiles := draw.Tiles{Rows: len(rows), Cols: len(rows[0]), PadX: 12, PadY: 10}
	across, up := f.X, f.Y
	for _, p := range f.Panels {
		y := &up.span
		if p.Y != nil {
			y = new(span)
		}
		p.reach(&across.span, y)
	}
	if ticks, ok := across.Ticks.(LogTicks); ok && l.width < Width {
		ticks.Most = min(ticks.Most, narrowTicks)
		across.Ticks = ticks
	}
	plots := make([][]*plot.Plot, len(rows))
	for r, row := range rows {
		plots[r] = make([]*plot.Plot, tiles.Cols)
		for col, p := range row {
			y := up
			if p.Y != nil {
				y = *p.Y
				p.reach(new(span), &y.span)
			}
			var left *Panel
			if col > 0 {
				left = row[col-1]
			}
			plots[r][col] = p.plot(across, y, left)
		}
	}
	for r, row := range plot.Align(plots, tiles, area) {
		for col, place := range row {
			if p := plots[r][col]; p != nil {
				p.Draw(place)
			}
		}
	}
}

func (f *Figure) drawLegend(c *draw.Canvas, l layout, y Length) Length {
	bottom := y - legendHeight(l.legend)
	y -= 4
	sty := sans(labelSize, Ink)
	for _, line := range l.legend {
		y -= labelSize * 1.5
		x := c.Min.X + margin
		for _, k := range line {
			grouped(*c, k.Style, "", func() {
				k.draw(c, x, y+labelSize*0.35)
				write(c, sty, x+keyMark, y, 0, k.Text)
			})
			x += keyMark + sty.Width(k.Text) + keyGap
		}
	}
	return bottom
}

func (k Key) draw(c *draw.Canvas, x, y Length) {
	if k.Swatch != nil {
		c.FillPolygon(k.Swatch, box(x, y-4, x+14, y+4))
		return
	}
	if k.Line {
		c.StrokeLine2(k.Style.line(1.4), x, y, x+16, y)
	}
	if k.Radius > 0 {
		k.Style.Marker.draw(c, k.Style.Color, k.Radius, vg.Point{X: x + 8, Y: y})
	}
}

// SVG renders the figure as an SVG with real text.
func (f *Figure) SVG() []byte { return f.svg(Width) }

// NarrowSVG renders the figure for a narrow screen: with text of the same size and with the panels one
// below the other.
func (f *Figure) NarrowSVG() []byte {
	narrow := *f
	narrow.Columns = 1
	if f.Narrow != nil {
		narrow.Panels, narrow.Height = f.Narrow, f.NarrowHeight
	}
	return narrow.svg(NarrowWidth)
}

func (f *Figure) svg(width Length) []byte {
	l := f.layout(width)
	names := make(map[string]Style)
	for _, p := range f.Panels {
		for _, l := range slices.Concat(p.Rows, p.columns) {
			names[l.Name] = l
		}
	}
	c := &svgCanvas{width: l.width, height: l.height, names: names, state: svgState{turn: 1}}
	vg.Initialize(c)
	f.draw(draw.New(c), l)
	return c.bytes()
}
