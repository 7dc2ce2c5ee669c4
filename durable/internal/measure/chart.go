//go:build unix

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

var colors = []color.Color{
	color.RGBA{R: 0x1f, G: 0x77, B: 0xb4, A: 0xff},
	color.RGBA{R: 0xff, G: 0x7f, B: 0x0e, A: 0xff},
	color.RGBA{R: 0xd6, G: 0x27, B: 0x28, A: 0xff},
}

// draw writes the charts. The axis of lateness is logarithmic, because the setups differ a lot.
func draw(dir string, results []result) error {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	plotter.DefaultFont = plot.DefaultFont
	rates, err := chart("Timers a second", results, []string{"stored", "fired"},
		func(r result) []float64 { return []float64{r.stored, r.fired} })
	if err != nil {
		return err
	}
	rates.Y.Min, rates.Y.Max = 0, rates.Y.Max*1.1
	late, err := chart("Lateness, ms", results, []string{"median", "99th percentile", "largest"},
		func(r result) []float64 { return []float64{r.p50, r.p99, r.max} })
	if err != nil {
		return err
	}
	late.Y.Scale, late.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	late.Legend.Left = true
	late.Y.Min, late.Y.Max = late.Y.Min/2, late.Y.Max*5
	const width, height = 20 * vg.Centimeter, 11 * vg.Centimeter
	if err := rates.Save(width, height, filepath.Join(dir, "rates.svg")); err != nil {
		return err
	}
	return late.Save(width, height, filepath.Join(dir, "lateness.svg"))
}

// chart returns a plot with a dot for each value of each result.
func chart(title string, results []result, names []string, values func(result) []float64) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.Legend.Top = title, true
	var labels []string
	dots := make([]plotter.XYs, len(names))
	for i, r := range results {
		labels = append(labels, fmt.Sprintf("%v\n%d nodes\n%d workers", r.backend, r.nodes, r.workers))
		for j, v := range values(r) {
			dots[j] = append(dots[j], plotter.XY{X: float64(i), Y: max(v, 0.01)})
		}
	}
	p.NominalX(labels...)
	p.X.Min, p.X.Max = -0.5, float64(len(results))-0.5
	for j, name := range names {
		s, err := plotter.NewScatter(dots[j])
		if err != nil {
			return nil, err
		}
		s.Color, s.Radius, s.Shape = colors[j], vg.Points(4), vgdraw.CircleGlyph{}
		p.Add(s)
		p.Legend.Add(name, s)
	}
	return p, nil
}
