package section

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
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
	cells := v.latencyCells()
	if f := v.latencyChart(cells); f != nil {
		s.Charts = append(s.Charts, f)
		for _, at := range v.latenciesAt(cells) {
			s.Tables = append(s.Tables, Table{Title: fmt.Sprintf("Single calls with %s timers", show.Grouped(at.n)), Body: at.table()})
		}
	}
	return s
}

// latencyAt is the single calls at one size.
type latencyAt struct {
	n     int
	cells []*stats.Costs
	rows  []answer.RowName
}

// The kinds of calls and the shapes of delays in the picture of single calls.
var (
	latencyKinds  = []script.Kind{script.KindSchedule, script.KindCancel, script.KindFire}
	latencyShapes = []string{"uniform", "clustered"} // the dashes of a third one would not be told apart
)

const latencyShare = 50 // percent of the timers that are cancelled in the picture, so that half of them fire

// latencyCells returns the cells with single calls of the shapes.
func (v *View) latencyCells() []*stats.Costs {
	return slices.DeleteFunc(slices.Clone(v.Cells), func(c *stats.Costs) bool {
		return c.Grid == nil || c.N <= 0 || !slices.Contains(latencyShapes, c.Grid.Delays) || !slices.ContainsFunc(c.Rows, hasLatency)
	})
}

// latenciesAt returns the cells by size.
func (v *View) latenciesAt(cells []*stats.Costs) (out []latencyAt) {
	for _, n := range sizesOf(cells) {
		at := latencyAt{n: n, cells: slices.DeleteFunc(slices.Clone(cells), func(c *stats.Costs) bool { return c.N != n })}
		at.rows = v.classicRows(func(who answer.RowName) bool {
			return slices.ContainsFunc(at.cells, func(c *stats.Costs) bool { return hasLatency(c.Row(who.Name)) })
		})
		out = append(out, at)
	}
	return out
}

// callTail is the percentiles of the calls of one kind of a structure at one size.
type callTail struct {
	who   answer.RowName
	kind  script.Kind
	shape string
	n     int
	results.Latency
}

// callTails returns the percentiles in the picture, by size.
func (v *View) callTails(cells []*stats.Costs) (out []callTail) {
	has := func(who answer.RowName) bool {
		return who.IsStructure() && slices.ContainsFunc(cells, func(c *stats.Costs) bool { return hasLatency(c.Row(who.Name)) })
	}
	rows := slices.DeleteFunc(v.classicRows(has), func(who answer.RowName) bool { return !who.IsStructure() })
	for _, c := range cells {
		for _, who := range rows {
			for _, kind := range latencyKinds {
				l, ok := latencyOf(c.Row(who.Name), kind)
				if ok && c.Grid.CancelPercent == latencyShare && tail.of(l) > 0 {
					out = append(out, callTail{who, kind, c.Grid.Delays, c.N, l})
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b callTail) int { return cmp.Compare(a.n, b.n) })
	return out
}

// latencyChart shows percentiles of single calls over N, a panel for each kind of call. Nil: there is nothing to show.
func (v *View) latencyChart(cells []*stats.Costs) *draw.Figure {
	tails := v.callTails(cells)
	if len(tails) == 0 {
		return nil
	}
	var sizes []int
	for _, t := range tails {
		sizes = append(sizes, t.n)
	}
	sizes = slices.Compact(sizes)
	f := &draw.Figure{
		Name:  "latency",
		Title: latencyFinding(tails),
		Subtitle: "The time of a single call by the number of resident timers: a line is the 99th percentile, its band reaches from the " +
			"median to the 99.9th. Half of the timers are cancelled. Lower is better.",
		Caption: "Both axes are logarithmic. A bar at a mark is the range of the 99th percentile over two instances, where a second one was measured. Bands are those of uniform delays. " +
			"The tables below have all percentiles and their ranges. A band ends at the 99th percentile if there are too few calls for the 99.9th." + v.clockNote(),
		Legend:  []draw.Key{{Text: "uniform delays", Style: draw.Style{Color: draw.Faded}, Line: true}, {Text: "clustered delays", Style: draw.Style{Color: draw.Faded, Dashes: clusteredDashes}, Line: true}},
		X:       draw.Axis{Ticks: draw.TicksAt(sizes, show.Short), Low: 1.25, High: roomForNames(sizes, 0.33)},
		Y:       draw.Axis{Ticks: draw.LogTicks{Label: show.Duration, Most: 9}, Low: 1.1, High: 1.1},
		Columns: len(latencyKinds), Height: 330,
	}
	for i, kind := range latencyKinds {
		p := &draw.Panel{Title: kind.String(), XLabel: "resident timers (N)"}
		if i == 0 {
			p.YLabel = "time of a call"
		}
		var bands []draw.Marks
		var ends draw.Ends
		of := slices.DeleteFunc(slices.Clone(tails), func(t callTail) bool { return t.kind != kind })
		for len(of) > 0 {
			first := of[0]
			style := v.overN(first.who.Name)
			band, line := draw.Band{Series: draw.Series{Style: style}, Faint: true}, draw.Series{Style: style, Radius: 2.2, Joined: true, Thick: first.who.Name == answer.Default}
			if first.shape != latencyShapes[0] {
				line.Style.Dashes, line.Radius, line.Thick = clusteredDashes, 0, false
			}
			var last callTail
			of = slices.DeleteFunc(of, func(t callTail) bool {
				if t.who != first.who || t.shape != first.shape {
					return false
				}
				last = t
				mark := draw.Mark{X: float64(t.n), Y: t.P99, Title: fmt.Sprintf("%s, %s %s at %s", kind, t.shape, show.Duration(t.P99), short(t.n))}
				if r := t.P99Range; r != nil {
					mark.Lo, mark.Hi = r[0], r[1]
				}
				line.Marks = append(line.Marks, mark)
				top := t.P999
				if math.IsNaN(percentiles[2].of(t.Latency)) {
					top = t.P99
				}
				band.Marks = append(band.Marks, draw.Mark{X: float64(t.n), Lo: t.P50, Hi: top})
				return true
			})
			p.Marks = append(p.Marks, line)
			if first.shape == latencyShapes[0] {
				bands = append(bands, band)
			}
			if !slices.ContainsFunc(ends, func(e draw.End) bool { return e.Style.Structure == style.Structure }) {
				ends = append(ends, draw.End{Style: style, X: float64(last.n), Y: last.P99})
			}
		}
		p.Marks = append(append(bands, p.Marks...), ends)
		f.Panels = append(f.Panels, p)
	}
	return f
}

var clusteredDashes = []draw.Length{4, 2.5}

// latencyFinding says which call takes the longest among the most timers, and which structures have none that takes half as long.
func latencyFinding(tails []callTail) string {
	most := tails[len(tails)-1].n
	var worst callTail
	longest := make(map[string]float64)
	var names []string
	for _, t := range tails {
		if t.n != most {
			continue
		}
		if t.P99 > worst.P99 {
			worst = t
		}
		if longest[t.who.Name] == 0 {
			names = append(names, t.who.Name)
		}
		longest[t.who.Name] = max(longest[t.who.Name], t.P99)
	}
	verb := map[script.Kind]string{script.KindSchedule: "a schedule", script.KindCancel: "a cancel", script.KindFire: "firing"}[worst.kind]
	out := fmt.Sprintf("At the 99th percentile among %s timers, %s takes %s in %s", show.Grouped(most), verb, show.Duration(worst.P99), worst.who.Name)
	names = slices.DeleteFunc(names, func(name string) bool { return longest[name] > worst.P99/2 })
	if len(names) == 0 {
		return out
	}
	bound := 0.0
	for _, name := range names {
		bound = max(bound, longest[name])
	}
	return fmt.Sprintf("%s; no call of %s takes more than %s", out, orOf(names), show.Duration(bound))
}

// orOf joins names of which none is meant.
func orOf(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// overN is the style of a structure in a picture over N. The default stands out from the shades of its family.
func (v *View) overN(name string) draw.Style {
	style := v.Styles[name]
	if name == answer.Default {
		style.Color = draw.Ink
	}
	return style
}

// roomForNames is the room at the end of an axis of sizes for the names of lines, as a factor: a share of its decades.
func roomForNames(sizes []int, share float64) float64 {
	decades := math.Log10(float64(slices.Max(sizes)) / float64(slices.Min(sizes)))
	return math.Pow(10, share*max(1, decades))
}

// table holds the numbers of the picture.
func (at latencyAt) table() show.Text {
	t := newTable("llr", "Call", "Structure")
	_, shares := gridOf(at.cells)
	var columns []*stats.Costs
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
	return append(show.Para("In nanoseconds: the median, the 99th and the 99.9th percentile. In brackets: the range over instances."), show.Tables(t)...)
}

// percentilesOf writes the percentiles of the picture; nil: none of them is known.
func percentilesOf(l results.Latency) any {
	var out []string
	value := math.NaN()
	for _, of := range percentiles {
		ns := of.of(l)
		text := show.Figure(ns)
		if r := of.spread(l); r != nil && !math.IsNaN(ns) && r[0] < r[1] {
			text += fmt.Sprintf(" (%s to %s)", show.Figure(r[0]), show.Figure(r[1]))
		}
		if out = append(out, text); !math.IsNaN(ns) {
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

// percentile is one figure of a latency.
type percentile struct {
	value  func(results.Latency) float64
	spread func(results.Latency) *results.Range // over instances
	q      float64
}

var percentiles = []percentile{
	{func(l results.Latency) float64 { return l.P50 }, func(l results.Latency) *results.Range { return l.P50Range }, 0.5},
	tail,
	{func(l results.Latency) float64 { return l.P999 }, func(l results.Latency) *results.Range { return l.P999Range }, 0.999},
}

// tail is the percentile of the lines of the picture.
var tail = percentile{func(l results.Latency) float64 { return l.P99 }, func(l results.Latency) *results.Range { return l.P99Range }, 0.99}

// of returns the percentile. It is NaN if too few samples leave it open by more than a factor of 10.
func (p percentile) of(l results.Latency) float64 {
	if !answer.KnowsQuantile(l, p.q) {
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

// classicRows returns the classics for which has holds, and the floor below them. Without any of the
// classics it returns the structures of a chart of curves.
func (v *View) classicRows(has func(who answer.RowName) bool) []answer.RowName {
	rows := v.Present(has)
	var out []answer.RowName
	for _, name := range answer.Classics {
		for _, who := range rows {
			if who.Name == name && who.IsStructure() {
				out = append(out, who)
			}
		}
	}
	if len(out) == 0 {
		out = v.Leaders(rows)
	}
	for _, who := range rows {
		if who.Role == results.RoleFloor && v.Program(who.Name) == nil && who.Name != results.IntrusiveFloor && len(out) > 0 {
			out = append(out, who)
		}
	}
	return out
}
