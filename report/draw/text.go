// Package draw renders figures as PNG and SVG: panels of data under a title and a legend. It does not
// know the meaning of the data.
//
// A [Figure] is a grid of [Panel], each with two axes and with marks on them: [Series],
// [Bar], a [Heat] map, or a sketch without axes.
package draw

import (
	"image/color"

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
