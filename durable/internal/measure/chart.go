package main

import (
	"fmt"
	"image/color"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// series is a value of each result.
type series struct {
	name  string
	color color.Color
	of    func(result) float64
}

var (
	blue  = color.RGBA{R: 0x1f, G: 0x77, B: 0xb4, A: 0xff}
	amber = color.RGBA{R: 0xff, G: 0x7f, B: 0x0e, A: 0xff}
	red   = color.RGBA{R: 0xd6, G: 0x27, B: 0x28, A: 0xff}
)

// draw writes the charts. That of lateness has a logarithmic axis, as the setups lie far
// apart.
func draw(dir string, results []result) error {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	plotter.DefaultFont = plot.DefaultFont
	rates := newPlot("Timers a second", results)
	rates.Y.Min = 0
	late := newPlot("Lateness, ms", results)
	late.Y.Scale, late.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	late.Legend.Left = true
	for _, err := range []error{
		points(rates, results, series{"stored", blue, func(r result) float64 { return r.Stored }}),
		points(rates, results, series{"fired", amber, func(r result) float64 { return r.Fired }}),
		points(late, results, series{"median", blue, func(r result) float64 { return r.P50 }}),
		points(late, results, series{"99th percentile", amber, func(r result) float64 { return r.P99 }}),
		points(late, results, series{"largest", red, func(r result) float64 { return r.Max }}),
	} {
		if err != nil {
			return err
		}
	}
	rates.Y.Max *= 1.1
	late.Y.Min, late.Y.Max = late.Y.Min/2, late.Y.Max*5
	const width, height = 20 * vg.Centimeter, 11 * vg.Centimeter
	if err := rates.Save(width, height, filepath.Join(dir, "rates.svg")); err != nil {
		return err
	}
	return late.Save(width, height, filepath.Join(dir, "lateness.svg"))
}

// newPlot returns a plot with a place for each result.
func newPlot(title string, results []result) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.Legend.Top = title, true
	var labels []string
	for _, r := range results {
		labels = append(labels, fmt.Sprintf("%s\n%d nodes\n%d workers", r.Backend, r.Nodes, r.Workers))
	}
	p.NominalX(labels...)
	p.X.Min, p.X.Max = -0.5, float64(len(results))-0.5
	return p
}

func points(p *plot.Plot, results []result, s series) error {
	var values plotter.XYs
	for i, r := range results {
		values = append(values, plotter.XY{X: float64(i), Y: max(s.of(r), 0.01)})
	}
	dots, err := plotter.NewScatter(values)
	if err != nil {
		return err
	}
	dots.Color, dots.Radius, dots.Shape = s.color, vg.Points(4), vgdraw.CircleGlyph{}
	p.Add(dots)
	p.Legend.Add(s.name, dots)
	return nil
}
