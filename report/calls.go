package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// longestCalls says how long one call takes where many timers come due together.
func longestCalls(v *view) section {
	s := section{
		title: "How long does the longest call take when everything comes due at once?",
		lead: "Every call is timed, those that fill the structure included. The same calls are made in several rounds, each on a new " +
			"instance, and each call counts with its shortest time: so what interrupts the machine does not count, and what " +
			"the structure has to do does. The clock moves tick by tick. The garbage collector is off.",
	}
	lists := v.callsByWorkload()
	s.charts = []*draw.Figure{v.callsChart(lists)}
	for _, list := range lists {
		s.tables = append(s.tables, table{title: callsTitle(list) + ": longest call of each operation", body: v.callsTable(list)})
	}
	return s
}

// callsByWorkload returns the longest calls of each workload at its largest size, the
// structure with the shortest one first.
func (v *view) callsByWorkload() [][]results.Calls {
	var out [][]results.Calls
	for _, c := range v.r.Calls {
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

func callsTitle(list []results.Calls) string {
	return fmt.Sprintf("%s, N = %s", list[0].Workload, show.Short(float64(list[0].N)))
}

// operationMarkers are the markers of the operations in callsChart.
var operationMarkers = map[results.Operation]draw.Marker{
	results.Schedule: draw.Circle, results.Cancel: draw.Diamond, results.Reschedule: draw.Triangle, results.Pop: draw.Square,
}

// operationsOf returns the operations that the calls of a workload have.
func operationsOf(list []results.Calls) []results.Operation {
	return slices.DeleteFunc(slices.Clone(results.Operations), func(o results.Operation) bool {
		return !slices.ContainsFunc(list, func(c results.Calls) bool { _, ok := c.Of(o); return ok })
	})
}

// callsChart shows the longest call of each operation: a panel for each workload, a row
// for each structure, that with the shortest one of all workloads on top. Nil: there are
// none.
func (v *view) callsChart(lists [][]results.Calls) *draw.Figure {
	all := slices.Concat(lists...)
	longest := make(map[string]float64) // by structure
	var times draw.Span
	for _, c := range all {
		longest[c.Structure] = max(longest[c.Structure], c.Max().NS)
		for _, call := range c.Longest {
			times.Add(call.NS)
		}
	}
	rows := v.present(func(who contender) bool { return longest[who.name] > 0 })
	if len(rows) == 0 {
		return nil
	}
	slices.SortStableFunc(rows, func(a, b contender) int { return cmp.Compare(longest[a.name], longest[b.name]) })
	times = times.Around(1.4, 1.4)
	columns := min(len(lists), 2)
	var panels []*draw.Panel
	for i, list := range lists {
		p := draw.NewPanel(callsTitle(list))
		p.LogX("longest call", times, draw.LogTicks{Label: show.Duration, Most: 18 / columns})
		p.Rows(v.looksOf(rows))
		if i%columns > 0 {
			p.UnnamedY()
		}
		for _, c := range list {
			row := slices.IndexFunc(rows, func(who contender) bool { return who.name == c.Structure })
			for _, call := range c.Longest {
				if call.NS <= 0 {
					continue
				}
				look := v.looks[c.Structure]
				look.Marker = operationMarkers[call.Operation]
				p.Add(draw.Dots{Look: look, Radius: 3, Marks: []draw.Mark{{
					X: call.NS, Y: draw.RowAt(row, len(rows)),
					Title: fmt.Sprintf("%s %s at tick %s", call.Operation, show.Duration(call.NS), show.Grouped(int64(call.At))),
				}}})
			}
		}
		panels = append(panels, p)
	}
	f := &draw.Figure{
		Name:     "longest-calls",
		Subtitle: "What it says: the longest call of each operation, where all timers come due together. Further left is better.",
		Caption:  "What it does not say: how often a call takes so long, or what one takes where deadlines are spread out. Logarithmic time axis." + v.clockNote(),
		Height:   draw.Lines(len(lists), columns) * draw.RowsHeight(len(rows)),
		Panels:   draw.Arrange(panels, columns),
	}
	for _, o := range operationsOf(all) {
		f.Legend = append(f.Legend, draw.Key{Text: string(o), Look: draw.Look{Color: draw.Faded, Marker: operationMarkers[o]}, Radius: 3})
	}
	return f
}

// callsTable shows the longest call of each operation, and the tick of the clock at it.
func (v *view) callsTable(list []results.Calls) string {
	header := []string{"Structure"}
	operations := operationsOf(list)
	for _, o := range operations {
		header = append(header, string(o)+" µs", "at tick")
	}
	var rows [][]string
	for _, c := range list {
		row := []string{literal(c.Structure)}
		for _, o := range operations {
			call, ok := c.Of(o)
			if !ok {
				row = append(row, "–", "–")
				continue
			}
			row = append(row, show.Figure(call.NS/1e3), show.Grouped(int64(call.At)))
		}
		rows = append(rows, row)
	}
	return markdownTable("lr", header, rows)
}
