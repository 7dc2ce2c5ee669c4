package report

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// latency says how long single calls take.
func latency(v *view) section {
	s := section{
		title:  "How long does one call take, and how long at worst?",
		absent: "latency",
		lead: fmt.Sprintf("Single calls, each stamped with the clock before and after, all trials together. "+
			"Each sample holds one reading of the clock, %s at the median; differences far below that are not visible here, "+
			"see the cost by kind of operation for them. The tables show each workload at its largest N; the results file holds all sizes.", duration(v.r.Environment.ClockNS)),
	}
	for _, cell := range v.latencyCells() {
		s.charts = append(s.charts, v.latencyChart(cell), v.curveChart(cell))
	}
	for _, w := range v.workloads() {
		if cell, ok := v.largestWith(w, hasLatency); ok {
			s.tables = append(s.tables, table{title: cellTitle(cell) + ": latency", body: v.latencyTable(cell)})
		}
	}
	return s
}

// percentile is one mark of the latency chart.
type percentile struct {
	name   string
	value  func(results.Latency) float64
	least  int64 // samples without which it says nothing but the maximum
	marker draw.Marker
	radius draw.Length
}

var percentiles = []percentile{
	{"median", func(l results.Latency) float64 { return l.P50 }, 1, draw.Circle, 3.6},
	{"90 %", func(l results.Latency) float64 { return l.P90 }, 10, draw.Square, 2.5},
	{"99 %", func(l results.Latency) float64 { return l.P99 }, 100, draw.Diamond, 2.9},
	{"99.9 %", func(l results.Latency) float64 { return l.P999 }, 1000, draw.Triangle, 2.6},
	{"max", func(l results.Latency) float64 { return l.Max }, 1, draw.Circle.AsHollow(), 2.4},
}

// of returns the percentile; ok is false where the samples are too few for it.
func (p percentile) of(l results.Latency) (ns float64, ok bool) {
	return p.value(l), l.Samples >= p.least
}

var clockLook = draw.Look{Color: draw.Hex("444444"), Dashes: []draw.Length{2, 2}}

// latencyCells chooses the cells that get charts: the first synthetic workload at
// its largest N, every workload of a program, and for each distribution of the grid
// the cell whose share cancelled is nearest to one half.
func (v *view) latencyCells() []results.Cell {
	var first, ofTheGrid, programs []results.Cell
	for _, w := range v.workloads() {
		c, ok := v.largestWith(w, hasLatency)
		if !ok {
			continue
		}
		switch v.classOf(w) {
		case synthetic:
			if first == nil {
				first = append(first, c)
			}
		case ofGrid:
			ofTheGrid = v.nearestToHalf(ofTheGrid, c)
		case ofPrograms:
			programs = append(programs, c)
		}
	}
	return slices.Concat(first, ofTheGrid, programs)
}

// nearestToHalf adds a cell of the grid, or puts it in the place of the one with
// the same distribution if its share cancelled is nearer to one half.
func (v *view) nearestToHalf(cells []results.Cell, c results.Cell) []results.Cell {
	place, _ := v.gridPlace(c)
	for i, old := range cells {
		was, _ := v.gridPlace(old)
		if was.Delays == place.Delays {
			if abs(place.CancelPercent-50) < abs(was.CancelPercent-50) {
				cells[i] = c
			}
			return cells
		}
	}
	return append(cells, c)
}

func abs(i int) int { return max(i, -i) }

// kindsOf returns the kinds of which a cell has latencies.
func kindsOf(c results.Cell) []script.Kind {
	var out []script.Kind
	for _, r := range c.Rows {
		for _, l := range r.Latency {
			if l.Samples > 0 {
				out = append(out, l.Kind)
			}
		}
	}
	slices.Sort(out) // as charts and tables show them
	return slices.Compact(out)
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

func (v *view) clockNote() string {
	if v.r.Environment.ClockNS <= 0 {
		return ""
	}
	return fmt.Sprintf(" Each sample holds one reading of the clock: %s.", duration(v.r.Environment.ClockNS))
}

// latencyChart shows percentiles of single calls, a panel for each kind of
// operation and a row for each contender.
func (v *view) latencyChart(c results.Cell) *draw.Figure {
	kinds, rows := kindsOf(c), v.latencyRows(c)
	clock := v.r.Environment.ClockNS
	var all draw.Span
	all.Add(clock)
	for _, who := range rows {
		row, _ := rowOf(c, who.name)
		for _, l := range row.Latency {
			all.Add(l.P50, l.Max)
		}
	}
	all = all.Around(1.4, 1.4)
	columns := min(len(kinds), 2)
	var panels []*draw.Panel
	for k, kind := range kinds {
		p := draw.NewPanel(kind.String())
		p.LogX("time per call", all, draw.LogTicks{Label: duration, Most: 18 / columns})
		p.Rows(v.looksOf(rows))
		if k%columns > 0 {
			p.UnnamedY()
		}
		if clock > 0 {
			p.Add(draw.VerticalLine{X: clock, Look: clockLook})
		}
		for i, who := range rows {
			row, _ := rowOf(c, who.name)
			if l, ok := latencyOf(row, kind); ok {
				addPercentiles(p, l, v.looks[who.name], draw.RowAt(i, len(rows)))
			}
		}
		panels = append(panels, p)
	}
	f := &draw.Figure{
		Name:     fmt.Sprintf("latency-%s-%d", c.Workload, c.N),
		Subtitle: fmt.Sprintf("Latency of single calls by kind of operation. Workload %s. Lower (further left) is better.", cellTitle(c)),
		Caption:  "Logarithmic time axis. Marks are percentiles of all samples of all trials together." + v.clockNote(),
		Height:   draw.Lines(len(kinds), columns) * draw.RowsHeight(len(rows)),
		Panels:   draw.Arrange(panels, columns),
	}
	for _, p := range percentiles {
		f.Legend = append(f.Legend, draw.Key{Text: p.name, Look: draw.Look{Color: draw.Faded, Marker: p.marker}, Radius: p.radius})
	}
	if clock > 0 {
		f.Legend = append(f.Legend, draw.Key{Text: "cost of reading the clock once, " + duration(clock), Look: clockLook, Line: true})
	}
	return f
}

// addPercentiles puts the percentiles of one contender on its row.
func addPercentiles(p *draw.Panel, l results.Latency, look draw.Look, y float64) {
	if l.P50 > 0 && l.Max > 0 {
		p.Add(draw.Dots{Look: look, Joined: true, Marks: []draw.Mark{{X: l.P50, Y: y}, {X: l.Max, Y: y}}})
	}
	for _, pc := range slices.Backward(percentiles) {
		if x, ok := pc.of(l); ok && x > 0 {
			look.Marker = pc.marker
			p.Add(draw.Dots{Look: look, Radius: pc.radius, Marks: []draw.Mark{{X: x, Y: y}}})
		}
	}
}

// latencyTable shows the percentiles of one cell.
func (v *view) latencyTable(c results.Cell) string {
	var rows [][]string
	for _, kind := range kindsOf(c) {
		for _, who := range v.latencyRows(c) {
			row, _ := rowOf(c, who.name)
			l, ok := latencyOf(row, kind)
			if !ok {
				continue
			}
			cells := []string{literal(kind.String()), v.label(who, false), count(l.Samples), digits3(l.Mean)}
			for _, p := range percentiles {
				cell := "–"
				if ns, ok := p.of(l); ok {
					cell = digits3(ns)
				}
				cells = append(cells, cell)
			}
			rows = append(rows, cells)
		}
	}
	return markdownTable("llr", []string{"Kind", "Structure", "Samples", "Mean ns", "Median", "90 %", "99 %", "99.9 %", "Max"}, rows)
}
