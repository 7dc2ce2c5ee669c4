// Single calls. A mean hides the call that cascades or grows a table, so these pictures show percentiles, and the longest call of all.

package section

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
)

func latency(v *View) Section {
	return Section{
		Title:  "How long does a single call take?",
		Open:   true,
		Absent: "latency",
		Lead: show.Para(fmt.Sprintf("The clock is read before and after each call, and all trials count together. Each sample contains one reading "+
			"of the clock, %s at the median. The times by kind of operation below show smaller differences. There is no "+
			"maximum, because the operating system interrupts the slowest of a million calls.",
			show.Duration(v.Environment.ClockNS))),
		Charts: []*draw.Figure{v.latencyChart()},
	}
}

// The kinds of calls and the shapes of delays in the picture of single calls.
var (
	latencyKinds  = []script.Kind{script.KindSchedule, script.KindCancel, script.KindFire}
	latencyShapes = []string{"uniform", "clustered"} // a row of panels each
)

const latencyShare = 50 // percent of the timers that are cancelled in the picture, so that half of them fire

// callTail is the percentiles of the calls of one kind of a structure at one size.
type callTail struct {
	who   answer.RowName
	shape string
	n     int
	results.Latency
}

// callTails returns the percentiles in the picture, by size, and the structures.
func (v *View) callTails() (out []callTail, rows []answer.RowName) {
	cells := slices.DeleteFunc(slices.Clone(v.Cells), func(c *stats.Costs) bool {
		return c.Grid == nil || c.N <= 0 || c.Grid.CancelPercent != latencyShare || !slices.Contains(latencyShapes, c.Grid.Delays)
	})
	rows = v.Leaders(v.Present(func(who answer.RowName) bool {
		return slices.ContainsFunc(cells, func(c *stats.Costs) bool { r := c.Row(who.Name); return r != nil && len(r.Latency) > 0 })
	}))
	for _, c := range cells {
		for _, who := range rows {
			row := c.Row(who.Name)
			for i := 0; row != nil && i < len(row.Latency); i++ {
				if l := row.Latency[i]; slices.Contains(latencyKinds, l.Kind) && answer.KnowsQuantile(l, 0.99) && l.P99 > 0 {
					out = append(out, callTail{who, c.Grid.Delays, c.N, l})
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b callTail) int { return cmp.Compare(a.n, b.n) })
	return out, rows
}

// latencyChart shows percentiles of single calls over N: a column of panels for each kind of call, and a row for each shape of delays. Nil: there
// is nothing to show.
func (v *View) latencyChart() *draw.Figure {
	tails, rows := v.callTails()
	if len(tails) == 0 {
		return nil
	}
	sizes := distinct(mapped(tails, func(t callTail) int { return t.n }))
	median := []draw.Length{2, 2}
	key := draw.Style{Color: draw.Faded}
	f := &draw.Figure{
		Name:     "latency",
		Title:    latencyFinding(tails),
		Subtitle: "The time of a single call by the number of pending timers. Half of the timers are cancelled. Lower is better.",
		Caption:  "Both axes are logarithmic. A mark of the 99.9th percentile is left out if there are too few calls. recommend --by tail has the 99th percentile of all structures." + v.clockNote(),
		Legend: []draw.Key{
			{Text: "99.9th percentile", Style: draw.Style{Color: draw.Faded, Marker: tailMarker}, Radius: 2.2},
			{Text: "99th percentile", Style: key, Line: true}, {Text: "median", Style: draw.Style{Color: draw.Faded, Dashes: median}, Line: true},
		},
		X:       draw.Axis{Ticks: draw.TicksAt(sizes, show.Short), Low: 1.25, High: roomForNames(sizes, 0.33)},
		Y:       draw.Axis{Ticks: draw.LogTicks{Label: show.Duration, Most: 7}, Low: 1.1, High: 1.1},
		Columns: len(latencyKinds), Height: 235,
	}
	for _, shape := range latencyShapes {
		if !slices.ContainsFunc(tails, func(t callTail) bool { return t.shape == shape }) {
			continue
		}
		for _, kind := range latencyKinds {
			p := &draw.Panel{Title: kind.String() + ", " + shape + " delays", XLabel: "pending timers (N)", YLabel: "time of a call"}
			var lines []draw.Marks
			for _, who := range rows {
				style := v.Styles[who.Name]
				middle := draw.Series{Style: style, Joined: true}
				line := draw.Series{Style: style, Joined: true, Thick: who.Name == answer.Default}
				tail := draw.Series{Style: style, Radius: 2.2}
				middle.Style.Color, middle.Style.Dashes, tail.Style.Marker = draw.Pale(style.Color, 0.45), median, tailMarker
				for _, t := range tails {
					if t.Kind != kind || t.who != who || t.shape != shape {
						continue
					}
					at := float64(t.n)
					middle.Marks = append(middle.Marks, draw.Mark{X: at, Y: t.P50})
					known := ""
					if answer.KnowsQuantile(t.Latency, 0.999) {
						tail.Marks = append(tail.Marks, draw.Mark{X: at, Y: t.P999})
						known = ", p99.9 " + show.Duration(t.P999)
					}
					line.Marks = append(line.Marks, draw.Mark{X: at, Y: t.P99, Title: fmt.Sprintf("median %s, p99 %s%s at %s", show.Duration(t.P50), show.Duration(t.P99), known, short(t.n))})
				}
				if len(line.Marks) > 0 {
					p.Marks, lines = append(p.Marks, middle, tail), append(lines, line)
				}
			}
			p.Marks = append(append(p.Marks, lines...), endsOf(lines))
			f.Panels = append(f.Panels, p)
		}
	}
	return f
}

// tailMarker is the mark of the 99.9th percentile.
var tailMarker = draw.Triangle

var clusteredDashes = []draw.Length{4, 2.5}

// latencyFinding says how long calls of the default take among the most timers, or those of the first structure.
func latencyFinding(tails []callTail) string {
	most := tails[len(tails)-1].n
	of := slices.DeleteFunc(slices.Clone(tails), func(t callTail) bool { return t.n != most })
	name := of[0].who.Name
	if slices.ContainsFunc(of, func(t callTail) bool { return t.who.Name == answer.Default }) {
		name = answer.Default
	}
	longest := 0.0
	for _, t := range of {
		if t.who.Name == name {
			longest = max(longest, t.P99)
		}
	}
	return fmt.Sprintf("Among %s timers, 99 of 100 calls of %s take %s or less", show.Grouped(most), name, show.Duration(longest))
}

// roomForNames is the room at the end of an axis of sizes for the names of lines, as a factor: a share of its decades.
func roomForNames(sizes []int, share float64) float64 {
	decades := math.Log10(float64(slices.Max(sizes)) / float64(slices.Min(sizes)))
	return math.Pow(10, share*max(1, decades))
}

func (v *View) clockNote() string {
	if v.Environment.ClockNS <= 0 {
		return ""
	}
	return " Each sample contains one reading of the clock: " + show.Duration(v.Environment.ClockNS) + "."
}

func longestCalls(v *View) Section {
	s := Section{
		Title: "How long is the longest call?",
		Open:  true,
		Lead: show.Para("Every call is timed, including the calls that fill the structure. Several rounds repeat the same calls on " +
			"new instances, and each call counts with its shortest time. This removes interruptions by the machine and " +
			"keeps the work of the structure. The garbage collector is off. The latest fire is the longest time from a deadline to the end of " +
			"the call that returns the timer, if one goroutine makes all calls."),
	}
	lists := v.callsByWorkload()
	s.Charts = []*draw.Figure{v.callsChart(lists)}
	for _, list := range lists {
		title := sized(list[0].Workload, list[0].N) + ": longest call of each operation"
		s.Tables = append(s.Tables, Table{Title: title, Body: show.Tables(callsTable(list))})
	}
	return s
}

// callsByWorkload returns the longest calls of each workload at its largest size, sorted by
// their length.
func (v *View) callsByWorkload() [][]results.Calls {
	var out [][]results.Calls
	for _, c := range v.Calls {
		i := slices.IndexFunc(out, func(list []results.Calls) bool { return list[0].Workload == c.Workload })
		switch {
		case i < 0:
			out = append(out, []results.Calls{c})
		case c.N > out[i][0].N:
			out[i] = []results.Calls{c}
		case c.N == out[i][0].N:
			out[i] = append(out[i], c)
		}
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b results.Calls) int { return cmp.Compare(a.Max().NS, b.Max().NS) })
	}
	return out
}

// operationMarkers are the markers of the operations in callsChart.
var operationMarkers = map[results.Operation]draw.Marker{
	results.Schedule: draw.Circle, results.Cancel: draw.Diamond,
	results.Reschedule: draw.Triangle, results.Pop: draw.Square,
}

func operationsOf(list []results.Calls) []results.Operation {
	return slices.DeleteFunc(slices.Clone(results.Operations), func(o results.Operation) bool {
		return !slices.ContainsFunc(list, func(c results.Calls) bool { _, ok := c.Of(o); return ok })
	})
}

// callsChart shows the longest call of each operation. It has a panel for each workload and a row
// for each structure that a chart shows, sorted by the longest call over all workloads. Nil: there are no calls.
func (v *View) callsChart(lists [][]results.Calls) *draw.Figure {
	all := slices.Concat(lists...)
	longest := make(map[string]results.Calls) // by structure
	for _, c := range all {
		if c.Max().NS > longest[c.Structure].Max().NS {
			longest[c.Structure] = c
		}
	}
	measured := v.Present(func(who answer.RowName) bool { return longest[who.Name].Max().NS > 0 })
	if len(measured) == 0 {
		return nil
	}
	rows := measured
	if leaders := v.Leaders(measured); len(leaders) > 1 {
		rows = leaders
	}
	slices.SortStableFunc(rows, func(a, b answer.RowName) int {
		return cmp.Compare(longest[a.Name].Max().NS, longest[b.Name].Max().NS)
	})
	least, columns := longest[rows[0].Name], min(len(lists), 3)
	f := &draw.Figure{
		Name:     "longest-calls",
		Title:    fmt.Sprintf("No call of %s takes longer than %s", least.Structure, show.Duration(least.Max().NS)),
		Subtitle: "The longest call of each operation. In avalanche workloads all timers fire at once. Further left is better.",
		Caption:  "It does not show how often a call takes that long. The time axis is logarithmic." + v.clockNote() + " " + v.ChoiceNote(measured),
		X:        draw.Axis{Ticks: draw.LogTicks{Label: show.Duration, Most: 18 / columns}, Low: 1.4, High: 1.4},
		Height:   draw.RowsHeight(len(rows)), Columns: columns,
	}
	for _, list := range lists {
		p := &draw.Panel{Title: sized(list[0].Workload, list[0].N), XLabel: "longest call", Rows: v.stylesOf(rows)}
		for _, c := range list {
			row := slices.IndexFunc(rows, func(who answer.RowName) bool { return who.Name == c.Structure })
			if row < 0 {
				continue
			}
			for _, call := range c.Longest {
				if call.NS <= 0 {
					continue
				}
				style := v.Styles[c.Structure]
				style.Marker = operationMarkers[call.Operation]
				p.Marks = append(p.Marks, draw.Series{Style: style, Radius: 3, Rows: true, Marks: []draw.Mark{{
					X: call.NS, Y: float64(row),
					Title: fmt.Sprintf("%s %s at tick %s",
						call.Operation, show.Duration(call.NS), show.Grouped(int64(call.At))),
				}}})
			}
		}
		f.Panels = append(f.Panels, p)
	}
	for _, o := range operationsOf(all) {
		style := draw.Style{Color: draw.Faded, Marker: operationMarkers[o]}
		f.Legend = append(f.Legend, draw.Key{Text: string(o), Style: style, Radius: 3})
	}
	return f
}

func callsTable(list []results.Calls) *show.Table {
	t := newTable("lr", "Structure")
	operations := operationsOf(list)
	for _, o := range operations {
		t.Header = append(t.Header, string(o)+" µs", "at tick")
	}
	more := slices.ContainsFunc(list, func(c results.Calls) bool { return c.Lag > 0 })
	if more {
		t.Header = append(t.Header, "Latest fire µs", "Bytes per timer")
	}
	for _, c := range list {
		row := []any{show.Name(c.Structure)}
		for _, o := range operations {
			if call, ok := c.Of(o); ok {
				row = append(row, call.NS/1e3, int64(call.At))
			} else {
				row = append(row, nil, nil)
			}
		}
		if more {
			row = append(row, c.Lag/1e3, unless(c.Bytes))
		}
		t.Add(row...)
	}
	return t
}
