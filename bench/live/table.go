package live

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
)

// Table is what was found, in words and figures.
type Table struct {
	Title string
	show.Table
}

// tableOf returns a table without rows. Names are on the left.
func tableOf(title string, header ...string) Table {
	return Table{title, show.Table{Header: header}}
}

// Tables returns what was measured: for each number of resident timers the throughput and
// its cost, what the contention of goroutines does to it, lateness and use, and memory.
func Tables(l *results.Live) []Table {
	var list []Table
	for _, n := range Residents(l) {
		s := session{l, n}
		list = append(list, s.throughput(), s.cost())
		if len(l.Goroutines) > 1 {
			list = append(list, s.contention())
		}
		list = append(list, s.lateness())
		if n >= fewTimers {
			list = append(list, s.memory())
		}
	}
	return append(list, idleTable(l))
}

// session is all rows of one number of resident timers.
type session struct {
	*results.Live
	resident int
}

// rows fills a table, a line for each row of the session.
func (s session) rows(t Table, cells func(row results.LiveRow) []string) Table {
	for _, row := range s.Rows {
		if row.Resident == s.resident {
			t.Rows = append(t.Rows, append([]string{row.Name}, cells(row)...))
		}
	}
	return t
}

// goroutines is for how many the table of all operations is: for 2 if they were measured.
func (s session) goroutines() int {
	n := s.Goroutines[0]
	for _, g := range s.Goroutines {
		if g == 2 {
			n = g
		}
	}
	return n
}

func (s session) throughput() Table {
	g := s.goroutines()
	t := tableOf(fmt.Sprintf("Throughput with %s among %s timers: million a second (times that of package time)",
		show.Count(g, "goroutine"), show.Grouped(s.resident)), "timers")
	for _, op := range Ops() {
		t.Header = append(t.Header, string(op))
	}
	base, _ := Baseline(s.Live, s.resident)
	return s.rows(t, func(row results.LiveRow) (cells []string) {
		for _, op := range Ops() {
			cells = append(cells, rate(row, base, op, g))
		}
		return cells
	})
}

func (s session) cost() Table {
	g := s.goroutines()
	t := tableOf(fmt.Sprintf("Processor time of an operation with %s among %s timers, all that it causes included: ns",
		show.Count(g, "goroutine"), show.Grouped(s.resident)), "timers")
	for _, op := range Ops() {
		t.Header = append(t.Header, string(op))
	}
	return s.rows(t, func(row results.LiveRow) (cells []string) {
		for _, op := range Ops() {
			ns, ok := Median(row.Throughput, func(t results.LiveThroughput) bool { return is(t, op, g) && t.CPUNS > 0 },
				func(t results.LiveThroughput) float64 { return t.CPUNS / float64(t.Ops) })
			cell := ""
			if ok {
				cell = show.Figure(ns)
			}
			cells = append(cells, cell)
		}
		return cells
	})
}

// rate is a throughput, and the ratio to that of the base.
func rate(row, base results.LiveRow, op Op, goroutines int) string {
	perSecond, ok := PerSecond(row, op, goroutines)
	if !ok {
		return ""
	}
	text := show.Figure(perSecond / 1e6)
	if ratio, ok := Ratio(row, base, op, goroutines); ok && row.Role != results.RoleBaseline && row.Role != results.RoleFloor {
		text += fmt.Sprintf(" (%s)", show.Times(ratio))
	}
	return text
}

func (s session) contention() Table {
	t := tableOf(fmt.Sprintf("Contention: million a second among %s timers, by the number of goroutines",
		show.Grouped(s.resident)), "timers", "operation")
	t.Align = "llr"
	for _, g := range s.Goroutines {
		t.Header = append(t.Header, fmt.Sprint(g))
	}
	for _, op := range Ops() {
		for _, row := range s.Rows {
			if _, ok := PerSecond(row, op, s.Goroutines[0]); !ok || row.Resident != s.resident || row.Role == results.RoleFloor {
				continue
			}
			cells := []string{row.Name, string(op)}
			for _, g := range s.Goroutines {
				perSecond, _ := PerSecond(row, op, g)
				cells = append(cells, show.Figure(perSecond/1e6))
			}
			t.Rows = append(t.Rows, cells)
		}
	}
	return t
}

func (s session) lateness() Table {
	t := tableOf(fmt.Sprintf("Lateness of timers under an open-loop load among %s, and what the process uses meanwhile", show.Grouped(s.resident)),
		"timers", "started/s", "p50", "p90", "p99", "p99.9", "max", "CPU ms/s", "wake-ups/s", "sleeps/s")
	return s.rows(t, func(row results.LiveRow) (cells []string) {
		cells = append(cells, show.Grouped(int(row.Lateness[0].Rate)))
		for _, value := range []func(results.LiveLateness) float64{
			func(d results.LiveLateness) float64 { return d.P50 },
			func(d results.LiveLateness) float64 { return d.P90 },
			func(d results.LiveLateness) float64 { return d.P99 },
			func(d results.LiveLateness) float64 { return d.P999 },
			func(d results.LiveLateness) float64 { return d.Max },
		} {
			ns, ok := Median(row.Lateness, func(d results.LiveLateness) bool { return d.Timers > 0 }, value)
			if !ok {
				cells = append(cells, "")
				continue
			}
			cells = append(cells, show.Duration(ns))
		}
		var uses []results.LiveUse
		for _, d := range row.Lateness {
			uses = append(uses, d.Use)
		}
		return append(cells, useCells(uses)...)
	})
}

// useCells are processor time, wake-ups and sleeps a second.
func useCells(uses []results.LiveUse) []string {
	all := func(results.LiveUse) bool { return true }
	cpu, _ := Median(uses, all, func(u results.LiveUse) float64 { return 1e3 * u.CPUSeconds / u.Seconds })
	wakeups, counted := Median(uses, func(u results.LiveUse) bool { return u.Wakeups > 0 }, func(u results.LiveUse) float64 { return float64(u.Wakeups) / u.Seconds })
	sleeps, _ := Median(uses, all, func(u results.LiveUse) float64 { return float64(u.Sleeps) / u.Seconds })
	cells := []string{show.Figure(cpu), "", show.Figure(sleeps)}
	if counted {
		cells[1] = show.Figure(wakeups)
	}
	return cells
}

func (s session) memory() Table {
	t := tableOf(fmt.Sprintf("Memory of %s timers: bytes a timer, and processor time that they add to a full collection",
		show.Grouped(s.resident)), "timers")
	for _, form := range Forms() {
		t.Header = append(t.Header, string(form))
	}
	return s.rows(t, func(row results.LiveRow) (cells []string) {
		for _, form := range Forms() {
			of := func(m results.LiveMemory) bool { return m.Form == string(form) }
			bytes, ok := Median(row.Memory, of, func(m results.LiveMemory) float64 { return m.Bytes })
			ns, _ := Median(row.Memory, of, func(m results.LiveMemory) float64 { return m.CollectNS })
			if !ok {
				cells = append(cells, "")
				continue
			}
			cells = append(cells, fmt.Sprintf("%.0f B, %s", bytes, show.Duration(ns)))
		}
		return cells
	})
}

func idleTable(l *results.Live) Table {
	t := tableOf(fmt.Sprintf("Idle: what the process uses in a second with %s timers due over the next hour",
		show.Grouped(l.IdleTimers)), "timers", "CPU ms/s", "wake-ups/s", "sleeps/s")
	seen := make(map[string]bool)
	for _, row := range l.Rows {
		if seen[row.Name] {
			continue
		}
		seen[row.Name] = true
		var uses []results.LiveUse
		for _, other := range l.Rows {
			if other.Name == row.Name {
				uses = append(uses, other.Idle...)
			}
		}
		t.Rows = append(t.Rows, append([]string{row.Name}, useCells(uses)...))
	}
	return t
}

// Render writes the table with its title for a terminal, or in Markdown.
func (t Table) Render(markdown bool) string {
	if markdown {
		return "**" + t.Title + "**\n\n" + t.Markdown()
	}
	return t.Title + "\n" + t.Terminal()
}
