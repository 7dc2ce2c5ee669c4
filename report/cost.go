package report

import (
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// measured returns the contenders that have a cost in any of the cells.
func (v *view) measured(cells []results.Cell) []contender {
	return v.present(func(who contender) bool {
		return slices.ContainsFunc(cells, func(c results.Cell) bool {
			row, ok := rowOf(c, who.name)
			return ok && hasCost(row)
		})
	})
}

// costSpan is the range of the costs of contenders in cells, with their intervals.
func (v *view) costSpan(cells []results.Cell, of []contender) draw.Span {
	var s draw.Span
	for _, c := range cells {
		for _, who := range of {
			row, _ := rowOf(c, who.name)
			m := markOf(v.cost(c, row), 0)
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

// rowIn is the row of the contender in a role; it has no trials where none took part.
func (v *view) rowIn(c results.Cell, role results.Role) results.Row {
	for _, who := range v.rows {
		if row, ok := rowOf(c, who.name); ok && who.role == role {
			return row
		}
	}
	return results.Row{}
}

// times writes a ratio of two rows.
func times(r stats.Ratio) string {
	if r.Pairs == 0 {
		return "–"
	}
	return show.Times(r.Center)
}

// ratioInterval writes the 95 % confidence interval of a ratio.
func ratioInterval(r stats.Ratio) string {
	if !r.Bounded() || r.Lo == r.Hi {
		return "–"
	}
	return show.Times(r.Lo) + " to " + show.Times(r.Hi)
}

// interval writes the 95 % confidence interval.
func (s stat) interval() string {
	if !s.bounded() {
		return "–"
	}
	return show.Figure(s.lo) + " to " + show.Figure(s.hi)
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
