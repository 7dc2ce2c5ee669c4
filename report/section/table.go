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
)

// newTable returns a table without rows. align has l or r for each column; its last letter holds for all
// further columns.
func newTable(align string, header ...string) *show.Table {
	return &show.Table{Align: align, Header: header}
}

// pivot makes a table with a row for each contender with a value, and a column for each header.
func pivot(rows []answer.RowName, header []string, value func(who answer.RowName, column int) any) *show.Table {
	t := newTable("lr", append([]string{"Structure"}, header...)...)
	for _, who := range rows {
		line, found := []any{label(who, false)}, false
		for column := range header {
			v := value(who, column)
			line, found = append(line, v), found || v != nil
		}
		if found {
			t.Add(line...)
		}
	}
	return t
}

// addUnit adds a row about a cell of the results. The row begins with the workload, the unit of the cost unless it is the
// lifecycle of a timer, and the size.
func addUnit(t *show.Table, c *stats.Costs, cells ...any) {
	name := show.Words(c.Workload).With(show.Joined("; ", when(c.Unit != script.PerLifecycle, "per "+string(c.Unit)), c.Unsteady()))
	t.Add(append([]any{name, size(c.N)}, cells...)...).Cell = cellName(c)
}

func size(n int) show.Cell { return show.Number(float64(n), short(n)) }

func percent(share float64) show.Cell { return show.Number(share, show.Percent(share)) }

func duration(ns float64) show.Cell { return show.Number(ns, show.Duration(ns)) }

// names returns a cell with the names of structures. A single name can be pinned.
func names(list []string) any {
	if len(list) == 1 {
		return show.Name(list[0])
	}
	return someOf(list)
}

func faceIf(is bool, c show.Cell) show.Cell {
	if is {
		return c.In(show.Bold)
	}
	return c
}

// label is the name of a contender in a table. The best is in bold. A row that is no structure is in italics
// with its role.
func label(who answer.RowName, best bool) show.Cell {
	name := show.Name(who.Name)
	switch who.Role {
	case results.RoleFloor, results.RoleControl, results.RoleExternal:
		return name.In(show.Italic).With(string(who.Role))
	}
	return faceIf(best, name)
}

func short(n int) string { return show.Short(float64(n)) }

func shortList(numbers []int) string { return show.And(mapped(numbers, short)) }

func sized(workload string, n int) string { return fmt.Sprintf("%s, N = %s", workload, short(n)) }

// perUnit returns the unit of the cost of a cell in brackets, unless it is the lifecycle of a timer.
func perUnit(c *stats.Costs) string {
	return when(c.Unit != script.PerLifecycle, " (per "+string(c.Unit)+")")
}

// cellTitle names a cell, and its unit unless it is the lifecycle.
func cellTitle(c *stats.Costs) string {
	return show.Joined(", ", sized(c.Workload, c.N)+perUnit(c), c.Unsteady())
}

// cellName names a cell in attributes of charts and tables.
func cellName(c *stats.Costs) string { return c.Workload + " " + short(c.N) }

// ratio is a ratio in a table; without pairs it is not known.
func ratio(r stats.Ratio) show.Cell {
	if r.Pairs == 0 {
		return show.Words(show.Unknown)
	}
	return show.Number(r.Center, show.Times(r.Center))
}

func interval(s stats.Cost) show.Cell {
	if !show.Narrow(s.Lo, s.Hi) {
		return show.Words(show.Unknown)
	}
	return show.Number(s.Lo, show.Interval(s.Lo, s.Hi, show.Figure, " to "))
}

func withInterval(s stats.Cost) show.Cell {
	c := show.Number(s.Center, show.Figure(s.Center))
	if s.Bounded() {
		c.Note = show.Interval(s.Lo, s.Hi, show.Figure, " to ")
	}
	return c
}

// unless is a value, or nil where it is zero.
func unless[T comparable](v T) any {
	if v == *new(T) {
		return nil
	}
	return v
}

// mapped returns what of returns for each element.
func mapped[T, U any](list []T, of func(T) U) []U {
	var out []U
	for _, x := range list {
		out = append(out, of(x))
	}
	return out
}

// distinct returns the different values in ascending order.
func distinct[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// when is a text on a condition, or else empty.
func when(condition bool, text string) string {
	if !condition {
		return ""
	}
	return text
}
