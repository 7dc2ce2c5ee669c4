package report

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

// kinds in the order of charts and tables; others that the results hold follow.
var kinds = []script.Kind{script.KindSchedule, script.KindCancel, script.KindReschedule, script.KindFire, script.KindWake}

// percentile is one mark of the latency chart.
type percentile struct {
	name   string
	value  func(results.Latency) float64
	least  int64 // samples without which it says nothing but the maximum
	marker marker
	radius vg.Length
}

var percentiles = []percentile{
	{"median", func(l results.Latency) float64 { return l.P50 }, 1, circle, 3.6},
	{"90 %", func(l results.Latency) float64 { return l.P90 }, 10, square, 2.5},
	{"99 %", func(l results.Latency) float64 { return l.P99 }, 100, diamond, 2.9},
	{"99.9 %", func(l results.Latency) float64 { return l.P999 }, 1000, triangle, 2.6},
	{"max", func(l results.Latency) float64 { return l.Max }, 1, circle.asHollow(), 2.4},
}

// of returns the percentile; ok is false where the samples are too few for it.
func (p percentile) of(l results.Latency) (ns float64, ok bool) {
	return p.value(l), l.Samples >= p.least
}

var clockLine = draw.LineStyle{Color: hex("444444"), Width: 1, Dashes: []vg.Length{2, 2}}

// latencyCells chooses the cells that get pictures: the first synthetic workload
// at its largest N, of the grid the cell nearest to half cancelled for each
// distribution, and every realistic workload. Tables show all cells.
func (v *view) latencyCells() []results.Cell {
	var out []results.Cell
	nearest := make(map[string]results.Cell)
	var distributions []string
	haveSynthetic := false
	for _, w := range v.workloads() {
		c, ok := v.largestWith(w, hasLatency)
		if !ok {
			continue
		}
		switch v.classOf(w) {
		case synthetic:
			if !haveSynthetic {
				haveSynthetic = true
				out = append(out, c)
			}
		case grid:
			distribution, cancel, _ := gridName(w)
			old, have := nearest[distribution]
			if !have {
				distributions = append(distributions, distribution)
			}
			if _, was, _ := gridName(old.Workload); !have || abs(cancel-50) < abs(was-50) {
				nearest[distribution] = c
			}
		}
	}
	for _, d := range distributions {
		out = append(out, nearest[d])
	}
	for _, w := range v.workloads() {
		if c, ok := v.largestWith(w, hasLatency); ok && v.classOf(w) == realistic {
			out = append(out, c)
		}
	}
	return out
}

func abs(i int) int { return max(i, -i) }

// kindsOf returns the kinds of which a cell has latencies.
func kindsOf(c results.Cell) []script.Kind {
	return foundKinds(func(found func(script.Kind)) {
		for _, r := range c.Rows {
			for _, l := range r.Latency {
				if l.Samples > 0 {
					found(l.Kind)
				}
			}
		}
	})
}

// foundKinds orders the kinds that a walk finds.
func foundKinds(walk func(found func(script.Kind))) []script.Kind {
	order := slices.Clone(kinds)
	have := make(map[script.Kind]bool)
	walk(func(k script.Kind) {
		have[k] = true
		if !slices.Contains(order, k) {
			order = append(order, k)
		}
	})
	return slices.DeleteFunc(order, func(k script.Kind) bool { return !have[k] })
}

func latencyOf(row results.Row, kind script.Kind) (results.Latency, bool) {
	for _, l := range row.Latency {
		if l.Kind == kind && l.Samples > 0 {
			return l, true
		}
	}
	return results.Latency{}, false
}

// latencyRows are the contenders of a cell that have latencies.
func (v *view) latencyRows(c results.Cell) []contender {
	return v.present(func(who contender) bool {
		row, ok := rowOf(c, who.name)
		return ok && hasLatency(row)
	})
}

func cellTitle(c results.Cell) string {
	return fmt.Sprintf("%s, N = %s%s", c.Workload, short(float64(c.N)), perUnit(c))
}

func (v *view) clockNote() string {
	if v.r.Environment.ClockNS <= 0 {
		return ""
	}
	return fmt.Sprintf(" Each sample holds one reading of the clock: %s.", duration(v.r.Environment.ClockNS))
}

// latencyChart shows percentiles of single calls, a panel for each kind of
// operation and a row for each contender.
func (v *view) latencyChart(c results.Cell) *figure {
	kinds, rows := kindsOf(c), v.latencyRows(c)
	f := &figure{
		name:     fmt.Sprintf("latency-%s-%d", c.Workload, c.N),
		title:    "How long does one call take, and how long at worst?",
		subtitle: fmt.Sprintf("Latency of single calls by kind of operation. Workload %s. Lower (further left) is better.", cellTitle(c)),
		caption:  "Logarithmic time axis. Marks are percentiles of all samples of all trials together." + v.clockNote(),
	}
	for _, p := range percentiles {
		f.legend = append(f.legend, key{text: p.name, look: look{color: faded, marker: p.marker}, radius: p.radius})
	}
	if v.r.Environment.ClockNS > 0 {
		f.legend = append(f.legend, key{
			text: "cost of reading the clock once, " + duration(v.r.Environment.ClockNS),
			look: look{color: clockLine.Color, dashes: clockLine.Dashes}, line: true,
		})
	}
	all := newSpan()
	all.add(v.r.Environment.ClockNS)
	for _, who := range rows {
		row, _ := rowOf(c, who.name)
		for _, l := range row.Latency {
			all.add(l.P50, l.Max)
		}
	}
	all = all.around(1.4, 1.4)
	columns := min(len(kinds), 2)
	f.height = lines(len(kinds), columns) * rowsHeight(len(rows))
	var panels []*plot.Plot
	for k, kind := range kinds {
		p := newPanel(kind.String())
		logAxis(&p.X, all, logTicks{duration, 18 / columns})
		p.X.Label.Text = "time per call"
		rowsAxis(p, names(rows), k%columns == 0)
		if v.r.Environment.ClockNS > 0 {
			p.Add(upline{v.r.Environment.ClockNS, clockLine})
		}
		for i, who := range rows {
			row, _ := rowOf(c, who.name)
			l, ok := latencyOf(row, kind)
			if !ok {
				continue
			}
			line := dots{look: v.looks[who.name], joined: true}
			y := rowAt(i, len(rows))
			if l.P50 > 0 && l.Max > 0 {
				line.marks = []mark{{x: l.P50, y: y}, {x: l.Max, y: y}}
				p.Add(line)
			}
			for _, pc := range slices.Backward(percentiles) {
				if x, ok := pc.of(l); ok && x > 0 {
					p.Add(dots{look: look{color: v.looks[who.name].color, marker: pc.marker}, radius: pc.radius, marks: []mark{{x: x, y: y}}})
				}
			}
		}
		panels = append(panels, p)
	}
	f.panels = arrange(panels, columns)
	return f
}
