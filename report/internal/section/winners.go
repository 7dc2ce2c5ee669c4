package section

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/analysis"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// winnersChart is a map of the fastest exact structures: the number of timers by the share that is
// cancelled, a panel for each shape of the delays. Coarse structures are not on it, because not every
// program can use them. Nil: there is no grid.
func (v *View) winnersChart() *draw.Figure {
	m := v.newWinnerMap()
	if len(m.cells) == 0 {
		return nil
	}
	f := &draw.Figure{
		Name: "winners", Columns: min(len(m.delays), 2),
		Title: "The fastest exact structure",
		Subtitle: "The structure with the lowest time per " + units(m.cells) + ", by the number of resident timers, the " +
			"share of timers cancelled before they fire, and the shape of the delays.",
		Caption: "A lighter field has more rivals: structures that tie or are unclear at 95 % family-wise confidence. " +
			"Next: the cost of the second structure as a multiple. Not shown: structures that fire late.",
	}
	for _, s := range sure {
		f.Legend = append(f.Legend, draw.Key{Text: s.name, Swatch: draw.Mix(draw.Faded, s.white)})
	}
	for _, delays := range m.delays {
		fields := m.fields(v, delays)
		fields.Title = delays + " delays"
		f.Panels = append(f.Panels, fields.Panel())
		f.Height = fields.Height()
	}
	return f
}

// winnerMap is the cells of the grid and the axes of the maps.
type winnerMap struct {
	cells         []*analysis.Cell
	delays        []string
	shares, sizes []int
}

func (v *View) newWinnerMap() winnerMap {
	var m winnerMap
	for _, c := range v.Cells {
		if c.Grid != nil && c.N > 0 && len(c.Ranked) > 0 {
			m.cells = append(m.cells, c)
		}
	}
	m.delays, m.shares = gridOf(m.cells)
	m.sizes = sizesOf(m.cells)
	return m
}

// fields is the map of one shape of delays.
func (m winnerMap) fields(v *View, delays string) draw.Fields {
	out := draw.Fields{XLabel: "cancelled", YLabel: "resident timers (N)"}
	for _, n := range m.sizes {
		out.Rows = append(out.Rows, short(n))
	}
	for _, share := range m.shares {
		out.Columns = append(out.Columns, fmt.Sprintf("%d %%", share))
	}
	for _, c := range m.cells {
		ranked := c.Among(func(name string) bool { return !v.IsCoarse(name) })
		if c.Grid.Delays != delays || len(ranked) == 0 {
			continue
		}
		field := draw.Field{
			Row: slices.Index(m.sizes, c.N), Column: slices.Index(m.shares, c.Grid.CancelPercent),
			Owner: v.Styles[ranked[0].Structure],
			Title: fmt.Sprintf("the fastest among %s timers, %d %% cancelled, %s delays: %s",
				short(c.N), c.Grid.CancelPercent, delays, show.Duration(ranked[0].Cost().Center)),
		}
		field.Owner.Cell = cellName(c)
		var rivals []string
		worse := len(ranked) // the first that is not the fastest
		for i, r := range ranked[1:] {
			if r.RatioTo(ranked[0]).Standing() != stats.Worse {
				rivals = append(rivals, r.Structure)
			} else {
				worse = min(worse, i+1)
			}
		}
		field.White = surest(len(rivals))
		if len(rivals) > 0 {
			field.Lines = append(field.Lines, []string{
				"or " + strings.Join(rivals, ", "), "or " + orMore(rivals), fmt.Sprintf("or %d more", len(rivals)),
			})
			field.Title += "; tie with it, or are not told apart from it: " + strings.Join(rivals, ", ")
		}
		if worse < len(ranked) {
			name, multiple := ranked[worse].Structure, times(ranked[worse].RatioTo(ranked[0]))
			if len(rivals) == 0 {
				field.Lines = append(field.Lines, []string{"next: " + name + " " + multiple + " ×", "next " + multiple + " ×"})
			}
			field.Title += fmt.Sprintf("; next: %s, %s times as long", name, multiple)
		}
		out.Fields = append(out.Fields, field)
	}
	return out
}

// sure maps the number of rivals of the first structure of a field to its certainty.
var sure = []struct {
	rivals int // at most
	name   string
	white  float64 // of its fields
}{
	{0, "it is the fastest", 0.3},
	{2, "one or two others may be", 0.6},
	{math.MaxInt, "more others may be", 0.85},
}

// surest returns the whiteness of a field.
func surest(rivals int) float64 {
	for _, s := range sure {
		if rivals <= s.rivals {
			return s.white
		}
	}
	return 1
}

// orMore returns the first name and the number of the others.
func orMore(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("%s, %d more", names[0], len(names)-1)
}
