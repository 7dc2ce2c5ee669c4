package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// winnersChart is a map of the fastest structures: the number of timers by the share that is
// cancelled, a panel for each shape of the delays. Where a coarse structure may be the fastest
// there is another row of panels, since not everybody can use it. Nil: there is no grid.
func (v *view) winnersChart() *draw.Figure {
	var cells, exact []results.Cell
	for _, c := range v.r.Cells {
		if _, ok := v.gridPlace(c); ok && c.N > 0 && len(v.analysis(c).ranked) > 0 {
			cells, exact = append(cells, c), append(exact, v.exactRows(c))
		}
	}
	if len(cells) == 0 {
		return nil
	}
	m := v.newWinnerMap(cells)
	f := &draw.Figure{
		Name:  "winners",
		Title: "Which structure is the fastest, and by how much?",
		Subtitle: fmt.Sprintf("What it says: the lowest time per %s, by the number of resident timers, the share of them that is cancelled before they fire, and the shape of the delays.",
			units(cells)),
		Caption: "Hatched: others may be the fastest, too, at the family-wise confidence of 95 %; their colours hatch the field. Others from: the cost of the best of those that are not, as a multiple. " +
			"What it does not say: other workloads, and memory." + v.coarseNote(),
	}
	columns := min(len(m.delays), 2)
	add := func(cells []results.Cell, of string) {
		var panels []*draw.Panel
		for _, delays := range m.delays {
			fields := m.fields(v, cells, delays)
			fields.Title = delays + " delays" + of
			panels = append(panels, fields.Panel())
			f.Height += fields.Height() / draw.Length(columns)
		}
		f.Panels = append(f.Panels, draw.Arrange(panels, columns)...)
	}
	if slices.ContainsFunc(cells, func(c results.Cell) bool { return slices.ContainsFunc(v.analysis(c).ranked, v.coarseWinner) }) {
		add(exact, ": exact structures")
		add(cells, ": coarse ones, too")
	} else {
		add(cells, "")
	}
	return f
}

func (v *view) coarseWinner(r ranked) bool { return r.InBest && v.isCoarse(r.name) }

// isCoarse reports whether a structure fires late, as far as this version knows.
func (v *view) isCoarse(name string) bool {
	for _, e := range v.known.entries {
		if e.Name == name {
			return !e.Exact()
		}
	}
	return false
}

// exactRows is a cell without its coarse structures.
func (v *view) exactRows(c results.Cell) results.Cell {
	c.Rows = slices.DeleteFunc(slices.Clone(c.Rows), func(row results.Row) bool { return v.isCoarse(row.Structure) })
	return c
}

// winnerMap is what the axes of the maps are.
type winnerMap struct {
	delays        []string
	shares, sizes []int
}

func (v *view) newWinnerMap(cells []results.Cell) winnerMap {
	m := winnerMap{sizes: sizesOf(cells)}
	for _, c := range cells {
		place, _ := v.gridPlace(c)
		if !slices.Contains(m.delays, place.Delays) {
			m.delays = append(m.delays, place.Delays)
		}
		m.shares = append(m.shares, place.CancelPercent)
	}
	slices.Sort(m.shares)
	m.shares = slices.Compact(m.shares)
	slices.Reverse(m.shares) // as on an axis that points upwards
	return m
}

// fields is the map of one shape of delays.
func (m winnerMap) fields(v *view, cells []results.Cell, delays string) draw.Fields {
	out := draw.Fields{XLabel: "resident timers (N)", YLabel: "cancelled"}
	for _, share := range m.shares {
		out.Rows = append(out.Rows, fmt.Sprintf("%d %%", share))
	}
	for _, n := range m.sizes {
		out.Columns = append(out.Columns, short(float64(n)))
	}
	for _, c := range cells {
		place, _ := v.gridPlace(c)
		a := v.analysis(c)
		if place.Delays != delays || len(a.ranked) == 0 {
			continue
		}
		field := draw.Field{
			Row: slices.Index(m.shares, place.CancelPercent), Column: slices.Index(m.sizes, c.N),
			Owner: v.looks[a.ranked[0].name],
			Title: fmt.Sprintf("the fastest among %s timers, %d %% cancelled, %s delays: %s", short(float64(c.N)), place.CancelPercent, delays, duration(a.ranked[0].stat.median)),
		}
		field.Owner.Cell = cellName(c)
		var rivals []string
		for _, r := range a.ranked[1:] {
			if r.InBest {
				field.Rivals = append(field.Rivals, v.looks[r.name])
				rivals = append(rivals, r.name)
			}
		}
		if len(rivals) > 0 {
			field.Lines = append(field.Lines, []string{"or " + strings.Join(rivals, ", "), "or " + orMore(rivals), fmt.Sprintf("or %d more", len(rivals))})
			field.Title += "; may be the fastest, too: " + strings.Join(rivals, ", ")
		}
		if others := a.others(); len(others) > 0 {
			multiple := times(others[0].ToBest)
			if len(rivals) > 0 {
				field.Lines = append(field.Lines, []string{"others from " + multiple + " ×", "from " + multiple + " ×"})
			} else {
				field.Lines = append(field.Lines, []string{"next: " + others[0].name + " " + multiple + " ×", "next " + multiple + " ×"})
			}
			field.Title += fmt.Sprintf("; next: %s, %s times as long", others[0].name, multiple)
		}
		out.Fields = append(out.Fields, field)
	}
	return out
}

// orMore is the first of names, and how many more there are.
func orMore(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("%s, %d more", names[0], len(names)-1)
}
