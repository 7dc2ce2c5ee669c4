package section

import (
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/draw"
)

// goTimers compares Go's own timers with the driver on structures. It is another measurement than all others of a page.
func goTimers(v *View) Section {
	s := Section{Title: "What do Go's own timers cost?", Charts: []*draw.Figure{v.goChart()}}
	if s.Charts[0] == nil {
		s.Tables = []Table{{Main: true, Body: show.Para("Not measured: Go's own timers follow the real clock, so they take part in no workload. ",
			show.Mono("timerbench live --into FOLDER"), " measures them, and adds them to the results.")}}
		return s
	}
	s.Lead = show.Para("Go's own timers follow the real clock, so they take part in no workload. This is ", show.Strong("another measurement, under the real clock"),
		": package time, and package driver on several structures, with its locks and its calls through interfaces. Its figures do not compare with those of "+
			"the workloads. ", LiveLoads(v.Live))
	s.Tables = inPage(LiveCosts(v.Live))
	return s
}

// goCurve is the cost of an operation of Go's own timers at each number of resident timers, or of the driver on a structure.
func (v *View) goCurve(op results.Op, structure string) draw.Series {
	out := draw.Series{Style: draw.BaselineStyle, Radius: 2.7, Joined: true}
	if out.Style.Name = "Go's own timers"; structure != "" {
		out.Style = v.Styles[structure]
	}
	for _, n := range v.Live.Residents() {
		row, _ := v.Live.OnDriver(n, structure)
		if ns := stats.LiveOver(row, op, v.Live.Goroutines[0], results.LiveThroughput.OpNS); !math.IsNaN(ns) {
			out.Marks = append(out.Marks, draw.Mark{X: float64(n), Y: ns, Title: show.Short(ns) + " ns at " + short(n)})
		}
	}
	return out
}

// goChart shows the cost of operations under the real clock by the number of timers. Nil: not measured.
func (v *View) goChart() *draw.Figure {
	if v.Live == nil || !slices.ContainsFunc(v.Live.Rows, func(r results.LiveRow) bool { return r.Role == results.RoleBaseline }) {
		return nil
	}
	f := &draw.Figure{
		Name: "go-timers",
		Subtitle: "Processor time of an operation under the real clock, with all that it causes, by the number of resident timers. " +
			"Lower is better.",
		Caption: "Straight lines join the measured points. Both axes are logarithmic.",
		X:       draw.Axis{Ticks: draw.TicksAt(v.Live.Residents(), show.Short), Low: 1.25, High: 1.25},
		Y:       draw.Axis{Ticks: draw.LogTicks{Label: show.Duration, Most: 9}, Low: 1.2, High: 1.2},
		Height:  230, Columns: 3,
	}
	for i, of := range []struct {
		op   results.Op
		name string
	}{{results.StartStop(results.FormAfterFunc), "start and stop"}, {results.OpReset, "move to later"}, {results.OpFire, "start and fire"}} {
		p := &draw.Panel{Title: of.name, XLabel: "resident timers"}
		for k, structure := range append([]string{""}, v.Live.Structures()...) {
			curve := v.goCurve(of.op, structure)
			p.Marks = append(p.Marks, curve)
			if label := "driver on " + structure; i == 0 {
				if k == 0 {
					label = curve.Style.Name
				}
				f.Legend = append(f.Legend, draw.Key{Text: label, Style: curve.Style, Line: true, Radius: 3})
			}
		}
		f.Panels = append(f.Panels, p)
	}
	f.Panels[0].YLabel = "processor time"
	return f
}
