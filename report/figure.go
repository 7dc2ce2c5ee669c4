package report

import (
	"bytes"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// figureWidth is 1000 pixels of a page; PNGs hold twice as many.
const (
	figureWidth = 750 * vg.Length(1)
	pngDPI      = 192
	margin      = 14 * vg.Length(1)
	lineGap     = 1.35
)

// figure is one picture: a title that says which question it answers, a
// subtitle, a legend in a strip of its own, a grid of panels and a caption.
// Nothing but the panels holds data, so that nothing can hide it.
type figure struct {
	name     string // of its files, without extension
	title    string
	subtitle string
	caption  string
	legend   []key
	panels   [][]*plot.Plot
	height   vg.Length // of all panels together
}

// key is one entry of a legend.
type key struct {
	text   string
	look   look
	line   bool        // a line through the marker
	radius vg.Length   // of the marker; 0: none
	swatch color.Color // a box instead of a marker
}

const (
	keyMark = 20 * vg.Length(1) // room for the marker of a legend's entry
	keyGap  = 12 * vg.Length(1)
)

// legendLines breaks the legend into lines, in columns of equal width where
// there are too many entries for one line.
func (f *figure) legendLines() (lines [][]key, column vg.Length) {
	sty := sans(labelSize, ink)
	room := figureWidth - 2*margin
	var total vg.Length
	for _, k := range f.legend {
		w := keyMark + sty.Width(k.text) + keyGap
		total += w
		column = max(column, w)
	}
	if total <= room {
		if len(f.legend) == 0 {
			return nil, 0
		}
		return [][]key{f.legend}, 0
	}
	per := max(1, int(room/column))
	rows := (len(f.legend) + per - 1) / per
	for r := range rows {
		var line []key
		for i := r; i < len(f.legend); i += rows {
			line = append(line, f.legend[i])
		}
		lines = append(lines, line)
	}
	return lines, column
}

// layout is the figure with its texts broken into lines.
type layout struct {
	subtitle, caption []string
	legend            [][]key
	column            vg.Length
	height            vg.Length
}

func (f *figure) layout() layout {
	var l layout
	room := figureWidth - 2*margin
	l.subtitle = wrap(sans(bodySize, faded), room, f.subtitle)
	l.caption = wrap(sans(smallSize, faded), room, f.caption)
	l.legend, l.column = f.legendLines()
	l.height = 2*margin + titleSize*lineGap + vg.Length(len(l.subtitle))*bodySize*lineGap +
		legendHeight(l.legend) + f.height + vg.Length(len(l.caption))*smallSize*lineGap
	if len(l.caption) > 0 {
		l.height += 6
	}
	return l
}

func legendHeight(lines [][]key) vg.Length {
	if len(lines) == 0 {
		return 6
	}
	return vg.Length(len(lines))*labelSize*1.5 + 12
}

func (f *figure) draw(c draw.Canvas, l layout) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())

	y := c.Max.Y - margin - titleSize*0.8
	write(&c, bold(titleSize, ink), c.Min.X+margin, y, 0, f.title)
	y -= titleSize * (lineGap - 0.8)
	for _, s := range l.subtitle {
		y -= bodySize * lineGap
		write(&c, sans(bodySize, faded), c.Min.X+margin, y+bodySize*0.35, 0, s)
	}
	y = f.drawLegend(&c, l, y)

	bottom := c.Min.Y + margin
	for i := len(l.caption) - 1; i >= 0; i-- {
		write(&c, sans(smallSize, faded), c.Min.X+margin, bottom+smallSize*0.2, 0, l.caption[i])
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
	tiles := draw.Tiles{Rows: len(f.panels), Cols: len(f.panels[0]), PadX: 12, PadY: 10}
	for r, row := range plot.Align(f.panels, tiles, area) {
		for col, panel := range row {
			if p := f.panels[r][col]; p != nil {
				p.Draw(panel)
			}
		}
	}
}

func (f *figure) drawLegend(c *draw.Canvas, l layout, y vg.Length) vg.Length {
	bottom := y - legendHeight(l.legend)
	y -= 4
	sty := sans(labelSize, ink)
	for _, line := range l.legend {
		y -= labelSize * 1.5
		x := c.Min.X + margin
		for i, k := range line {
			if l.column > 0 {
				x = c.Min.X + margin + vg.Length(i)*l.column
			}
			k.draw(c, x, y+labelSize*0.35)
			write(c, sty, x+keyMark, y, 0, k.text)
			x += keyMark + sty.Width(k.text) + keyGap
		}
	}
	return bottom
}

func (k key) draw(c *draw.Canvas, x, y vg.Length) {
	if k.swatch != nil {
		c.FillPolygon(k.swatch, []vg.Point{{X: x, Y: y - 4}, {X: x + 14, Y: y - 4}, {X: x + 14, Y: y + 4}, {X: x, Y: y + 4}})
		return
	}
	if k.line {
		c.StrokeLine2(k.look.line(1.4), x, y, x+16, y)
	}
	if k.radius > 0 {
		k.look.marker.draw(c, k.look.color, k.radius, vg.Point{X: x + 8, Y: y})
	}
}

// png renders the figure as a PNG of the given sharpness.
func (f *figure) png(dpi int) ([]byte, error) {
	l := f.layout()
	c := vgimg.NewWith(vgimg.UseWH(figureWidth, l.height), vgimg.UseDPI(dpi))
	f.draw(draw.New(c), l)
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// svg renders the figure as an SVG. Its texts stay texts; where the font is not
// installed, another takes its place, at the width that the layout counts on.
func (f *figure) svg() ([]byte, error) {
	l := f.layout()
	c := vgsvg.New(figureWidth, l.height)
	f.draw(draw.New(c), l)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	return anyFont(b.Bytes()), nil
}
