package report

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// latency says how long single calls take.
func latency(v *view) section {
	s := section{
		title:  "How long do slow calls take?",
		absent: "latency",
		lead: fmt.Sprintf("Single calls, each stamped with the clock before and after, all trials together. "+
			"Each sample holds one reading of the clock, %s at the median; the time by kind of operation below shows differences far below that. "+
			"There is no maximum here: the slowest of a million calls is one that the operating system held up, with the floor as with any structure.", show.Duration(v.r.Environment.ClockNS)),
	}
	for _, class := range classes {
		t := table{title: "The 99.9th percentile on workloads: " + class.String(), body: v.tailTable(class)}
		if len(s.tables) == 0 && t.body != "" {
			t.lead = "In the tables: the 99.9th percentile in nanoseconds, of the kind of call in which it is the largest, for each workload at its largest N. " +
				"\"Floor\": no slower than the harness alone. In brackets: the kind."
		}
		s.tables = append(s.tables, t)
	}
	for _, cell := range v.latencyCells() {
		s.charts = append(s.charts, v.curveChart(cell))
	}
	return s
}

// tailTable shows the slow tail of each structure on the workloads of a class.
func (v *view) tailTable(class class) string {
	workloads := slices.DeleteFunc(v.workloads(), func(w string) bool { return v.classOf(w) != class })
	has := func(r results.Row) bool {
		return hasLatency(r) && (r.Role == results.RoleStructure || r.Role == results.RoleFloor)
	}
	return v.byWorkload(workloads, has, func(c results.Cell, r results.Row) string {
		return v.tail(c, contender{r.Structure, r.Role, r.Of})
	})
}

// tail is the largest 99.9th percentile of a contender in a cell.
func (v *view) tail(c results.Cell, who contender) string {
	floor := v.rowIn(c, results.RoleFloor)
	row, _ := rowOf(c, who.name)
	known, worst, kind := false, 0.0, script.Kind(0)
	for _, l := range row.Latency {
		ns, ok := slowest.of(l)
		known = known || ok
		of, _ := latencyOf(floor, l.Kind)
		if ok && ns > worst && (who.role == results.RoleFloor || ns > of.P999) {
			worst, kind = ns, l.Kind
		}
	}
	switch {
	case !known:
		return "–"
	case worst == 0:
		return "floor"
	}
	return show.Figure(worst) + " (" + literal(kind.String()) + ")"
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
}

// slowest is the last of the percentiles. What is beyond it, one cannot tell from what the
// operating system does.
var slowest = percentiles[len(percentiles)-1]

// of returns the percentile; ok is false where the samples are too few for it.
func (p percentile) of(l results.Latency) (ns float64, ok bool) {
	return p.value(l), l.Samples >= p.least
}

// latencyCells chooses the cells that get charts: the first synthetic workload, and the two of
// programs with the most timers, each at its largest N.
func (v *view) latencyCells() []results.Cell {
	const mostOf = 2 // programs
	var first, programs []results.Cell
	for _, w := range v.workloads() {
		c, ok := v.largestWith(w, hasLatency)
		switch class := v.classOf(w); {
		case !ok:
		case class == synthetic && first == nil:
			first = append(first, c)
		case class == ofPrograms:
			programs = append(programs, c)
		}
	}
	slices.SortStableFunc(programs, func(a, b results.Cell) int { return b.N - a.N })
	return slices.Concat(first, programs[:min(len(programs), mostOf)])
}

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
	return fmt.Sprintf(" Each sample holds one reading of the clock: %s.", show.Duration(v.r.Environment.ClockNS))
}

// addPercentiles puts the percentiles of one contender on its row.
func addPercentiles(p *draw.Panel, l results.Latency, look draw.Look, y float64) {
	if l.P50 > 0 && l.P999 > 0 {
		p.Add(draw.Dots{Look: look, Joined: true, Marks: []draw.Mark{{X: l.P50, Y: y, Title: "median " + show.Duration(l.P50)}, {X: l.P999, Y: y, Title: "99.9 % " + show.Duration(l.P999)}}})
	}
	for _, pc := range slices.Backward(percentiles) {
		if x, ok := pc.of(l); ok && x > 0 {
			p.Add(draw.Dots{Look: draw.Look{Color: look.Color, Marker: pc.marker}, Radius: pc.radius, Marks: []draw.Mark{{X: x, Y: y}}})
		}
	}
}

// latencyTable shows the percentiles of one cell.
func (v *view) latencyTable(c results.Cell) string {
	var rows [][]string
	for _, kind := range kindsOf(c) {
		for _, who := range v.byMerit(v.latencyRows(c)) {
			row, _ := rowOf(c, who.name)
			l, ok := latencyOf(row, kind)
			if !ok {
				continue
			}
			cells := []string{literal(kind.String()), v.label(who, false), show.Grouped(l.Samples), show.Figure(l.Mean)}
			for _, p := range percentiles {
				cell := "–"
				if ns, ok := p.of(l); ok {
					cell = show.Figure(ns)
				}
				cells = append(cells, cell)
			}
			rows = append(rows, cells)
		}
	}
	return markdownTable("llr", []string{"Kind", "Structure", "Samples", "Mean ns", "Median", "90 %", "99 %", "99.9 %"}, rows)
}
