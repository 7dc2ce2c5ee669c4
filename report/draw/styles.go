package draw

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/entry"
)

// Length is a length in points; a figure is [Width] points wide.
type Length = vg.Length

// Style identifies a contender and says how to draw it, the same in every figure.
type Style struct {
	Name      string // as shown
	Structure string // its name in the data; empty: no structure
	Family    string // of the structure; empty: none
	Cell      string // of the results, by workload and N; empty: none

	Color  color.Color
	Marker Marker
	Dashes []Length
}

func (l Style) line(width Length) draw.LineStyle {
	return draw.LineStyle{Color: l.Color, Width: width, Dashes: l.Dashes}
}

// palette is the shades of a family of structures, which share a hue. Markers distinguish its
// members, and shades help.
type palette struct {
	first  int // index of the marker of its first member
	shades []string
}

// others is the family of structures that are not in the catalog or have no hue.
const others entry.Family = ""

// The hues of any two families differ for readers with and without color blindness, and all hues are
// legible on white and on dark pages. No shade is very light or very dark.
var palettes = map[entry.Family]palette{
	entry.Heaps:  {0, []string{"3660d5", "5382fa", "4471e8"}},
	entry.Wheels: {1, []string{"a95800", "d47000", "be6400"}},
	entry.Trees:  {3, []string{"007b3e", "009c51", "008b48"}},
	entry.Lists:  {2, []string{"ad49ac", "cf6ace", "be59bd"}},
	others:       {4, []string{"7c7872", "97938d", "89857f"}},
}

// BaselineStyle is the style of Go's own timers.
var BaselineStyle = Style{Name: "package time", Color: Hex("d0405a"), Marker: Square, Dashes: []Length{6, 2}}

var floor = Style{Color: Hex("8a8a8a"), Marker: Circle, Dashes: []Length{3, 2}}

// Styles assigns a style to each contender, by name. A structure of the catalog gets the next style of its
// family in catalog order, so it has the same style in every report of one version. A contender outside
// the catalog gets the next style of no family.
func Styles(entries []entry.Entry, rows []answer.RowName) map[string]Style {
	out := make(map[string]Style)
	members := make(map[entry.Family]int)
	add := func(name string, f entry.Family) {
		if _, ok := palettes[f]; !ok {
			f = others
		}
		p, member := palettes[f], members[f]
		members[f]++
		style := Style{Name: name, Structure: name, Family: string(f), Color: Hex(p.shades[member%len(p.shades)]), Marker: Markers[(p.first+member)%len(Markers)]}
		if name == answer.Default {
			style.Color = Ink // in all charts, apart from the shades of its family
		}
		out[name] = style
	}
	for _, e := range entries {
		add(e.Name, e.Family)
	}
	for _, c := range rows {
		if _, known := out[c.Name]; c.Role == results.RoleFloor {
			style := floor
			style.Name, style.Structure = c.Name+" (floor)", c.Name
			out[c.Name] = style
		} else if !known {
			add(c.Name, others)
		}
	}
	return out
}

// Marker is a regular polygon, a star or a circle. Its rim separates overlapping marks. It distinguishes
// structures of similar colors.
type Marker struct {
	corners int     // 0: a circle
	turn    float64 // in radians, from a corner at the top
	size    float64 // relative to a circle of the same radius, so that areas match
	inner   float64 // of a star: the radius of the corners between its points, as a share of theirs
}

// The markers.
var (
	Circle   = Marker{size: 1}
	Square   = Marker{corners: 4, turn: math.Pi / 4, size: 1.22}
	Diamond  = Marker{corners: 4, size: 1.28}
	Triangle = Marker{corners: 3, size: 1.38}
	nabla    = Marker{corners: 3, turn: math.Pi, size: 1.38}
	left     = Marker{corners: 3, turn: math.Pi / 2, size: 1.38}
	right    = Marker{corners: 3, turn: -math.Pi / 2, size: 1.38}
	hexagon  = Marker{corners: 6, size: 1.12}
	pentagon = Marker{corners: 5, size: 1.16}
	star     = Marker{corners: 5, size: 1.6, inner: 0.45}
	plus     = Marker{corners: 4, size: 1.7, inner: 0.4}
	cross    = Marker{corners: 4, turn: math.Pi / 4, size: 1.7, inner: 0.4}
)

// Markers lists the markers, the most distinct ones first.
var Markers = []Marker{Circle, Square, Triangle, Diamond, nabla, star, cross, right, plus, left, pentagon, hexagon}

func (m Marker) path(r Length, at vg.Point) vg.Path {
	r *= Length(m.size)
	var p vg.Path
	if m.corners == 0 {
		p.Move(vg.Point{X: at.X + r, Y: at.Y})
		p.Arc(at, r, 0, 2*math.Pi)
		p.Close()
		return p
	}
	corner := func(i, r float64) vg.Point {
		sin, cos := math.Sincos(math.Pi/2 + m.turn + 2*math.Pi*i/float64(m.corners))
		return vg.Point{X: at.X + Length(r*cos), Y: at.Y + Length(r*sin)}
	}
	for i := range m.corners {
		pt := corner(float64(i), float64(r))
		if i == 0 {
			p.Move(pt)
		} else {
			p.Line(pt)
		}
		if m.inner > 0 {
			p.Line(corner(float64(i)+0.5, float64(r)*m.inner))
		}
	}
	p.Close()
	return p
}

func (m Marker) draw(c *draw.Canvas, col color.Color, r Length, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Width: 1})
	p := m.path(r, at)
	c.SetColor(col)
	c.Fill(p)
	c.SetLineWidth(0.5)
	c.SetColor(paper)
	c.Stroke(p)
}

// The sizes of text in points. A figure is 750 points wide, which is 1000 pixels on a page. The
// smallest text is 9 pixels high if the figure is 820 pixels wide.
const (
	titleSize = 14
	bodySize  = 10
	labelSize = 9
	smallSize = 8.25
)

// sans is text in the sans-serif font of gonum/plot.
func sans(size Length, col color.Color) text.Style {
	return text.Style{
		Color:   col,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: plot.DefaultTextHandler,
	}
}

func bold(size Length, col color.Color) text.Style {
	s := sans(size, col)
	s.Font.Weight = stdfont.WeightBold
	return s
}

// write draws one line of text with its baseline at y. align is the share of the width that is left of
// x: 0, 0.5 or 1.
func write(c *draw.Canvas, sty text.Style, x, y Length, align float64, s string) {
	if s == "" {
		return
	}
	face := sty.Handler.Cache().Lookup(sty.Font, sty.Font.Size)
	c.SetColor(sty.Color)
	c.FillString(face, vg.Point{X: x - sty.Width(s)*Length(align), Y: y}, s)
}

// wrap breaks a text into lines no wider than width.
func wrap(sty text.Style, width Length, s string) []string {
	return show.Lines(s, func(line string) bool { return sty.Width(line) <= width })
}

// tone is a color of text and lines, not of data. In an SVG it has a class, so a dark page can
// change it.
type tone struct {
	color.NRGBA
	class string
}

// The tones. Ink is also the color of marks that stand out from all structures, and Faded that of legend entries for any structure.
var (
	Ink   = tone{Hex("1a1a1a"), "ink"}   // titles and names
	Faded = tone{Hex("555555"), "faded"} // what explains
	rule  = tone{Hex("e4e4e4"), "rule"}  // grid
	frame = tone{Hex("9a9a9a"), "frame"} // axes
	shade = tone{Hex("f2f2f2"), "shade"} // fields without a value
	paper = tone{Hex("ffffff"), "paper"} // background, and rims that set marks apart
)

// CSS returns the style sheet that makes charts follow the colors of their page. It sets each tone to
// the custom property of its name, such as --ink, and to the tone for white paper without that
// property.
func CSS() string {
	var b strings.Builder
	for _, t := range []tone{Ink, Faded, rule, frame, shade, paper} {
		v := fmt.Sprintf("var(--%s, #%02x%02x%02x)", t.class, t.R, t.G, t.B)
		fmt.Fprintf(&b, "svg .%s { fill: %s; }\nsvg .%s-line { stroke: %s; }\n", t.class, v, t.class, v)
	}
	return b.String()
}

// Hex parses a color such as "1f6fd0". It panics on any other string.
func Hex(s string) color.NRGBA {
	c := color.NRGBA{A: 255}
	if _, err := fmt.Sscanf(s, "%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		panic("draw: colour " + s + ": " + err.Error())
	}
	return c
}

// Pale makes a color transparent: 0 is the color, 1 is the background.
func Pale(c color.Color, background float64) color.Color {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	n.A = uint8(255*(1-background) + 0.5)
	if t, ok := c.(tone); ok {
		t.NRGBA = n
		return t
	}
	return n
}
