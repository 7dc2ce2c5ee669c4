package report

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// memory says what a timer takes of it.
func memory(v *view) section {
	return section{
		title:  "How much memory does a timer take?",
		absent: "memory",
		charts: []*draw.Figure{v.memoryChart()},
		tables: []table{{title: "Memory and allocations at the largest N of each workload", body: v.memoryTable()}},
	}
}

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
func (v *view) memoryChart() *draw.Figure {
	c, ok := v.memoryCell()
	if !ok {
		return nil
	}
	rows := v.memoryRows(c)
	if len(rows) == 0 {
		return nil
	}
	p := draw.NewPanel("N = " + short(float64(c.N)))
	p.Rows(v.looksOf(rows))
	top := 0.0
	for i, who := range rows {
		row, _ := rowOf(c, who.name)
		top = max(top, row.BytesPerTimer)
		p.Add(draw.Bar{Look: v.looks[who.name], At: draw.RowAt(i, len(rows)), Label: trim3(row.BytesPerTimer) + " B",
			Parts: []draw.Part{{Length: row.BytesPerTimer, Color: v.looks[who.name].Color}}})
	}
	p.LinearX("bytes per resident timer", top*1.15, nil)
	f := &draw.Figure{
		Name:     "memory",
		Subtitle: fmt.Sprintf("Heap in use per resident timer, workload %s. Lower is better.", c.Workload),
		Caption:  "Everything that the structure holds after it was filled, over the number of timers in it. Room reserved for growth counts: it depends on where N falls between two doublings.",
		Height:   max(draw.RowsHeight(len(rows)), 180),
		Panels:   [][]*draw.Panel{{p}},
	}
	if q := v.memoryBySize(c.Workload, rows); q != nil {
		f.Panels[0] = append(f.Panels[0], q)
		f.Legend = v.keys(rows, true)
	}
	return f
}

// memoryBySize is nil where only one size was measured.
func (v *view) memoryBySize(workload string, rows []contender) *draw.Panel {
	cells := v.cells(workload)
	var sizes, bytes draw.Span
	var curves []draw.Series
	for _, who := range rows {
		curve := draw.Series{Look: v.looks[who.name], Radius: 2.7}
		for _, c := range cells {
			if row, _ := rowOf(c, who.name); row.BytesPerTimer > 0 && c.N > 0 {
				curve.Marks = append(curve.Marks, draw.Mark{X: float64(c.N), Y: row.BytesPerTimer})
				sizes.Add(float64(c.N))
				bytes.Add(row.BytesPerTimer)
			}
		}
		curves = append(curves, curve)
	}
	if sizes.Point() {
		return nil
	}
	p := draw.NewPanel("by number of resident timers")
	p.LogX("resident timers (N)", sizes.Around(1.25, 1.25), draw.TicksAt(sizesOf(cells), short))
	p.LogY("", bytes.Around(1.2, 1.2), draw.LogTicks{Label: func(b float64) string { return short(b) + " B" }, Most: 9})
	for _, c := range curves {
		p.Add(c)
	}
	return p
}

// memoryTable shows footprint and allocations at the largest N of each workload.
func (v *view) memoryTable() string {
	var rows [][]string
	for _, w := range v.workloads() {
		c, ok := v.largest(w)
		if !ok {
			continue
		}
		for _, who := range v.rows {
			row, ok := rowOf(c, who.name)
			objects, allocated, timed := allocations(row)
			if !ok || (!timed && row.BytesPerTimer <= 0) {
				continue
			}
			footprint, collect, perObjects, perBytes := "not measured", "–", "–", "–"
			if row.BytesPerTimer > 0 {
				footprint, collect = digits3(row.BytesPerTimer), digits3(row.CollectNS/1e6)
			}
			if timed {
				perObjects, perBytes = digits3(objects), digits3(allocated)
			}
			rows = append(rows, []string{literal(w), short(float64(c.N)), v.label(who, false), footprint, collect, perObjects, perBytes})
		}
	}
	return markdownTable("lrlr", []string{"Workload", "N", "Structure", "Bytes per resident timer", "ms it adds to a full garbage collection", "Allocations per unit of work", "Bytes allocated per unit of work"}, rows)
}
