package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// ageing says how the memory of a timer grows once timers have come and gone.
func ageing(v *view) section {
	return section{
		title:  "How much memory do cancelled timers leave behind?",
		charts: []*draw.Figure{v.ageingChart()},
		tables: []table{{title: "Memory, empty, filled and aged", body: v.ageingTable()}},
	}
}

// aged returns the memory of the structures at the size at which most were measured,
// the larger one of two.
func (v *view) aged() []results.Memory {
	bySize := make(map[int][]results.Memory)
	for _, m := range v.r.Memory {
		if _, ok := v.looks[m.Structure]; ok { // it has rows
			bySize[m.N] = append(bySize[m.N], m)
		}
	}
	best := 0
	for n, list := range bySize {
		if c := cmp.Compare(len(list), len(bySize[best])); c > 0 || c == 0 && n > best {
			best = n
		}
	}
	return bySize[best]
}

// ageingChart shows bytes per timer after the fill, and what ageing adds to that. Nil:
// nothing was measured.
func (v *view) ageingChart() *draw.Figure {
	list := v.aged()
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b results.Memory) int { return cmp.Compare(a.AgedBytes, b.AgedBytes) })
	const white = 0.6 // share of white in what ageing adds
	p := draw.NewPanel("N = " + short(float64(list[0].N)))
	var structures []draw.Look
	top := 0.0
	for i, m := range list {
		structures = append(structures, v.looks[m.Structure])
		top = max(top, m.Bytes, m.AgedBytes)
		color := v.looks[m.Structure].Color
		p.Add(draw.Bar{Look: v.looks[m.Structure], At: draw.RowAt(i, len(list)), Label: trim3(m.AgedBytes) + " B",
			Parts: []draw.Part{
				{Length: min(m.Bytes, m.AgedBytes), Color: color},
				{Length: max(0, m.AgedBytes-m.Bytes), Color: draw.Pale(color, white)},
			}})
	}
	p.Rows(structures)
	p.LinearX("bytes per pending timer", top*1.15, nil)
	return &draw.Figure{
		Name:     "ageing",
		Subtitle: fmt.Sprintf("Heap in use per timer after %s timers were cancelled at random, each with another one scheduled. Lower is better.", short(float64(list[0].Replaced))),
		Caption:  "Values of 8 bytes, uniform delays, a clock that stands still. Dark: right after the fill. Light: what ageing adds, such as entries of cancelled timers that are still there.",
		Height:   max(draw.RowsHeight(len(list)), 180),
		Panels:   [][]*draw.Panel{{p}},
		Legend: []draw.Key{
			{Text: "after the fill", Swatch: draw.Faded},
			{Text: "added by ageing", Swatch: draw.Pale(draw.Faded, white)},
		},
	}
}

// ageingTable shows all that was measured.
func (v *view) ageingTable() string {
	var rows [][]string
	for _, m := range v.r.Memory {
		rows = append(rows, []string{
			literal(m.Structure), short(float64(m.N)), short(m.EmptyBytes), digits3(m.Bytes), digits3(m.AgedBytes), short(float64(m.Replaced)), digits3(m.CollectNS / 1e6),
		})
	}
	if len(rows) == 0 {
		return ""
	}
	return markdownTable("lrrrrrr", []string{"Structure", "N", "Bytes in all, empty", "Bytes per timer, filled", "Bytes per timer, aged", "Timers replaced", "ms it adds to a full garbage collection"}, rows)
}
