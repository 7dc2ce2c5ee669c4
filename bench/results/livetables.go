package results

import (
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/internal/show"
)

// LiveTable is a table of what was measured under a real clock.
type LiveTable struct {
	Title string
	show.Table
}

// Text writes the table with its title for a terminal, or in Markdown.
func (t LiveTable) Text(markdown bool) string {
	if markdown {
		return "**" + t.Title + "**\n\n" + t.Markdown()
	}
	return t.Title + "\n" + t.Terminal()
}

// FewTimers is the number of resident timers below which what they take of the heap, and of
// a collection, can't be told from what else is there.
const FewTimers = 10_000

// Tables returns what was measured: for each number of resident timers the throughput and
// its cost, what the contention of goroutines does to it, lateness and use, and memory.
func (l *Live) Tables() []LiveTable {
	var list []LiveTable
	for _, n := range l.Residents() {
		rows := l.Among(n)
		list = append(list, l.throughput(rows, n), l.cost(rows, n))
		if len(l.Goroutines) > 1 {
			list = append(list, l.contention(rows, n))
		}
		list = append(list, lateness(rows, n))
		if n >= FewTimers {
			list = append(list, memory(rows, n))
		}
	}
	return append(list, l.idle())
}

type liveColumn struct {
	name string
	cell func(LiveRow) string
}

func liveTable(title string, rows []LiveRow, columns []liveColumn) LiveTable {
	t := LiveTable{title, show.Table{Header: []string{"timers"}}}
	for _, c := range columns {
		t.Header = append(t.Header, c.name)
	}
	for _, row := range rows {
		cells := []string{row.Name}
		for _, c := range columns {
			cells = append(cells, c.cell(row))
		}
		t.Add(cells...)
	}
	return t
}

func known(v float64, write func(float64) string) string {
	if math.IsNaN(v) {
		return ""
	}
	return write(v)
}

// goroutines is for how many the table of all operations is: for 2 if they were measured.
func (l *Live) goroutines() int {
	if slices.Contains(l.Goroutines, 2) {
		return 2
	}
	return l.Goroutines[0]
}

func opColumns(rows []LiveRow, cell func(LiveRow, Op) string) []liveColumn {
	var columns []liveColumn
	for _, op := range Ops {
		if !slices.ContainsFunc(rows, func(r LiveRow) bool { return r.has(op) }) {
			continue // results of before there was one
		}
		columns = append(columns, liveColumn{string(op), func(r LiveRow) string { return cell(r, op) }})
	}
	return columns
}

func (l *Live) throughput(rows []LiveRow, n int) LiveTable {
	g := l.goroutines()
	var base LiveRow
	for _, row := range rows {
		if row.Role == RoleBaseline {
			base = row
		}
	}
	title := fmt.Sprintf("Throughput with %s among %s timers: million a second (times that of package time)",
		show.Count(g, "goroutine"), show.Grouped(n))
	return liveTable(title, rows, opColumns(rows, func(r LiveRow, op Op) string {
		perSecond, _, _, ok := r.PerSecond(op, g)
		if !ok {
			return ""
		}
		text := show.Figure(perSecond / 1e6)
		ratio := r.Ratio(base, op, g)
		if math.IsNaN(ratio) || r.Role == RoleBaseline || r.Role == RoleFloor {
			return text
		}
		return fmt.Sprintf("%s (%s)", text, show.Times(ratio))
	}))
}

func (l *Live) cost(rows []LiveRow, n int) LiveTable {
	g := l.goroutines()
	title := fmt.Sprintf("Processor time of an operation with %s among %s timers, all that it causes included: ns",
		show.Count(g, "goroutine"), show.Grouped(n))
	return liveTable(title, rows, opColumns(rows, func(r LiveRow, op Op) string {
		ns := medianOf(r.Throughput, func(t LiveThroughput) float64 {
			if !t.is(op, g) || t.CPUNS == 0 {
				return math.NaN()
			}
			return t.CPUNS / float64(t.Ops)
		})
		return known(ns, show.Figure)
	}))
}

func (l *Live) contention(rows []LiveRow, n int) LiveTable {
	t := LiveTable{
		fmt.Sprintf("Contention: million a second among %s timers, by the number of goroutines", show.Grouped(n)),
		show.Table{Align: "llr", Header: []string{"timers", "operation"}},
	}
	for _, g := range l.Goroutines {
		t.Header = append(t.Header, fmt.Sprint(g))
	}
	for _, op := range Ops {
		for _, row := range rows {
			if !row.has(op) || row.Role == RoleFloor {
				continue
			}
			cells := []string{row.Name, string(op)}
			for _, g := range l.Goroutines {
				perSecond, _, _, _ := row.PerSecond(op, g)
				cells = append(cells, show.Figure(perSecond/1e6))
			}
			t.Add(cells...)
		}
	}
	return t
}

func lateness(rows []LiveRow, n int) LiveTable {
	title := fmt.Sprintf("Lateness of timers under an open-loop load among %s, and what the process uses meanwhile", show.Grouped(n))
	columns := []liveColumn{
		{"started/s", func(r LiveRow) string { return show.Grouped(int(r.Lateness[0].Rate)) }},
		{"p50", func(r LiveRow) string { return known(r.LatenessOver().P50, show.Duration) }},
		{"p90", func(r LiveRow) string { return known(r.LatenessOver().P90, show.Duration) }},
		{"p99", func(r LiveRow) string { return known(r.LatenessOver().P99, show.Duration) }},
		{"p99.9", func(r LiveRow) string { return known(r.LatenessOver().P999, show.Duration) }},
		{"max", func(r LiveRow) string { return known(r.LatenessOver().Max, show.Duration) }},
	}
	return liveTable(title, rows, append(columns, useColumns(func(r LiveRow) (uses []LiveUse) {
		for _, d := range r.Lateness {
			uses = append(uses, d.Use)
		}
		return uses
	})...))
}

// useColumns are processor time, wake-ups and sleeps a second.
func useColumns(uses func(LiveRow) []LiveUse) []liveColumn {
	column := func(name string, value func(LiveUse) float64) liveColumn {
		return liveColumn{name, func(r LiveRow) string { return known(medianOf(uses(r), value), show.Figure) }}
	}
	return []liveColumn{
		column("CPU ms/s", func(u LiveUse) float64 { return 1e3 * u.CPUSeconds / u.Seconds }),
		column("wake-ups/s", func(u LiveUse) float64 {
			if u.Wakeups == 0 {
				return math.NaN() // it does not count them
			}
			return float64(u.Wakeups) / u.Seconds
		}),
		column("sleeps/s", func(u LiveUse) float64 { return float64(u.Sleeps) / u.Seconds }),
	}
}

func memory(rows []LiveRow, n int) LiveTable {
	title := fmt.Sprintf("Memory of %s timers: bytes a timer, and processor time that they add to a full collection",
		show.Grouped(n))
	var columns []liveColumn
	for _, form := range Forms {
		columns = append(columns, liveColumn{string(form), func(r LiveRow) string {
			of := slices.DeleteFunc(slices.Clone(r.Memory), func(m LiveMemory) bool { return m.Form != form })
			bytes := medianOf(of, func(m LiveMemory) float64 { return m.Bytes })
			ns := medianOf(of, func(m LiveMemory) float64 { return m.CollectNS })
			return known(bytes, func(float64) string { return fmt.Sprintf("%.0f B, %s", bytes, show.Duration(ns)) })
		}})
	}
	return liveTable(title, rows, columns)
}

func (l *Live) idle() LiveTable {
	var rows []LiveRow // one of each contender
	for _, row := range l.Rows {
		if i := slices.IndexFunc(rows, func(r LiveRow) bool { return r.Name == row.Name }); i >= 0 {
			rows[i].Idle = slices.Concat(rows[i].Idle, row.Idle)
		} else {
			rows = append(rows, row)
		}
	}
	title := fmt.Sprintf("Idle: what the process uses in a second with %s timers due over the next hour", show.Grouped(l.IdleTimers))
	return liveTable(title, rows, useColumns(func(r LiveRow) []LiveUse { return r.Idle }))
}
