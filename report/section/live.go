// Timers under the real clock. They measure another thing than the workloads: wake-ups, locks and goroutines count. So their figures
// stand in a section of their own, and compare the driver with package time alone.

package section

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/price"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
)

// LiveTables returns the tables of a measurement. Each number of resident timers has the processor time of its operations, its
// lateness, and its memory from results.FewTimers on. Then come the loops of users.
func LiveTables(l *results.Live) []*show.Table {
	var list []*show.Table
	for _, n := range l.Residents() {
		rows := l.Among(n)
		list = append(list, liveCosts(l, rows, n))
		if len(rows[0].Lateness) > 0 {
			list = append(list, liveLateness(rows, n))
		}
		if slices.ContainsFunc(rows, func(r results.LiveRow) bool { return len(r.Memory) > 0 }) {
			list = append(list, liveMemory(rows, n))
		}
	}
	return append(list, liveLoops(l)...)
}

// liveTable has a row for each row of the results, and a column for each header.
func liveTable(title string, rows []results.LiveRow, header []string, cell func(r results.LiveRow, column int) show.Cell) *show.Table {
	t := newTable("", append([]string{"timers"}, header...)...)
	t.Title = title
	for _, row := range rows {
		cells := []any{row.Name}
		for column := range header {
			cells = append(cells, cell(row, column))
		}
		t.Add(cells...)
	}
	return t
}

// liveKnown is a number in a table; NaN is an empty cell.
func liveKnown(v float64, write func(float64) string) show.Cell {
	if math.IsNaN(v) {
		return show.Words("")
	}
	return show.Number(v, write(v))
}

// LiveLoads says how soon the timers are due that are stopped or moved, and which share of their deadlines passed within the slices:
// the measured time. Empty: it was not counted.
func LiveLoads(l *results.Live) string {
	var parts []string
	for _, n := range l.Residents() {
		rows := slices.DeleteFunc(l.Among(n), func(r results.LiveRow) bool { return r.Role == results.RoleFloor })
		stopped, moved := results.Due(rows, func(op results.Op) bool { return !op.Moves() }), results.Due(rows, results.Op.Moves)
		if math.IsNaN(stopped) {
			continue
		}
		delay := "minutes, so nobody pays for them: not a steady state"
		if rows[0].MoveNS > 0 {
			delay = show.Duration(rows[0].MoveNS)
		}
		parts = append(parts, fmt.Sprintf("among %s timers %s of the stopped timers and %s of the moved ones, which are due after %s",
			show.Grouped(n), show.Percent(stopped), show.Percent(moved), delay))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("Timers that are started and stopped are due after %s. An operation runs untimed "+
		"until the first ones are due. Their old deadlines pass within the measured slices, where a structure that only marks "+
		"stopped and moved timers pays for them: %s.", show.Duration(l.Rows[0].StopNS), strings.Join(parts, "; "))
}

// liveCosts has the processor time of each operation that was measured, with the ratio to Go's own timers, on the number of
// goroutines that was measured among any number of resident timers.
func liveCosts(l *results.Live, rows []results.LiveRow, n int) *show.Table {
	g := l.Goroutines[0]
	title := fmt.Sprintf("Processor time of an operation with %s among %s timers, all that it causes included: ns (times that of package time)",
		show.Count(g, "goroutine"), show.Grouped(n))
	base, _ := l.OnDriver(n, "")
	ops := slices.DeleteFunc(slices.Clone(results.Ops), func(op results.Op) bool {
		return !slices.ContainsFunc(rows, func(r results.LiveRow) bool { return r.Has(op) })
	})
	return liveTable(title, rows, mapped(ops, func(op results.Op) string { return string(op) }), func(r results.LiveRow, column int) show.Cell {
		figure, ratio := liveKnown(price.Over(r, ops[column], g), show.Figure), price.Relative(r, base, ops[column], g)
		if math.IsNaN(ratio) || r.Role == results.RoleBaseline || r.Role == results.RoleFloor {
			return figure
		}
		return figure.With(show.Times(ratio))
	})
}

// A Loop is the loop of a user on a driver and on package time.
type Loop struct {
	Name                 string
	Resident, Goroutines int
	Driver, Time         float64 // wall time of a call, ns
}

// Ratio is the time of the driver relative to that of package time.
func (l Loop) Ratio() float64 { return l.Driver / l.Time }

// LoopsOn returns the loops that were measured with a driver on a structure.
func LoopsOn(l *results.Live, structure string) (all []Loop) {
	for _, loop := range results.Loops {
		for _, n := range l.Residents() {
			row, _ := l.OnDriver(n, structure)
			base, _ := l.OnDriver(n, "")
			for _, g := range l.Goroutines {
				of := Loop{loop.Name, n, g, price.Call(row, loop.Op, g), price.Call(base, loop.Op, g)}
				if of.Ratio() > 0 {
					all = append(all, of)
				}
			}
		}
	}
	return all
}

// liveLoops has a table for each structure: a row for each loop, and a column for each number of resident timers.
func liveLoops(l *results.Live) (list []*show.Table) {
	for _, structure := range l.Structures() {
		all := LoopsOn(l, structure)
		if len(all) == 0 {
			continue
		}
		t := newTable("", "loop")
		t.Title = fmt.Sprintf("Loops of users: wall time of a call of %s %s, as a multiple of that of package time, by the numbers of pending timers and of goroutines",
			structure, results.Tickless)
		cells := make(map[string][]any)
		for _, n := range l.Residents() {
			head, text := show.Grouped(n)+":", make(map[string]string)
			for _, loop := range all {
				if loop.Resident == n {
					if g := fmt.Sprint(" ", loop.Goroutines); !strings.HasSuffix(head, g) && loop.Name == all[0].Name {
						head += g
					}
					text[loop.Name] += " " + fmt.Sprintf("%.2f", loop.Ratio())
				}
			}
			t.Header = append(t.Header, head)
			for _, loop := range results.Loops {
				cells[loop.Name] = append(cells[loop.Name], strings.TrimSpace(text[loop.Name]))
			}
		}
		for _, loop := range results.Loops {
			t.Add(append([]any{loop.Name}, cells[loop.Name]...)...)
		}
		list = append(list, t)
	}
	return list
}

func liveLateness(rows []results.LiveRow, n int) *show.Table {
	title := fmt.Sprintf("Lateness of timers under an open-loop load among %s, and what the process uses meanwhile", show.Grouped(n))
	var header []string
	var columns []func(results.LiveRow) show.Cell
	add := func(name string, cell func(results.LiveRow) show.Cell) {
		header, columns = append(header, name), append(columns, cell)
	}
	add("started/s", func(r results.LiveRow) show.Cell {
		return liveKnown(math.Trunc(r.Lateness[0].Rate), func(v float64) string { return show.Grouped(int(v)) })
	})
	for _, of := range []struct {
		name  string
		value func(results.LiveLateness) float64
		tail  bool // it is not known if the rounds differ by more than a factor of 10
	}{
		{"p50", func(l results.LiveLateness) float64 { return l.P50 }, false},
		{"p90", func(l results.LiveLateness) float64 { return l.P90 }, false},
		{"p99", func(l results.LiveLateness) float64 { return l.P99 }, true},
		{"p99.9", func(l results.LiveLateness) float64 { return l.P999 }, true},
		{"max", func(l results.LiveLateness) float64 { return l.Max }, false},
	} {
		add(of.name, func(r results.LiveRow) show.Cell {
			rounds := slices.DeleteFunc(slices.Clone(r.Lateness), func(l results.LiveLateness) bool { return l.Timers == 0 })
			all := mapped(rounds, of.value)
			if of.tail && len(all) > 0 && !show.Narrow(slices.Min(all), slices.Max(all)) {
				return show.Words(show.Unknown)
			}
			return liveKnown(price.Median(rounds, of.value), show.Duration)
		})
	}
	of := func(name string, value func(results.LiveUse) float64) {
		add(name, func(r results.LiveRow) show.Cell {
			return liveKnown(price.Median(r.Lateness, func(l results.LiveLateness) float64 { return value(l.Use) }), show.Figure)
		})
	}
	of("CPU ms/s", func(u results.LiveUse) float64 { return 1e3 * u.CPUSeconds / u.Seconds })
	of("wake-ups/s", func(u results.LiveUse) float64 {
		if u.Wakeups == 0 {
			return math.NaN() // the timers do not count wake-ups
		}
		return float64(u.Wakeups) / u.Seconds
	})
	of("sleeps/s", func(u results.LiveUse) float64 { return float64(u.Sleeps) / u.Seconds })
	return liveTable(title, rows, header, func(r results.LiveRow, column int) show.Cell { return columns[column](r) })
}

func liveMemory(rows []results.LiveRow, n int) *show.Table {
	title := fmt.Sprintf("Memory of %s timers: bytes a timer, and processor time that they add to a full collection",
		show.Grouped(n))
	return liveTable(title, rows, mapped(results.Forms, func(f results.Form) string { return string(f) }), func(r results.LiveRow, column int) show.Cell {
		of := slices.DeleteFunc(slices.Clone(r.Memory), func(m results.LiveMemory) bool { return m.Form != results.Forms[column] })
		bytes := price.Median(of, func(m results.LiveMemory) float64 { return m.Bytes })
		ns := price.Median(of, func(m results.LiveMemory) float64 { return m.CollectNS })
		return liveKnown(bytes, func(float64) string { return fmt.Sprintf("%.0f B, %s", bytes, show.Duration(ns)) })
	})
}

// goTimers compares Go's own timers with the driver on structures. It is another measurement than all others of a page.
func goTimers(v *View) Section {
	s := Section{Title: "How does the driver compare with package time?", Charts: []*draw.Figure{v.goChart()}, Open: true}
	if s.Charts[0] == nil {
		s.Tables = []Table{{Main: true, Body: show.Para("Not measured: Go's own timers follow the real clock, so they take part in no workload. ",
			show.Mono("timerbench live --into FOLDER"), " measures them, and adds them to the results.")}}
		return s
	}
	s.Lead = show.Para("Go's own timers follow the real clock, so they take part in no workload. This is ", show.Strong("another measurement, under the real clock"),
		": package time, and package driver on several structures, with its locks and its calls through interfaces. Its figures do not compare with those of "+
			"the workloads. Each was checked first: every timer fired once, no timer fired early, and no stopped timer fired. ", LiveLoads(v.Live))
	for _, t := range LiveTables(v.Live) {
		t.Align = "" // words on the left, numbers on the right
		s.Tables = append(s.Tables, Table{Title: t.Title, Body: show.Tables(t)})
	}
	return s
}

// goChart shows the cost of operations under the real clock by the number of timers. Nil: not measured.
func (v *View) goChart() *draw.Figure {
	if v.Live == nil || !slices.ContainsFunc(v.Live.Rows, func(r results.LiveRow) bool { return r.Role == results.RoleBaseline }) {
		return nil
	}
	sizes := v.Live.Residents()
	f := &draw.Figure{
		Name: "go-timers",
		Subtitle: "Processor time of an operation under the real clock, with all that it causes, by the number of pending timers. " +
			"Lower is better.",
		Caption: "Straight lines join the measured points. Both axes are logarithmic.",
		X:       draw.Axis{Ticks: draw.TicksAt(sizes, show.Short), Low: 1.25, High: 1.25},
		Y:       draw.Axis{Ticks: draw.LogTicks{Label: show.Duration, Most: 9}, Low: 1.2, High: 1.2},
		Height:  230, Columns: 3,
	}
	for i, of := range []struct {
		op   results.Op
		name string
	}{{results.StartStop(results.FormAfterFunc), "start and stop"}, {results.OpReset, "move to later"}, {results.OpFire, "start and fire"}} {
		p := &draw.Panel{Title: of.name, XLabel: "pending timers (N)", YLabel: "processor time"}
		var last []string // among the most timers
		for _, structure := range append([]string{""}, v.Live.Structures()...) {
			style := draw.BaselineStyle // of Go's own timers
			if structure != "" {
				style = v.Styles[structure]
			}
			curve := line(style, sizes, func(n int) (int, float64) {
				row, _ := v.Live.OnDriver(n, structure)
				return n, price.Over(row, of.op, v.Live.Goroutines[0])
			}, show.Duration)
			key := draw.Key{Text: show.When(structure != "", "the driver on ") + style.Name, Style: style, Line: true, Radius: 3}
			if i == 0 {
				f.Legend = append(f.Legend, key)
			}
			if n := len(curve.Marks); n > 0 {
				p.Marks = append(p.Marks, curve)
				if structure == "" || structure == answer.Default {
					last = append(last, fmt.Sprintf("%s with %s", show.Duration(curve.Marks[n-1].Y), strings.TrimSuffix(key.Text, " on "+answer.Default)))
				}
			}
		}
		if len(p.Marks) == 0 {
			continue
		}
		if f.Panels = append(f.Panels, p); f.Title == "" && len(last) > 0 {
			f.Title = fmt.Sprintf("Among %s timers, %s takes %s", show.Grouped(sizes[len(sizes)-1]), of.name, show.And(last))
		}
	}
	return f
}
