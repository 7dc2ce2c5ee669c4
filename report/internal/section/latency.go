package section

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/cost"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/analysis"
	"github.com/timerbench/timerbench/report/internal/draw"
)

func latency(v *View) Section {
	s := Section{
		Title:  "How long does a single call take?",
		Open:   true,
		Absent: "latency",
		Lead: show.Para(fmt.Sprintf("The clock is read before and after each call, and all trials count together. Each sample contains one reading "+
			"of the clock, %s at the median. The times by kind of operation below show smaller differences. There is no "+
			"maximum, because the operating system interrupts the slowest of a million calls.",
			show.Duration(v.Environment.ClockNS))),
	}
	for i, at := range v.latencyCharts() {
		t := Table{Title: at.figure.Title, Body: at.table()}
		if i == 0 {
			s.Charts = append(s.Charts, at.figure)
		} else {
			t.Chart = at.figure
		}
		s.Tables = append(s.Tables, t)
	}
	return s
}

// latencyAt is the picture of single calls at one size.
type latencyAt struct {
	n      int
	figure *draw.Figure
	cells  []*cost.Costs
	rows   []analysis.Contender
}

// The kinds of calls and the shapes of delays in the picture of single calls.
var (
	latencyKinds  = []script.Kind{script.KindSchedule, script.KindCancel, script.KindFire}
	latencyShapes = []string{"uniform", "clustered"} // one more column would leave no room for the labels
)

// latencyCharts returns a picture for each size: first the largest with all classics that were measured at any size, then
// the others, for readers who choose them.
func (v *View) latencyCharts() []latencyAt {
	var out []latencyAt
	cells := slices.DeleteFunc(slices.Clone(v.Cells), func(c *cost.Costs) bool {
		return c.Grid == nil || !slices.Contains(latencyShapes, c.Grid.Delays) || !slices.ContainsFunc(c.Rows, hasLatency)
	})
	best := 0
	for _, n := range sizesOf(cells) {
		at := latencyAt{n: n, cells: slices.DeleteFunc(slices.Clone(cells), func(c *cost.Costs) bool { return c.N != n })}
		at.rows = v.classicRows(func(who analysis.Contender) bool {
			return !slices.ContainsFunc(at.cells, func(c *cost.Costs) bool { return !hasLatency(c.Row(who.Name)) })
		})
		if at.figure = v.latencyChart(at); at.figure != nil {
			if len(out) == 0 || len(at.rows) >= len(out[best].rows) {
				best = len(out)
			}
			out = append(out, at)
		}
	}
	if len(out) == 0 {
		return nil
	}
	first := out[best]
	out = slices.Insert(slices.Delete(out, best, best+1), 0, first)
	for _, at := range out[1:] {
		at.figure.Name += fmt.Sprintf("-%d", at.n)
	}
	return out
}

// latencyChart shows percentiles of single calls in the grid of distributions: a row of panels for each
// share cancelled, a column for each kind of call and shape of delays. Nil: there is nothing to show.
func (v *View) latencyChart(at latencyAt) *draw.Figure {
	delays, shares := gridOf(at.cells)
	f := &draw.Figure{
		Name:  "latency",
		Title: fmt.Sprintf("Single calls with %s timers", show.Grouped(at.n)),
		Subtitle: "The median, the 99th and the 99.9th percentile of the time of a call, by the kind of call, the shape of the " +
			"delays and the share of timers cancelled. Further left is better.",
		Caption: "The time axis is logarithmic. The last row is the floor: the harness with a scheduler that does nothing. " +
			"A percentile of too few calls has no mark." + v.clockNote(),
		X:       draw.Axis{Ticks: draw.LogTicks{Label: show.Duration, Most: 3}, Low: 1.4, High: 1.4},
		Columns: len(latencyKinds) * len(delays), Height: draw.RowsHeight(len(at.rows)),
	}
	found := false
	for _, share := range shares {
		for _, kind := range latencyKinds {
			for _, shape := range delays {
				i := slices.IndexFunc(at.cells, func(c *cost.Costs) bool { return c.Grid.Delays == shape && c.Grid.CancelPercent == share })
				if i < 0 || !slices.Contains(kindsOf(at.cells[i]), kind) {
					f.Panels = append(f.Panels, nil)
					continue
				}
				p := &draw.Panel{Title: fmt.Sprintf("%s, %s", kind, shape), XLabel: fmt.Sprintf("%d %% cancelled", share), Rows: v.stylesOf(at.rows)}
				for row, who := range at.rows {
					l, _ := latencyOf(at.cells[i].Row(who.Name), kind)
					line := draw.Series{Style: v.Styles[who.Name], Rows: true, Joined: true}
					var points []draw.Marks
					for _, of := range percentiles {
						ns := of.of(l)
						if !(ns > 0) { // or not known
							continue
						}
						line.Marks = append(line.Marks, draw.Mark{X: ns, Y: float64(row), Title: of.name + " " + show.Duration(ns)})
						point := draw.Style{Color: v.Styles[who.Name].Color, Marker: of.marker}
						points = append(points, draw.Series{Style: point, Radius: of.radius * 0.8, Rows: true, Marks: []draw.Mark{{X: ns, Y: float64(row)}}})
						found = true
					}
					p.Marks = append(append(p.Marks, line), points...)
				}
				f.Panels = append(f.Panels, p)
			}
		}
	}
	if !found {
		return nil
	}
	for _, of := range percentiles {
		f.Legend = append(f.Legend, draw.Key{Text: of.name, Style: draw.Style{Color: draw.Faded, Marker: of.marker}, Radius: of.radius})
	}
	return f
}

// table holds the numbers of the picture.
func (at latencyAt) table() show.Text {
	t := newTable("llr", "Call", "Structure")
	_, shares := gridOf(at.cells)
	var columns []*cost.Costs
	for _, share := range shares {
		for _, c := range at.cells {
			if c.Grid.CancelPercent == share {
				t.Header = append(t.Header, fmt.Sprintf("%s, %d %%", c.Grid.Delays, share))
				columns = append(columns, c)
			}
		}
	}
	for _, kind := range latencyKinds {
		for _, who := range at.rows {
			line := []any{kind.String(), label(who, false)}
			for _, c := range columns {
				l, _ := latencyOf(c.Row(who.Name), kind)
				line = append(line, percentilesOf(l))
			}
			t.Add(line...).Structure = who.Name
		}
	}
	return append(show.Para("In nanoseconds: the median, the 99th and the 99.9th percentile."), show.Tables(t)...)
}

// percentilesOf writes the percentiles of the picture; nil: none of them is known.
func percentilesOf(l results.Latency) any {
	var out []string
	value := math.NaN()
	for _, of := range percentiles {
		ns := of.of(l)
		if out = append(out, show.Figure(ns)); !math.IsNaN(ns) {
			value = ns
		}
	}
	if math.IsNaN(value) {
		return nil
	}
	return show.Number(value, strings.Join(out, " / "))
}

func hasLatency(r *results.Row) bool {
	return r != nil && slices.ContainsFunc(r.Latency, func(l results.Latency) bool { return l.Samples > 0 })
}

// kindsOf returns the kinds of calls for which a cell has latencies, in the order of charts and tables.
func kindsOf(c *cost.Costs) []script.Kind {
	var out []script.Kind
	for _, r := range c.Rows {
		for _, l := range r.Latency {
			if l.Samples > 0 {
				out = append(out, l.Kind)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func latencyOf(row *results.Row, kind script.Kind) (l results.Latency, ok bool) {
	if row != nil {
		for _, l := range row.Latency {
			if l.Kind == kind && l.Samples > 0 {
				return l, true
			}
		}
	}
	return l, false
}

// percentile is one mark of a latency.
type percentile struct {
	name   string
	value  func(results.Latency) float64
	q      float64
	marker draw.Marker
	radius draw.Length
}

var percentiles = []percentile{
	{"median", func(l results.Latency) float64 { return l.P50 }, 0.5, draw.Circle, 3.6},
	{"99 %", func(l results.Latency) float64 { return l.P99 }, 0.99, draw.Diamond, 2.9},
	{"99.9 %", func(l results.Latency) float64 { return l.P999 }, 0.999, draw.Triangle, 2.6},
}

// of returns the percentile. It is NaN if too few samples leave it open by more than a factor of 10.
func (p percentile) of(l results.Latency) float64 {
	if !analysis.KnowsQuantile(l, p.q) {
		return math.NaN()
	}
	return p.value(l)
}

func (v *View) clockNote() string {
	if v.Environment.ClockNS <= 0 {
		return ""
	}
	return " Each sample contains one reading of the clock: " + show.Duration(v.Environment.ClockNS) + "."
}
