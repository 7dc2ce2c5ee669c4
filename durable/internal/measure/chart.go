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

// draw writes the charts.
func draw(dir string, results []result) error {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	plotter.DefaultFont = plot.DefaultFont
	if err := drawRates(filepath.Join(dir, "rates.svg"), results); err != nil {
		return err
	}
	return drawLateness(filepath.Join(dir, "lateness.svg"), results)
}

var (
	blue  = color.RGBA{R: 0x1f, G: 0x77, B: 0xb4, A: 0xff}
	amber = color.RGBA{R: 0xff, G: 0x7f, B: 0x0e, A: 0xff}
	red   = color.RGBA{R: 0xd6, G: 0x27, B: 0x28, A: 0xff}
)

func label(r result) string {
	return fmt.Sprintf("%s\n%d nodes\n%d workers", r.Backend, r.Nodes, r.Workers)
}

func labels(results []result) []string {
	var list []string
	for _, r := range results {
		list = append(list, label(r))
	}
	return list
}

const width, height = 20 * vg.Centimeter, 11 * vg.Centimeter

func drawRates(path string, results []result) error {
	p := plot.New()
	p.Title.Text = "Timers a second"
	p.Y.Min = 0
	p.Legend.Top = true
	for i, series := range []struct {
		name  string
		color color.Color
		value func(result) float64
	}{
		{"stored", blue, func(r result) float64 { return r.Stored }},
		{"fired", amber, func(r result) float64 { return r.Fired }},
	} {
		var values plotter.Values
		for _, r := range results {
			values = append(values, series.value(r))
		}
		bars, err := plotter.NewBarChart(values, vg.Points(18))
		if err != nil {
			return err
		}
		bars.Color, bars.LineStyle.Width = series.color, 0
		bars.Offset = vg.Points(18) * (vg.Length(i) - 0.5)
		p.Add(bars)
		p.Legend.Add(series.name, bars)
		p.Y.Max = max(p.Y.Max*1.05, 1)
	}
	p.NominalX(labels(results)...)
	return p.Save(width, height, path)
}

// drawLateness has a logarithmic axis, as the setups lie far apart.
func drawLateness(path string, results []result) error {
	p := plot.New()
	p.Title.Text = "Lateness, ms"
	p.Y.Scale = plot.LogScale{}
	p.Y.Tick.Marker = plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	for _, series := range []struct {
		name  string
		color color.Color
		value func(result) float64
	}{
		{"median", blue, func(r result) float64 { return r.P50 }},
		{"99th percentile", amber, func(r result) float64 { return r.P99 }},
		{"largest", red, func(r result) float64 { return r.Max }},
	} {
		var points plotter.XYs
		for i, r := range results {
			points = append(points, plotter.XY{X: float64(i), Y: max(series.value(r), 0.01)})
		}
		scatter, err := plotter.NewScatter(points)
		if err != nil {
			return err
		}
		scatter.Color, scatter.Radius = series.color, vg.Points(4)
		scatter.Shape = vgdraw.CircleGlyph{}
		p.Add(scatter)
		p.Legend.Add(series.name, scatter)
	}
	p.Y.Min, p.Y.Max = p.Y.Min/2, p.Y.Max*5
	p.X.Min, p.X.Max = -0.5, float64(len(results))-0.5
	p.NominalX(labels(results)...)
	return p.Save(width, height, path)
}
