package report

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// liveTimers says what timers do that run by a real clock.
func liveTimers(v *view) section {
	s := section{title: "What do timers cost under a real clock, and how late are they?"}
	if v.r.Live == nil || len(v.r.Live.Rows) == 0 {
		return s
	}
	s.lead = "Package driver over structures, and Go's own timers, package time. Each was checked first: every timer fired " +
		"once, none early, and none that was stopped. Where there is no word of shards a driver has its default number of them."
	resident := v.r.Live.Residents()
	s.charts = []*draw.Figure{v.lateTimersChart(resident), v.contentionChart(slices.Max(resident))}
	for _, t := range v.r.Live.Tables() {
		for _, row := range t.Rows {
			row[0] = literal(row[0])
		}
		s.tables = append(s.tables, table{title: t.Title, body: markdownTable("lr", t.Header, t.Rows)})
	}
	return s
}

// liveRows returns the rows of one number of resident timers that keep accepts.
func (v *view) liveRows(resident int, keep func(results.LiveRow) bool) []results.LiveRow {
	return slices.DeleteFunc(slices.Clone(v.r.Live.Rows), func(row results.LiveRow) bool {
		return row.Resident != resident || row.Role == results.RoleFloor || !keep(row)
	})
}

// liveLooks gives each row the look of its structure. Kinds of drivers and numbers of
// shards over the same structure differ by marker and dashes, peers by all.
func (v *view) liveLooks() map[string]draw.Look {
	out := make(map[string]draw.Look)
	variants := make(map[string]int)
	peers := 0
	for _, row := range v.r.Live.Rows {
		if _, ok := out[row.Name]; ok {
			continue
		}
		look, known := v.looks[row.Structure]
		switch {
		case row.Role == results.RoleBaseline:
			look = baselineLook
		case row.Role != results.RoleStructure || !known:
			look = palettes[others].look(peers)
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

func rowLooks(rows []results.LiveRow, looks map[string]draw.Look) []draw.Look {
	out := make([]draw.Look, len(rows))
	for i, row := range rows {
		out[i] = looks[row.Name]
	}
	return out
}

// lateTimersChart shows percentiles of the lateness, a panel for each number of resident
// timers. Nil: none was measured.
func (v *view) lateTimersChart(resident []int) *draw.Figure {
	looks := v.liveLooks()
	var all draw.Span
	var panels []*draw.Panel
	most := 0
	type line struct {
		rows []results.LiveRow
		late []results.Latency
	}
	var lines []line
	for _, n := range resident {
		l := line{rows: v.liveRows(n, func(row results.LiveRow) bool { return len(row.Lateness) > 0 })}
		for _, row := range l.rows {
			late := row.LatenessOver()
			all.Add(late.P50, late.P999)
			l.late = append(l.late, late)
		}
		most = max(most, len(l.rows))
		lines = append(lines, l)
	}
	if most == 0 {
		return nil
	}
	all = all.Around(1.4, 1.4)
	for i, l := range lines {
		p := draw.NewPanel("among " + show.Short(float64(resident[i])) + " timers")
		p.LogX("late by", all, draw.LogTicks{Label: show.Duration, Most: 18})
		p.Rows(rowLooks(l.rows, looks))
		for k, row := range l.rows {
			addPercentiles(p, l.late[k], looks[row.Name], draw.RowAt(k, len(l.rows)))
		}
		panels = append(panels, p)
	}
	f := &draw.Figure{
		Name:     "live-lateness",
		Title:    "How late do timers fire under a real clock?",
		Subtitle: "What it says: lateness, counted from when each timer was to be started, whatever held it up. Lower (further left) is better.",
		Caption: fmt.Sprintf("What it does not say: how late the latest is, which the operating system decides. Logarithmic time axis. Percentiles are medians of %s. Package driver rounds deadlines up to ticks of 1 ms; "+
			"the rest is how long it takes to get a processor.", plural(v.r.Live.Rounds, "round")),
		Height: draw.Length(len(panels)) * draw.RowsHeight(most),
		Panels: draw.Arrange(panels, 1),
	}
	for _, p := range percentiles {
		f.Legend = append(f.Legend, draw.Key{Text: p.name, Look: draw.Look{Color: draw.Faded, Marker: p.marker}, Radius: p.radius})
	}
	return f
}

// contentionChart shows throughput against the number of goroutines, a panel for each
// operation. Nil: there was one number only.
func (v *view) contentionChart(resident int) *draw.Figure {
	goroutines := v.r.Live.Goroutines
	rows := v.liveRows(resident, func(row results.LiveRow) bool { return len(row.Throughput) > 0 })
	if len(goroutines) < 2 || len(rows) == 0 {
		return nil
	}
	looks := v.liveLooks()
	const columns = 3
	var width, all draw.Span
	for _, g := range goroutines {
		width.Add(float64(g))
	}
	curves := make(map[results.Op][]draw.Series)
	for _, op := range results.Ops {
		for _, row := range slices.Backward(rows) { // the first one ends up on top
			s := draw.Series{Look: looks[row.Name], Radius: 2.7}
			for _, g := range goroutines {
				if perSecond, lower, upper, ok := row.PerSecond(op, g); ok {
					s.Marks = append(s.Marks, draw.Mark{X: float64(g), Y: perSecond, Lo: lower, Hi: upper})
					all.Add(lower, upper)
				}
			}
			if len(s.Marks) > 0 {
				curves[op] = append(curves[op], s)
			}
		}
	}
	var panels []*draw.Panel
	for i, op := range results.Ops {
		p := draw.NewPanel(string(op))
		p.LogX("goroutines", width.Around(1.2, 1.2), draw.TicksAt(goroutines, show.Short))
		label := ""
		if i%columns == 0 {
			label = "a second"
		}
		p.LogY(label, all.Around(1.2, 1.2), draw.LogTicks{Label: show.Short, Most: 9})
		if i%columns > 0 {
			p.UnnamedY()
		}
		for _, s := range curves[op] {
			p.Add(s)
		}
		panels = append(panels, p)
	}
	f := &draw.Figure{
		Name:  "live-contention",
		Title: "What do goroutines lose that use the same timers?",
		Subtitle: fmt.Sprintf("What it says: operations a second of all goroutines together, among %s pending timers, on %d processors. Higher is better.",
			show.Short(float64(resident)), v.r.Environment.GOMAXPROCS),
		Caption: "What it does not say: what a program does between its operations. Both axes are logarithmic. Medians of short slices in which contenders took turns, with the middle half of them. " +
			"Straight lines between measured points. Schedule and embedded timers are the driver's own; what package time does instead is afterfunc+stop.",
		Height: draw.Lines(len(panels), columns) * 200,
		Panels: draw.Arrange(panels, columns),
	}
	for _, row := range rows {
		f.Legend = append(f.Legend, draw.Key{Text: row.Name, Look: looks[row.Name], Line: true, Radius: 3})
	}
	return f
}
