package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// memory says what a timer takes of it, and what that buys.
func memory(v *view) section {
	return section{
		title:  "How much memory does a timer take, and what does it buy?",
		absent: "memory",
		charts: []*draw.Figure{v.memoryChart(), v.paretoChart()},
		tables: []table{
			{title: "Memory, empty, filled and aged", body: v.memoryTable()},
			{title: "Bytes per resident timer, by workload", body: v.footprintTable()},
			{title: "Allocations, by workload", body: v.allocationTable()},
		},
	}
}

// footprints returns the memory of the structures at one size, the least first: the largest size at
// which nearly all of those were measured that were at any. Results without such a pass have what
// the structures of a cell held.
func (v *view) footprints() []results.Memory {
	bySize := make(map[int][]results.Memory)
	add := func(m results.Memory) {
		if _, ok := v.looks[m.Structure]; ok { // it can be drawn
			bySize[m.N] = append(bySize[m.N], m)
		}
	}
	for _, m := range v.r.Memory {
		add(m)
	}
	if len(bySize) == 0 {
		for _, w := range v.workloads() {
			c, _ := v.largestWith(w, func(row results.Row) bool { return row.BytesPerTimer > 0 })
			if len(bySize[c.N]) > 0 {
				continue
			}
			for _, row := range c.Rows {
				if row.BytesPerTimer > 0 && (row.Role == results.RoleStructure || row.Role == results.RoleBaseline) {
					add(results.Memory{Structure: row.Structure, N: c.N, Bytes: row.BytesPerTimer, AgedBytes: row.BytesPerTimer})
				}
			}
		}
	}
	most := 0
	for _, list := range bySize {
		most = max(most, len(list))
	}
	best := 0
	for n, list := range bySize {
		if 4*len(list) >= 3*most {
			best = max(best, n)
		}
	}
	list := slices.Clone(bySize[best])
	slices.SortStableFunc(list, func(a, b results.Memory) int {
		return cmp.Or(cmp.Compare(a.AgedBytes, b.AgedBytes), cmp.Compare(a.Structure, b.Structure))
	})
	return list
}

// memoryChart shows bytes per timer after the fill, and what ageing adds to that. Nil:
// nothing was measured.
func (v *view) memoryChart() *draw.Figure {
	list := v.footprints()
	if len(list) == 0 {
		return nil
	}
	const pale = 0.6 // what ageing adds
	p := draw.NewPanel("N = " + show.Short(float64(list[0].N)))
	var rows []draw.Look
	top := 0.0
	for i, m := range list {
		look := v.looks[m.Structure]
		rows = append(rows, look)
		top = max(top, m.Bytes, m.AgedBytes)
		p.Add(draw.Bar{Look: look, At: draw.RowAt(i, len(list)), Label: show.Figure(m.AgedBytes) + " B",
			Title: fmt.Sprintf("%s bytes per timer after the fill, %s aged", show.Figure(m.Bytes), show.Figure(m.AgedBytes)),
			Parts: []draw.Part{
				{Length: min(m.Bytes, m.AgedBytes), Color: look.Color},
				{Length: max(0, m.AgedBytes-m.Bytes), Color: draw.Pale(look.Color, pale)},
			}})
	}
	p.Rows(rows)
	p.LinearX("bytes per pending timer", top*1.12, draw.LinearTicks(show.Figure))
	f := &draw.Figure{
		Name:     "memory",
		Title:    "How much memory does a timer take?",
		Subtitle: "What it says: the heap in use per timer, a value of 8 bytes included. Lower is better.",
		Caption:  "What it does not say: what the values of a program take. Room reserved for growth counts: it depends on where N falls between two doublings.",
		Height:   max(draw.RowsHeight(len(list)), 120),
		Panels:   [][]*draw.Panel{{p}},
	}
	if replaced := list[0].Replaced; replaced > 0 {
		f.Subtitle = fmt.Sprintf("What it says: the heap in use per timer, a value of 8 bytes included, right after the fill, and after %s timers were cancelled at random, "+
			"each with another one scheduled. Lower is better.", show.Short(float64(replaced)))
		f.Caption += " Uniform delays; the clock stands still, so that entries of cancelled timers stay as long as the structure keeps them."
		f.Legend = []draw.Key{
			{Text: "after the fill", Swatch: draw.Faded},
			{Text: "added by ageing", Swatch: draw.Pale(draw.Faded, pale)},
		}
	}
	return f
}

// paretoChart sets the speed of each structure against its memory, both among about as many timers.
// Nil: no structure has both.
func (v *view) paretoChart() *draw.Figure {
	list := v.footprints()
	if len(list) == 0 {
		return nil
	}
	n := list[0].N
	cells := slices.DeleteFunc(slices.Clone(v.r.Cells), func(c results.Cell) bool { return 2*c.N < n || c.N > 2*n || structuresIn(c) == 0 })
	var s draw.Scatter
	var bytes, multiples draw.Span
	left := 0
	for _, m := range v.merits(cells, isStructure) {
		i := slices.IndexFunc(list, func(of results.Memory) bool { return of.Structure == m.name })
		if i < 0 || !m.complete {
			left++
			continue
		}
		s.Places = append(s.Places, draw.Place{Look: v.looks[m.name], X: list[i].AgedBytes, Y: m.typical, Label: m.name,
			Title: fmt.Sprintf("%s bytes per timer, %s times the fastest", show.Figure(list[i].AgedBytes), show.Times(m.typical))})
		bytes.Add(list[i].AgedBytes)
		multiples.Add(m.typical)
	}
	if len(s.Places) == 0 {
		return nil
	}
	slices.SortStableFunc(s.Places, func(a, b draw.Place) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	for i := range s.Places {
		if at := &s.Places[i]; len(s.Front) == 0 || at.Y < s.Front[len(s.Front)-1].Y {
			at.Bold = true
			s.Front = append(s.Front, draw.Mark{X: at.X, Y: at.Y})
		}
	}
	p := draw.NewPanel("")
	p.LogX("bytes per pending timer, aged", bytes.Around(1.15, 1.3), draw.LogTicks{Label: func(b float64) string { return show.Short(b) + " B" }, Most: 9})
	p.LogY("time, × the fastest", multiples.Around(1.15, 1.15), draw.LogTicks{Label: ratioTick, Most: 7})
	p.Add(s)
	caption := "What it does not say: how a structure does on one workload, or among fewer timers. Both axes are logarithmic. "
	if left > 0 {
		caption += fmt.Sprintf("%d structures that lack one of these figures are not shown.", left)
	}
	return &draw.Figure{
		Name:  "pareto",
		Title: "Which structures are fast for the memory they take?",
		Subtitle: fmt.Sprintf("What it says: the time, as the geometric mean of the multiples of the fastest over %s, against bytes per timer, N = %s. Bold, joined by steps: "+
			"no other structure is both faster and smaller.", plural(len(cells), "workload"), show.Short(float64(n))),
		Caption: caption,
		Height:  300,
		Panels:  [][]*draw.Panel{{p}},
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// memoryTable shows all that was measured of memory by itself.
func (v *view) memoryTable() string {
	var rows [][]string
	for _, m := range v.r.Memory {
		rows = append(rows, []string{
			literal(m.Structure), show.Short(float64(m.N)), show.Short(m.EmptyBytes), show.Figure(m.Bytes), show.Figure(m.AgedBytes), show.Short(float64(m.Replaced)), show.Figure(m.CollectNS / 1e6),
		})
	}
	return markdownTable("lr", []string{"Structure", "N", "Bytes in all, empty", "Bytes per timer, filled", "Bytes per timer, aged", "Timers replaced", "ms it adds to a full garbage collection"}, rows)
}

// footprintTable shows what the structures held in the workloads, each at the largest N at which that
// was measured.
func (v *view) footprintTable() string {
	return v.byWorkload(v.workloads(), func(r results.Row) bool { return r.BytesPerTimer > 0 },
		func(_ results.Cell, r results.Row) string { return show.Figure(r.BytesPerTimer) })
}

// allocationTable shows what one unit of work allocates.
func (v *view) allocationTable() string {
	return v.byWorkload(v.workloads(),
		func(r results.Row) bool { objects, _, _ := allocations(r); return objects > 0 },
		func(_ results.Cell, r results.Row) string {
			objects, bytes, _ := allocations(r)
			return show.Figure(objects) + " (" + show.Figure(bytes) + " B)"
		})
}

// byWorkload is a table of structures by workloads, each at the largest N at which some row has a value.
func (v *view) byWorkload(workloads []string, has func(results.Row) bool, value func(results.Cell, results.Row) string) string {
	header := []string{"Structure"}
	var cells []results.Cell
	for _, w := range workloads {
		if c, ok := v.largestWith(w, has); ok {
			cells = append(cells, c)
			header = append(header, literal(w)+" "+show.Short(float64(c.N)))
		}
	}
	var rows [][]string
	for _, who := range v.byMerit(v.rows) {
		line, found := []string{v.label(who, false)}, false
		for _, c := range cells {
			text := "–"
			if row, ok := rowOf(c, who.name); ok && has(row) {
				text, found = value(c, row), true
			}
			line = append(line, text)
		}
		if found {
			rows = append(rows, line)
		}
	}
	return markdownTable("lr", header, rows)
}
