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

	"github.com/timerbench/timerbench/internal/show"
)

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
// property. Marks on demand are visible while they have the class pin.
func CSS() string {
	var b strings.Builder
	b.WriteString("svg .more { display: none; }\nsvg .more.pin { display: inline; }\n")
	for _, t := range []tone{Ink, Faded, rule, frame, shade, paper} {
		v := fmt.Sprintf("var(--%s, #%02x%02x%02x)", t.class, t.R, t.G, t.B)
		fmt.Fprintf(&b, "svg .%s { fill: %s; }\nsvg .%s-line { stroke: %s; }\n", t.class, v, t.class, v)
	}
	return b.String()
}

// textOn is the color of text with the larger contrast to a field. It is no tone: it keeps its color on a dark page, like the field.
func textOn(field color.Color) color.Color {
	if l := luminance(field); (luminance(paper)+0.05)/(l+0.05) > (l+0.05)/(luminance(Ink)+0.05) {
		return paper.NRGBA
	}
	return Ink.NRGBA
}

// luminance is the relative luminance of WCAG 2, from 0 to 1.
func luminance(c color.Color) float64 {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(n.R) + 0.7152*linear(n.G) + 0.0722*linear(n.B)
}

// Hex parses a color such as "1f6fd0". It panics on any other string.
func Hex(s string) color.NRGBA {
	c := color.NRGBA{A: 255}
	if _, err := fmt.Sscanf(s, "%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		panic("draw: colour " + s + ": " + err.Error())
	}
	return c
}

// Mix blends a color with white, for fields with text: 0 is the color, 1 is white.
func Mix(c color.Color, white float64) color.NRGBA {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	up := func(v uint8) uint8 { return uint8(float64(v) + (255-float64(v))*white + 0.5) }
	return color.NRGBA{R: up(n.R), G: up(n.G), B: up(n.B), A: 255}
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
