package draw

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Fields is a map, a table in which a contender owns each field.
type Fields struct {
	Title         string
	Rows, Columns []string
	XLabel        string
	YLabel        string
	Fields        []Field
}

// Field is one place on the map.
type Field struct {
	Row, Column int
	Owner       Style
	White       float64    // how much of the owner's colour gives way to white: 0 is the full colour
	Lines       [][]string // below the name of the owner: of each line the first text that fits
	Title       string     // what it shows, in words
}

const (
	fieldHeight = 31 * Length(1)
	fieldEdge   = 4 * Length(1)
)

// Height returns the height of the panel of the map.
func (f Fields) Height() Length { return Length(len(f.Rows))*fieldHeight + 48 }

// Panel draws the map.
func (f Fields) Panel() *Panel {
	p := &Panel{Title: f.Title, XLabel: f.XLabel, YLabel: f.YLabel, Marks: []Marks{fieldMarks{f}}}
	for _, name := range f.Rows {
		p.Rows = append(p.Rows, Style{Name: name})
	}
	for _, name := range f.Columns {
		p.columns = append(p.columns, Style{Name: name})
	}
	p.finish = func(p *plot.Plot) { p.X.Tick.Length = 0 }
	return p
}

type fieldMarks struct{ of Fields }

func (fieldMarks) reach(_, _ *span) {}

// Plot implements plot.Plotter.
func (f fieldMarks) Plot(c draw.Canvas, p *plot.Plot) {
	const gap = 1
	trX, trY := p.Transforms(&c)
	taken := make(map[[2]int]Field)
	for _, field := range f.of.Fields {
		taken[[2]int{field.Row, field.Column}] = field
	}
	for row := range f.of.Rows {
		for col := range f.of.Columns {
			place := vg.Rectangle{
				Min: vg.Point{X: trX(float64(col)-0.5) + gap, Y: trY(float64(row)+0.5) + gap},
				Max: vg.Point{X: trX(float64(col)+0.5) - gap, Y: trY(float64(row)-0.5) - gap},
			}
			if field, ok := taken[[2]int{row, col}]; ok {
				grouped(c, field.Owner, field.Title, func() { field.draw(&c, place) })
			} else {
				c.FillPolygon(shade, box(place.Min.X, place.Min.Y, place.Max.X, place.Max.Y))
			}
		}
	}
}

// draw fills the field and draws an edge in the full color.
func (f Field) draw(c *draw.Canvas, place vg.Rectangle) {
	fill := Mix(f.Owner.Color, f.White)
	c.FillPolygon(fill, box(place.Min.X, place.Min.Y, place.Max.X, place.Max.Y))
	edge := place.Min.X + fieldEdge
	c.FillPolygon(f.Owner.Color, box(place.Min.X, place.Min.Y, edge, place.Max.Y))
	x, y := edge+4, place.Max.Y-labelSize*1.35
	name, nameX := bold(labelSize, textOn(fill)), x
	room := place.Max.X - x - 1
	const forMarker = 10
	switch wide := name.Width(f.Owner.Name); {
	case wide <= room-forMarker:
		f.Owner.Marker.draw(c, f.Owner.Color, 3.4, vg.Point{X: x + 3, Y: y + labelSize*0.35})
		nameX += forMarker
	case wide > room:
		name.Font.Size *= room / wide
	}
	write(c, name, nameX, y, 0, f.Owner.Name)
	for _, texts := range f.Lines {
		y -= smallSize * 1.35
		for _, text := range texts {
			if small := sans(smallSize, textOn(fill)); small.Width(text) <= room {
				write(c, small, x, y, 0, text)
				break
			}
		}
	}
}
