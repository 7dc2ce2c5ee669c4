package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// winnersChart is a map of the fastest structures: the number of timers by the share that is
// cancelled, a panel for each shape of the delays. Where a coarse structure may be the fastest
// there is another row of panels, since not everybody can use it. Nil: there is no grid.
func (v *view) winnersChart() *draw.Figure {
	var cells []results.Cell
	for _, c := range v.r.Cells {
		if _, ok := v.gridPlace(c); ok && c.N > 0 && len(v.analysis(c).ranked) > 0 {
			cells = append(cells, c)
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
		Caption: "The lighter a field, the more other structures tie with it or are not told apart from it, at the family-wise confidence of 95 %. Next: the cost of the second, as a multiple. " +
			"What it does not say: other workloads, and memory." + v.coarseNote(),
		Legend: sureKeys(),
	}
	columns := min(len(m.delays), 2)
	add := func(keep func(name string) bool, of string) {
		var panels []*draw.Panel
		for _, delays := range m.delays {
			fields := m.fields(v, cells, delays, keep)
			fields.Title = delays + " delays" + of
			panels = append(panels, fields.Panel())
			f.Height += fields.Height() / draw.Length(columns)
		}
		f.Panels = append(f.Panels, draw.Arrange(panels, columns)...)
	}
	if slices.ContainsFunc(cells, func(c results.Cell) bool { return slices.ContainsFunc(v.analysis(c).ranked, v.coarseWinner) }) {
		add(func(name string) bool { return !v.isCoarse(name) }, ": exact structures")
		add(every, ": coarse ones, too")
	} else {
		add(every, "")
	}
	return f
}

func every(string) bool { return true }

func (v *view) coarseWinner(r ranked) bool { return !r.isWorse() && v.isCoarse(r.Name) }

// isCoarse reports whether a structure fires late, as far as this version knows.
func (v *view) isCoarse(name string) bool {
	for _, e := range v.known.entries {
		if e.Name == name {
			return !e.Exact()
		}
	}
	return false
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
	return m
}

// fields is the map of one shape of delays, of the structures that keep accepts.
func (m winnerMap) fields(v *view, cells []results.Cell, delays string, keep func(name string) bool) draw.Fields {
	out := draw.Fields{XLabel: "cancelled", YLabel: "resident timers (N)"}
	for _, n := range m.sizes {
		out.Rows = append(out.Rows, show.Short(float64(n)))
	}
	for _, share := range m.shares {
		out.Columns = append(out.Columns, fmt.Sprintf("%d %%", share))
	}
	for _, c := range cells {
		place, _ := v.gridPlace(c)
		a := v.analysis(c).among(keep)
		if place.Delays != delays || len(a.ranked) == 0 {
			continue
		}
		field := draw.Field{
			Row: slices.Index(m.sizes, c.N), Column: slices.Index(m.shares, place.CancelPercent),
			Owner: v.looks[a.ranked[0].Name],
			Title: fmt.Sprintf("the fastest among %s timers, %d %% cancelled, %s delays: %s", show.Short(float64(c.N)), place.CancelPercent, delays, show.Duration(a.ranked[0].stat.median)),
		}
		field.Owner.Cell = cellName(c)
		var rivals []string
		for _, r := range a.ranked[1:] {
			if !r.isWorse() {
				rivals = append(rivals, r.Name)
			}
		}
		field.White = surest(len(rivals)).white
		if len(rivals) > 0 {
			field.Lines = append(field.Lines, []string{"or " + strings.Join(rivals, ", "), "or " + orMore(rivals), fmt.Sprintf("or %d more", len(rivals))})
			field.Title += "; tie with it, or are not told apart from it: " + strings.Join(rivals, ", ")
		}
		if others := a.others(); len(others) > 0 {
			multiple := times(others[0].ToBest)
			if len(rivals) == 0 {
				field.Lines = append(field.Lines, []string{"next: " + others[0].Name + " " + multiple + " ×", "next " + multiple + " ×"})
			}
			field.Title += fmt.Sprintf("; next: %s, %s times as long", others[0].Name, multiple)
		}
		out.Fields = append(out.Fields, field)
	}
	return out
}

// sureness is how sure it is that the first of a field is the fastest.
type sureness struct {
	rivals int // at most so many others may be the fastest, too
	name   string
	white  float64 // of its fields
}

var sure = []sureness{
	{0, "it is the fastest", 0.3},
	{2, "one or two others may be", 0.6},
	{math.MaxInt, "more others may be", 0.85},
}

func surest(rivals int) sureness {
	return sure[slices.IndexFunc(sure, func(s sureness) bool { return rivals <= s.rivals })]
}

func sureKeys() []draw.Key {
	var out []draw.Key
	for _, s := range sure {
		out = append(out, draw.Key{Text: s.name, Swatch: draw.Mix(draw.Faded, s.white)})
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
