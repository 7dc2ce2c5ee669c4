package section

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/draw"
	"github.com/timerbench/timerbench/report/internal/looks"
)

func liveTimers(v *View) Section {
	s := Section{Title: "What do timers cost under a real clock, and how late are they?"}
	if v.Live == nil || len(v.Live.Rows) == 0 {
		return s
	}
	s.Lead = "Package driver over structures, and Go's own timers, package time. Each was checked " +
		"first: every timer fired once, none early, and none that was stopped. Where there is no word " +
		"of shards a driver has its default number of them."
	resident := v.Live.Residents()
	s.Charts = []*draw.Figure{v.lateTimersChart(resident), v.contentionChart(slices.Max(resident))}
	for _, of := range v.Live.Tables() {
		for _, row := range of.Rows {
			row[0] = Literal(row[0])
		}
		of.Align = "lr"
		s.Tables = append(s.Tables, Table{Title: of.Title, Body: of.Markdown()})
	}
	return s
}

// liveRows returns the rows of one number of resident timers that keep accepts.
func (v *View) liveRows(resident int, keep func(results.LiveRow) bool) []results.LiveRow {
	return slices.DeleteFunc(v.Live.Among(resident), func(row results.LiveRow) bool {
		return row.Role == results.RoleFloor || !keep(row)
	})
}

// liveLooks gives each row the look of its structure. Kinds of drivers and numbers of
// shards over the same structure differ by marker and dashes, peers by all.
func (v *View) liveLooks() map[string]draw.Look {
	out := make(map[string]draw.Look)
	variants := make(map[string]int)
	peers := 0
	for _, row := range v.Live.Rows {
		if _, ok := out[row.Name]; ok {
			continue
		}
		look, known := v.Looks[row.Structure]
		switch {
		case row.Role == results.RoleBaseline:
			look = looks.Baseline
		case row.Role != results.RoleStructure || !known:
			look = looks.Other(peers)
			peers++
		default:
			n := variants[row.Structure]
			variants[row.Structure]++
			look.Marker = draw.Markers[(slices.Index(draw.Markers, look.Marker)+n)%len(draw.Markers)]
			if n > 0 {
				look.Dashes = []draw.Length{draw.Length(2 * n), 2}
			}
		}
		look.Name, look.Structure = row.Name, row.Structure
		out[row.Name] = look
	}
	return out
}

// lateTimersChart shows percentiles of the lateness, a panel for each number of resident
// timers. Nil: none was measured.
func (v *View) lateTimersChart(resident []int) *draw.Figure {
	looks := v.liveLooks()
	f := &draw.Figure{
		Name:  "live-lateness",
		Title: "How late do timers fire under a real clock?",
		Subtitle: "What it says: lateness, counted from when each timer was to be started, whatever " +
			"held it up. Lower (further left) is better.",
		Caption: fmt.Sprintf("What it does not say: how late the latest is, which the operating system decides. "+
			"Logarithmic time axis. Percentiles are medians of %s. Package driver rounds deadlines up to ticks of "+
			"1 ms; the rest is how long it takes to get a processor.", show.Count(v.Live.Rounds, "round")),
		X: draw.Axis{Ticks: draw.LogTicks{Label: show.Duration, Most: 18}, Low: 1.4, High: 1.4},
	}
	most := 0
	for _, n := range resident {
		p := &draw.Panel{Title: "among " + short(n) + " timers", XLabel: "late by"}
		for row, of := range v.liveRows(n, func(row results.LiveRow) bool { return len(row.Lateness) > 0 }) {
			p.Rows = append(p.Rows, looks[of.Name])
			p.Marks = append(p.Marks, percentilesOf(of.LatenessOver(), looks[of.Name], float64(row))...)
		}
		most = max(most, len(p.Rows))
		f.Panels = append(f.Panels, p)
	}
	if most == 0 {
		return nil
	}
	f.Height = draw.RowsHeight(most)
	for _, p := range percentiles {
		look := draw.Look{Color: draw.Faded, Marker: p.marker}
		f.Legend = append(f.Legend, draw.Key{Text: p.name, Look: look, Radius: p.radius})
	}
	return f
}

func percentilesOf(l results.Latency, look draw.Look, row float64) (out []draw.Marks) {
	if l.P50 > 0 && l.P999 > 0 {
		out = append(out, draw.Series{Look: look, Rows: true, Joined: true, Marks: []draw.Mark{
			{X: l.P50, Y: row, Title: "median " + show.Duration(l.P50)},
			{X: l.P999, Y: row, Title: "99.9 % " + show.Duration(l.P999)},
		}})
	}
	for _, of := range slices.Backward(percentiles) {
		if x, ok := of.of(l); ok && x > 0 {
			mark := draw.Look{Color: look.Color, Marker: of.marker}
			out = append(out, draw.Series{Look: mark, Radius: of.radius, Rows: true, Marks: []draw.Mark{{X: x, Y: row}}})
		}
	}
	return out
}

// contentionChart shows throughput against the number of goroutines, a panel for each
// operation. Nil: there was one number only.
func (v *View) contentionChart(resident int) *draw.Figure {
	goroutines := v.Live.Goroutines
	rows := v.liveRows(resident, func(row results.LiveRow) bool { return len(row.Throughput) > 0 })
	if len(goroutines) < 2 || len(rows) == 0 {
		return nil
	}
	looks := v.liveLooks()
	const columns = 3
	f := &draw.Figure{
		Name:  "live-contention",
		Title: "What do goroutines lose that use the same timers?",
		Subtitle: fmt.Sprintf("What it says: operations a second of all goroutines together, among %s pending timers, "+
			"on %d processors. Higher is better.", short(resident), v.Environment.GOMAXPROCS),
		Caption: "What it does not say: what a program does between its operations. Both axes are " +
			"logarithmic. Medians of short slices in which contenders took turns, with the middle half of " +
			"them. Straight lines between measured points. Schedule and embedded timers are the driver's " +
			"own; what package time does instead is afterfunc+stop.",
		X:      draw.Axis{Ticks: draw.TicksAt(goroutines, show.Short), Low: 1.2, High: 1.2},
		Y:      draw.Axis{Ticks: draw.LogTicks{Label: show.Short, Most: 9}, Low: 1.2, High: 1.2},
		Height: 200, Columns: columns,
	}
	for i, op := range results.Ops {
		p := &draw.Panel{Title: string(op), XLabel: "goroutines"}
		if i%columns == 0 {
			p.YLabel = "a second"
		}
		for _, row := range slices.Backward(rows) { // the first one ends up on top
			s := draw.Series{Look: looks[row.Name], Radius: 2.7, Joined: true}
			for _, g := range goroutines {
				if perSecond, lower, upper, ok := row.PerSecond(op, g); ok {
					s.Marks = append(s.Marks, draw.Mark{X: float64(g), Y: perSecond, Lo: lower, Hi: upper})
				}
			}
			p.Marks = append(p.Marks, s)
		}
		f.Panels = append(f.Panels, p)
	}
	for _, row := range rows {
		f.Legend = append(f.Legend, draw.Key{Text: row.Name, Look: looks[row.Name], Line: true, Radius: 3})
	}
	return f
}
