package report

import (
	"fmt"

	"gonum.org/v1/plot"

	"github.com/timerbench/timerbench/bench/results"
)

// memoryCell chooses the cell of which memory is shown: the one with the most
// contenders measured, the largest N among these.
func (v *view) memoryCell() (results.Cell, bool) {
	var best results.Cell
	most := 0
	for _, c := range v.r.Cells {
		n := 0
		for _, row := range c.Rows {
			if row.BytesPerTimer > 0 {
				n++
			}
		}
		if n > most || (n == most && n > 0 && c.N > best.N) {
			best, most = c, n
		}
	}
	return best, most > 0
}

// memoryRows are the contenders with a measured footprint in a cell. The floor
// keeps no timers, and a control repeats its structure.
func (v *view) memoryRows(c results.Cell) []contender {
	return v.present(func(who contender) bool {
		row, ok := rowOf(c, who.name)
		return ok && row.BytesPerTimer > 0 && (who.role == results.RoleStructure || who.role == results.RoleBaseline)
	})
}

// memoryChart shows bytes per resident timer at the largest N, and beside it how
// they change with N. Nil: nothing was measured.
func (v *view) memoryChart() *figure {
	c, ok := v.memoryCell()
	if !ok {
		return nil
	}
	rows := v.memoryRows(c)
	if len(rows) == 0 {
		return nil
	}
	f := &figure{
		name:     "memory",
		title:    "How much memory does a timer take?",
		subtitle: fmt.Sprintf("Heap in use per resident timer, workload %s. Lower is better.", c.Workload),
		caption:  "Everything that the structure holds after it was filled, over the number of timers in it. Room reserved for growth counts: it depends on where N falls between two doublings.",
		height:   max(rowsHeight(len(rows)), 180),
	}
	top := 0.0
	for _, who := range rows {
		row, _ := rowOf(c, who.name)
		top = max(top, row.BytesPerTimer)
	}
	p := newPanel("N = " + short(float64(c.N)))
	p.X.Min, p.X.Max = 0, top*1.15
	p.X.Label.Text = "bytes per resident timer"
	rowsAxis(p, names(rows), true)
	for i, who := range rows {
		row, _ := rowOf(c, who.name)
		p.Add(bar{at: rowAt(i, len(rows)), label: trim3(row.BytesPerTimer) + " B",
			parts: []part{{row.BytesPerTimer, v.looks[who.name].color}}})
	}
	f.panels = [][]*plot.Plot{{p}}

	if q := v.memoryBySize(c.Workload, rows); q != nil {
		f.panels[0] = append(f.panels[0], q)
		f.legend = v.keys(rows, true)
	}
	return f
}

// memoryBySize is nil where only one size was measured.
func (v *view) memoryBySize(workload string, rows []contender) *plot.Plot {
	sizes, bytes := newSpan(), newSpan()
	var ns []int
	curves := make(map[string][]mark)
	for _, c := range v.cells(workload) {
		ns = append(ns, c.N)
		for _, row := range c.Rows {
			if row.BytesPerTimer > 0 && c.N > 0 {
				curves[row.Structure] = append(curves[row.Structure], mark{x: float64(c.N), y: row.BytesPerTimer})
			}
		}
	}
	for _, who := range rows {
		for _, m := range curves[who.name] {
			sizes.add(m.x)
			bytes.add(m.y)
		}
	}
	if sizes.empty() || sizes.min == sizes.max {
		return nil
	}
	p := newPanel("by number of resident timers")
	logAxis(&p.X, sizes.around(1.25, 1.25), sizeTicks(ns))
	logAxis(&p.Y, bytes.around(1.2, 1.2), logTicks{func(b float64) string { return short(b) + " B" }, 9})
	p.X.Label.Text = "resident timers (N)"
	for _, who := range rows {
		p.Add(series{look: v.looks[who.name], radius: 2.7, marks: curves[who.name]})
	}
	return p
}
