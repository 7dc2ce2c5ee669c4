package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// measured returns the contenders that have a cost in any of the cells.
func (v *view) measured(cells []results.Cell) []contender {
	return v.present(func(who contender) bool {
		return slices.ContainsFunc(cells, func(c results.Cell) bool {
			row, ok := rowOf(c, who.name)
			return ok && cost(row).ok()
		})
	})
}

// costSpan is the range of all costs of cells, with their intervals.
func costSpan(cells []results.Cell) draw.Span {
	var s draw.Span
	for _, c := range cells {
		for _, row := range c.Rows {
			m := markOf(cost(row), 0)
			s.Add(m.X, m.Lo, m.Hi)
		}
	}
	return s
}

// markOf is the mark of a summary: the median, with its interval where there is
// one.
func markOf(s stat, y float64) draw.Mark {
	m := draw.Mark{X: s.median, Y: y}
	if s.bounded() && s.lo > 0 {
		m.Lo, m.Hi = s.lo, s.hi
	}
	return m
}

// timePer names the axis of the costs of a cell.
func timePer(c results.Cell) string { return "time per " + string(unitOf(c)) }

// units names what the costs of cells are counted per, the commonest first.
func units(cells []results.Cell) string {
	var found []string
	for _, unit := range []script.Unit{script.PerLifecycle, script.PerTick, script.PerReschedule, script.PerOperation} {
		if slices.ContainsFunc(cells, func(c results.Cell) bool { return unitOf(c) == unit }) {
			found = append(found, string(unit))
		}
	}
	if len(found) < 2 {
		return strings.Join(found, "")
	}
	return found[0] + " (or " + strings.Join(found[1:], ", or ") + ")"
}

// costTables are the tables of all cells of a class.
func (v *view) costTables(c class) []table {
	var out []table
	for _, w := range v.ofClass(c) {
		for _, cell := range v.cells(w) {
			out = append(out, table{title: cellTitle(cell) + ": cost", body: v.costTable(cell)})
		}
	}
	return out
}

// costTable shows one cell: every contender's cost, and what it is to the best.
func (v *view) costTable(c results.Cell) string {
	r := rank(c)
	floor, timers := v.costOf(c, results.RoleFloor), v.costOf(c, results.RoleBaseline)
	header := []string{"Structure", "Median ns", "95 % CI", "Overall mean ns", "× fastest", "× floor"}
	if timers.ok() {
		header = append(header, "× Go's timers")
	}
	var rows [][]string
	for _, who := range v.rows {
		row, ok := rowOf(c, who.name)
		s := cost(row)
		if !ok || !s.ok() {
			continue
		}
		times := "–"
		if len(r.stats) > 0 && who.role != results.RoleFloor {
			times = s.over(r.stats[0])
		}
		line := []string{v.label(who, slices.Contains(r.names[:r.ties], who.name)),
			digits3(s.median), s.interval(), digits3(s.mean), times, s.over(floor)}
		if timers.ok() {
			line = append(line, s.over(timers))
		}
		rows = append(rows, append(line, fmt.Sprint(s.trials)))
	}
	return markdownTable("lr", append(header, "Trials"), rows)
}

// costOf is the cost of the contender in a role; it is not ok where none took part.
func (v *view) costOf(c results.Cell, role results.Role) stat {
	for _, who := range v.rows {
		if row, ok := rowOf(c, who.name); ok && who.role == role {
			return cost(row)
		}
	}
	return stat{}
}

// over writes a median as a multiple of another one.
func (s stat) over(other stat) string {
	if !other.ok() {
		return "–"
	}
	return ratio(s.median / other.median)
}

// interval writes the 95 % confidence interval.
func (s stat) interval() string {
	if !s.bounded() {
		return "–"
	}
	return digits3(s.lo) + " to " + digits3(s.hi)
}

// label is the name of a contender in a table: the best in bold, and what is no
// structure in italics with its role.
func (v *view) label(who contender, best bool) string {
	switch {
	case best:
		return "**" + literal(who.name) + "**"
	case who.role == results.RoleFloor:
		return "_" + literal(who.name) + "_ (floor)"
	case who.role == results.RoleControl:
		return "_" + literal(who.name) + "_ (control)"
	case who.role == results.RoleBaseline:
		return "_" + literal(who.name) + "_ (baseline)"
	}
	return literal(who.name)
}
