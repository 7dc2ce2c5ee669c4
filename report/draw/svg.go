package draw

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/color"
	"math"
	"math/cmplx"
	"strconv"
	"strings"
	"unicode/utf8"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/timerbench/timerbench/internal/show"
)

// svgCanvas writes an SVG for a page, which vgsvg cannot do. The marks of one structure are a group
// with its name ([grouped]). Text and lines have a class, so a page can change their colors ([tone]).
// Nothing has an ID or an inline style, so many charts fit into one page with a strict policy.
//
// Coordinates are rounded to a tenth of a point, and paths are relative. This reduces a page of
// forty charts to a third of its size.
type svgCanvas struct {
	width, height Length
	out           bytes.Buffer
	state         svgState
	stack         []svgState
	names         map[string]Style // texts that name a structure or a cell
	last          element          // not written yet: a line around it may follow
}

type element struct {
	shape      string // its tag and its form; empty: there is none
	classes    []string
	attributes string
}

// svgState is the state that Push saves. A point p of the drawing is at turn*p + shift on the
// canvas, whose origin is at the bottom left.
type svgState struct {
	color       color.Color
	width       Length
	dashes      []Length
	turn, shift complex128
}

// shortText is the largest number of characters that fits in another font without a fixed width.
const shortText = 3

// bytes returns the whole document. Another font may replace a missing one, so each longer text has
// a fixed width and does not cover data.
func (c *svgCanvas) bytes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %s %s" `+
		`font-family="'Liberation Sans',Arial,Helvetica,sans-serif" fill="none">`+"\n",
		math.Round(float64(c.width)/0.75), math.Round(float64(c.height)/0.75), number(float64(c.width)), number(float64(c.height)))
	c.flush()
	b.Write(c.out.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// grouped draws the marks of one structure. They are a group with the name and the family of
// the structure, and with a title of the name and the figures of the marks.
func grouped(c draw.Canvas, l Style, figures string, marks func()) {
	if l.Name == "" {
		marks()
		return
	}
	at := c.Canvas
	for outer, ok := at.(draw.Canvas); ok; outer, ok = at.(draw.Canvas) {
		at = outer.Canvas // gonum/plot puts canvases into canvases
	}
	svg := at.(*svgCanvas)
	svg.flush()
	fmt.Fprintf(&svg.out, "<g%s><title>%s</title>\n", l.attributes(), html.EscapeString(show.Joined(": ", l.Name, figures)))
	marks()
	svg.flush()
	svg.out.WriteString("</g>\n")
}

// attributes name the structure or the cell in SVG.
func (l Style) attributes() string {
	out := ""
	for _, a := range []struct{ name, value string }{{"structure", l.Structure}, {"family", l.Family}, {"cell", l.Cell}} {
		if a.value != "" {
			out += fmt.Sprintf(` data-%s="%s"`, a.name, html.EscapeString(a.value))
		}
	}
	return out
}

// Size implements vg.CanvasSizer. The methods below do so too.
func (c *svgCanvas) Size() (x, y Length) { return c.width, c.height }

func (c *svgCanvas) SetLineWidth(w Length)                 { c.state.width = w }
func (c *svgCanvas) SetLineDash(dashes []Length, _ Length) { c.state.dashes = dashes }
func (c *svgCanvas) SetColor(col color.Color)              { c.state.color = col }
func (c *svgCanvas) Push()                                 { c.stack = append(c.stack, c.state) }
func (c *svgCanvas) Rotate(rad float64)                    { c.state.turn *= cmplx.Rect(1, rad) }
func (c *svgCanvas) DrawImage(vg.Rectangle, image.Image)   { panic("draw: charts have no images") }
func (c *svgCanvas) Translate(by vg.Point)                 { c.state.shift += c.state.turn * point(by) }
func (c *svgCanvas) scaled(l Length) float64               { return float64(l) * cmplx.Abs(c.state.turn) }

func (c *svgCanvas) Pop() {
	c.state, c.stack = c.stack[len(c.stack)-1], c.stack[:len(c.stack)-1]
}

func (c *svgCanvas) Scale(x, y float64) {
	if x != y {
		panic(fmt.Sprintf("draw: scale of %v by %v: only equal ones are implemented", x, y))
	}
	c.state.turn *= complex(x, 0)
}

func (c *svgCanvas) Fill(p vg.Path) {
	c.flush()
	c.last.shape = c.shape(p)
	c.last.paint("fill", "", c.state.color)
}

// Stroke draws a line. A line around what was just filled becomes a part of that element.
func (c *svgCanvas) Stroke(p vg.Path) {
	width := c.scaled(c.state.width)
	if width <= 0 {
		return
	}
	if shape := c.shape(p); shape != c.last.shape {
		c.flush()
		c.last.shape = shape
	}
	c.last.paint("stroke", "-line", c.state.color)
	if width != 1 {
		c.last.attributes += fmt.Sprintf(` stroke-width="%s"`, number(width))
	}
	if len(c.state.dashes) > 0 {
		var dashes []string
		for _, d := range c.state.dashes {
			dashes = append(dashes, number(c.scaled(d)))
		}
		c.last.attributes += fmt.Sprintf(` stroke-dasharray="%s"`, strings.Join(dashes, " "))
	}
	c.flush()
}

func (c *svgCanvas) flush() {
	if c.last.shape != "" {
		fmt.Fprintf(&c.out, "<%s%s/>\n", c.last.shape, c.last.paints())
	}
	c.last = element{}
}

// paint sets the fill or the stroke of an element. A tone also gets its class: the style sheet of a page
// overrides the attribute.
func (e *element) paint(attribute, suffix string, col color.Color) {
	if t, ok := col.(tone); ok {
		e.classes = append(e.classes, t.class+suffix)
	}
	n := color.NRGBAModel.Convert(col).(color.NRGBA)
	e.attributes += fmt.Sprintf(` %s="#%02x%02x%02x"`, attribute, n.R, n.G, n.B)
	if n.A < 255 {
		e.attributes += fmt.Sprintf(` %s-opacity="%s"`, attribute, strconv.FormatFloat(float64(n.A)/255, 'g', 2, 64))
	}
}

func (e *element) paints() string {
	if len(e.classes) == 0 {
		return e.attributes
	}
	return fmt.Sprintf(` class="%s"%s`, strings.Join(e.classes, " "), e.attributes)
}

// FillString writes a text. The name of a structure or a cell gets its attributes.
func (c *svgCanvas) FillString(face font.Face, at vg.Point, s string) {
	if face.Font.Size == 0 || s == "" || s == " " {
		return
	}
	c.flush()
	var colour element
	colour.paint("fill", "", c.state.color)
	x, y := c.place(at)
	fmt.Fprintf(&c.out, `<text x="%s" y="%s" font-size="%s"%s`, tenth(x), tenth(y), number(c.scaled(face.Font.Size)), colour.paints())
	if utf8.RuneCountInString(s) > shortText {
		fmt.Fprintf(&c.out, ` textLength="%s" lengthAdjust="spacingAndGlyphs"`, number(c.scaled(face.Width(s))))
	}
	if face.Font.Weight == stdfont.WeightBold {
		c.out.WriteString(` font-weight="bold"`)
	}
	if angle := -cmplx.Phase(c.state.turn) * 180 / math.Pi; angle != 0 {
		fmt.Fprintf(&c.out, ` transform="rotate(%s %s %s)"`, number(angle), tenth(x), tenth(y))
	}
	fmt.Fprintf(&c.out, "%s>%s</text>\n", c.names[s].attributes(), html.EscapeString(s))
}

// shape returns the element of a path, without its colour.
func (c *svgCanvas) shape(p vg.Path) string {
	if len(p) == 3 && p[1].Type == vg.ArcComp && math.Abs(p[1].Angle) >= 2*math.Pi {
		x, y := c.place(p[1].Pos)
		return fmt.Sprintf(`circle cx="%s" cy="%s" r="%s"`, tenth(x), tenth(y), number(c.scaled(p[1].Radius)))
	}
	var b bytes.Buffer
	var x, y, startX, startY int // in tenths
	for _, step := range p {
		nextX, nextY := c.place(step.Pos)
		switch {
		case step.Type == vg.MoveComp:
			fmt.Fprintf(&b, "M%s %s", tenth(nextX), tenth(nextY))
			startX, startY = nextX, nextY
		case step.Type == vg.CloseComp:
			b.WriteByte('z')
			nextX, nextY = startX, startY
		case step.Type != vg.LineComp:
			panic(fmt.Sprintf("draw: a path with a part of type %d: only lines and whole circles are implemented", step.Type))
		case nextX == x && nextY == y:
		case nextX == x:
			b.WriteString("v" + tenth(nextY-y))
		case nextY == y:
			b.WriteString("h" + tenth(nextX-x))
		default:
			fmt.Fprintf(&b, "l%s %s", tenth(nextX-x), tenth(nextY-y))
		}
		x, y = nextX, nextY
	}
	return `path d="` + b.String() + `"`
}

func point(p vg.Point) complex128 { return complex(float64(p.X), float64(p.Y)) }

// place returns the coordinates of SVG in tenths, whose origin is at the top left.
func (c *svgCanvas) place(p vg.Point) (x, y int) {
	at := c.state.turn*point(p) + c.state.shift
	return int(math.Round(10 * real(at))), int(math.Round(10 * (float64(c.height) - imag(at))))
}

func tenth(n int) string { return number(float64(n) / 10) }

// number writes a number to a tenth.
func number(v float64) string {
	return strconv.FormatFloat(math.Round(10*v)/10, 'f', -1, 64)
}
