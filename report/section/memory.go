// Memory, and what the garbage collector makes of it.

package section

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
)

func memory(v *View) Section {
	t := newTable("lr", "Structure", "N", "Bytes in all, empty", "Bytes per timer, filled",
		"Bytes per timer, aged", "Timers replaced", "ms added to a full garbage collection")
	for _, m := range v.Memory {
		t.Add(show.Name(m.Structure), size(m.N), show.Number(m.EmptyBytes, show.Short(m.EmptyBytes)), m.Bytes, m.AgedBytes,
			size(m.Replaced), m.CollectNS/1e6)
	}
	allocates := func(r *results.Row) bool { objects, _ := r.Allocations(); return objects > 0 }
	var cells []*stats.Costs
	for _, w := range v.Workloads() {
		if c := v.Largest(w, allocates); c != nil {
			cells = append(cells, c)
		}
	}
	allocations := v.byWorkload(cells, allocates, func(_ *stats.Costs, r *results.Row) any {
		objects, bytes := r.Allocations()
		return show.Number(objects, show.Figure(objects)).With(show.Figure(bytes) + " B")
	})
	return Section{
		Title:  "How much memory does a timer take?",
		Absent: "memory",
		Open:   true,
		Charts: []*draw.Figure{v.memoryChart()},
		Tables: []Table{
			{Title: "Memory, empty, filled and aged", Body: show.Tables(t)},
			{Title: "Allocations, by workload", Body: show.Tables(allocations)},
		},
	}
}

// footprints returns the memory of the structures at one size, the least first, and then that of late ones. The size is the
// largest one at which nearly all of these structures were measured.
func (v *View) footprints() []results.Memory {
	bySize := make(map[int][]results.Memory)
	for _, m := range v.Memory {
		if _, ok := v.Styles[m.Structure]; ok { // it can be drawn
			bySize[m.N] = append(bySize[m.N], m)
		}
	}
	most, best := 0, 0
	for _, list := range bySize {
		most = max(most, len(list))
	}
	for n, list := range bySize {
		if 4*len(list) >= 3*most {
			best = max(best, n)
		}
	}
	list := slices.Clone(bySize[best])
	slices.SortStableFunc(list, func(a, b results.Memory) int {
		return cmp.Or(v.Late(a.Structure)-v.Late(b.Structure), cmp.Compare(a.AgedBytes, b.AgedBytes), cmp.Compare(a.Structure, b.Structure))
	})
	return list
}

// memoryChart shows bytes per timer after the fill, and what ageing adds to that. Nil:
// nothing was measured.
func (v *View) memoryChart() *draw.Figure {
	list := v.footprints()
	if len(list) == 0 {
		return nil
	}
	const pale = 0.6 // what ageing adds
	p := &draw.Panel{Title: "N = " + short(list[0].N), XLabel: "bytes per pending timer"}
	for i, m := range list {
		style := v.Styles[m.Structure]
		if v.Late(m.Structure) > 0 {
			style.Name += " (late)"
		}
		p.Rows = append(p.Rows, style)
		filled, aged := show.Figure(m.Bytes), show.Figure(m.AgedBytes)
		p.Marks = append(p.Marks, draw.Bar{
			Style: style, Row: i, Label: aged + " B",
			Title: fmt.Sprintf("%s bytes per timer after the fill, %s aged", filled, aged),
			Parts: []draw.Part{
				{Length: min(m.Bytes, m.AgedBytes), Color: style.Color},
				{Length: max(0, m.AgedBytes-m.Bytes), Color: draw.Pale(style.Color, pale)},
			},
		})
	}
	bytes := func(m results.Memory) string { return show.Figure(m.AgedBytes) + " bytes per timer" }
	finding := fmt.Sprintf("%s takes the least, %s", list[0].Structure, bytes(list[0]))
	if i := slices.IndexFunc(list, func(m results.Memory) bool { return m.Structure == answer.Default }); i > 0 {
		finding += fmt.Sprintf("; %s takes %s", answer.Default, bytes(list[i]))
	}
	f := &draw.Figure{
		Name:     "memory",
		Title:    finding,
		Subtitle: "The heap in use per timer, including a value of 8 bytes. Lower is better.",
		Caption:  "Room reserved for growth counts, so the result depends on where N falls between two doublings.",
		X:        draw.Axis{Ticks: draw.LinearTicks(show.Figure), Linear: true, High: 1.12},
		Height:   max(draw.RowsHeight(len(list)), 120),
		Panels:   []*draw.Panel{p},
	}
	if replaced := list[0].Replaced; replaced > 0 {
		f.Subtitle = fmt.Sprintf("The heap in use per timer, including a value of 8 bytes: right after the fill, and aged, after %s random timers "+
			"were cancelled and replaced. Lower is better.", short(replaced))
		f.Caption += " Delays are uniform. The clock stands still, so a lazy structure keeps its cancelled entries."
		f.Legend = []draw.Key{
			{Text: "after the fill", Swatch: draw.Faded},
			{Text: "added by aging", Swatch: draw.Pale(draw.Faded, pale)},
		}
	}
	return f
}

// byWorkload is a table of structures by cells, of the rows that have a value.
func (v *View) byWorkload(cells []*stats.Costs, has func(*results.Row) bool,
	value func(*stats.Costs, *results.Row) any,
) *show.Table {
	return pivot(v.ByMerit(v.Contenders), mapped(cells, cellName), func(who answer.RowName, column int) any {
		if row := cells[column].Row(who.Name); row != nil && has(row) {
			return value(cells[column], row)
		}
		return nil
	})
}
