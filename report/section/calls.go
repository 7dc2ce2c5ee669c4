package section

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
)

func longestCalls(v *View) Section {
	s := Section{
		Title: "How long is the longest call?",
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
// for each structure, sorted by the longest call over all workloads. Nil: there are no calls.
func (v *View) callsChart(lists [][]results.Calls) *draw.Figure {
	all := slices.Concat(lists...)
	longest := make(map[string]float64) // by structure
	for _, c := range all {
		longest[c.Structure] = max(longest[c.Structure], c.Max().NS)
	}
	rows := v.Present(func(who answer.RowName) bool { return longest[who.Name] > 0 })
	if len(rows) == 0 {
		return nil
	}
	slices.SortStableFunc(rows, func(a, b answer.RowName) int {
		return cmp.Compare(longest[a.Name], longest[b.Name])
	})
	columns := min(len(lists), 2)
	f := &draw.Figure{
		Name:     "longest-calls",
		Subtitle: "The longest call of each operation. In avalanche workloads all timers fire at once. Further left is better.",
		Caption:  "It does not show how often a call takes that long. The time axis is logarithmic." + v.clockNote(),
		X:        draw.Axis{Ticks: draw.LogTicks{Label: show.Duration, Most: 18 / columns}, Low: 1.4, High: 1.4},
		Height:   draw.RowsHeight(len(rows)), Columns: columns,
	}
	for _, list := range lists {
		p := &draw.Panel{Title: sized(list[0].Workload, list[0].N), XLabel: "longest call", Rows: v.stylesOf(rows)}
		for _, c := range list {
			row := slices.IndexFunc(rows, func(who answer.RowName) bool { return who.Name == c.Structure })
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
