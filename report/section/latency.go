// Single calls. A mean hides the call that cascades or grows a table, so these pictures show percentiles, and the longest call of all.

package section

import (
	"cmp"
	"fmt"
	"slices"

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
		Charts: []*draw.Figure{v.latencyChart()},
	}
	var header []string
	for _, kind := range latencyKinds {
		header = append(header, kind.String()+", median", "p99")
	}
	for _, shape := range latencyShapes {
		if cells := v.latencyCells(shape); len(cells) > 0 {
			c := cells[len(cells)-1]
			t := pivot(v.ByMerit(v.Contenders), header, func(who answer.RowName, column int) any {
				l := percentiles(c.Row(who.Name), latencyKinds[column/2])
				return unless([]float64{l.P50, l.P99}[column%2])
			})
			s.Tables = append(s.Tables, Table{Title: sized(c.Workload, c.N) + ": percentiles of single calls in nanoseconds", Body: show.Tables(t)})
		}
	}
	return s
}

// The kinds of calls and the shapes of delays in the picture of single calls.
var (
	latencyKinds  = []script.Kind{script.KindSchedule, script.KindCancel, script.KindFire}
	latencyShapes = []string{"uniform", "clustered"} // a row of panels each
)

const latencyShare = 50 // percent of the timers that are cancelled in the picture, so that half of them fire

// latencyCells returns the cells of one shape of delays in the picture, by size.
func (v *View) latencyCells(shape string) []*stats.Costs {
	return slices.DeleteFunc(slices.Clone(v.Cells), func(c *stats.Costs) bool {
		return c.Grid == nil || c.N <= 0 || c.Grid.CancelPercent != latencyShare || c.Grid.Delays != shape || !slices.ContainsFunc(c.Rows, func(r *results.Row) bool {
			return r.Role == results.RoleStructure && slices.ContainsFunc(latencyKinds, func(kind script.Kind) bool { return percentiles(r, kind).P99 > 0 })
		})
	})
}

// leastCalls is how many calls of a kind make a point of the picture: a few took longer than the 99th percentile (chosen).
const leastCalls = 400

// percentiles returns those of the calls of one kind of a structure; zero: too few were timed.
func percentiles(r *results.Row, kind script.Kind) results.Latency {
	if r != nil {
		for _, l := range r.Latency {
			if l.Kind == kind && l.Samples >= leastCalls {
				return l
			}
		}
	}
	return results.Latency{}
}

// latencyChart shows the 99th percentile of single calls over N: a column of panels for each kind of call, and a row for each shape of delays.
// Medians are nearly the same for all structures, so a panel has that of one. Nil: there is nothing to show.
func (v *View) latencyChart() *draw.Figure {
	cells := slices.Concat(v.latencyCells(latencyShapes[0]), v.latencyCells(latencyShapes[1]))
	if len(cells) == 0 {
		return nil
	}
	sizes, rows := sizesOf(cells), v.Leaders(v.Present(func(who answer.RowName) bool {
		return slices.ContainsFunc(cells, func(c *stats.Costs) bool { r := c.Row(who.Name); return r != nil && len(r.Latency) > 0 })
	}))
	main, most, longest := rows[mainOf(rows)], slices.Max(sizes), 0.0
	for _, c := range cells {
		for _, kind := range latencyKinds {
			if c.N == most {
				longest = max(longest, percentiles(c.Row(main.Name), kind).P99)
			}
		}
	}
	median := v.Styles[main.Name]
	median.Name, median.Marker, median.Dashes = main.Name+", median", draw.Marker{}, dashes
	f := &draw.Figure{
		Name:     "latency",
		Title:    fmt.Sprintf("Among %s timers, 99 of 100 calls of %s take %s or less", show.Grouped(most), main.Name, show.Duration(longest)),
		Subtitle: "99th percentile of the time of a single call by the number of pending timers. Half of the timers are cancelled. Lower is better.",
		Caption: "Both axes are logarithmic. The tables have the medians and percentiles of all structures among the most timers, and recommend --by tail has them " +
			"among any number." + v.clockNote(),
		Legend:  []draw.Key{{Text: "99th percentile", Style: draw.Style{Color: draw.Faded}, Line: true}, {Text: median.Name, Style: median, Line: true}},
		X:       draw.Axis{Ticks: draw.TicksAt(sizes, show.Short), Low: 1.25, High: roomForNames(sizes, 0.33)},
		Y:       draw.Axis{Ticks: draw.LogTicks{Label: show.Duration, Most: 7}, Low: 1.1, High: 1.1},
		Columns: len(latencyKinds), Height: 235,
	}
	for _, shape := range latencyShapes {
		cells := v.latencyCells(shape)
		for _, kind := range latencyKinds {
			if len(cells) == 0 {
				break
			}
			p := &draw.Panel{Title: kind.String() + ", " + shape + " delays", XLabel: "pending timers (N)", YLabel: "time of a call"}
			over := func(name string, style draw.Style, of func(results.Latency) float64) draw.Series {
				l := line(style, cells, func(c *stats.Costs) (int, float64) { return c.N, positive(of(percentiles(c.Row(name), kind))) }, show.Duration)
				l.Thick = l.Thick && l.Radius > 0
				return l
			}
			for _, who := range slices.Backward(rows) { // the first one ends up on top
				p.Marks = append(p.Marks, over(who.Name, v.Styles[who.Name], func(l results.Latency) float64 { return l.P99 }))
			}
			p.Marks = append(p.Marks, endsOf(p.Marks), over(main.Name, median, func(l results.Latency) float64 { return l.P50 }))
			f.Panels = append(f.Panels, p)
		}
	}
	return f
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
		p := &draw.Panel{Title: sized(list[0].Workload, list[0].N), XLabel: "longest call", Rows: mapped(rows, func(who answer.RowName) draw.Style { return v.Styles[who.Name] })}
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
				p.Marks = append(p.Marks, draw.Series{Style: style, Radius: 3, Marks: []draw.Mark{{
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
