package section

import (
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// gridded is a cell of the grid.
func gridded(delays string, percent, n int, costs map[string]float64) results.Cell {
	c := timed("grid-"+delays, n, costs)
	c.Category, c.Grid = "grid", &results.Grid{Delays: delays, CancelPercent: percent}
	return c
}

func TestWinners(t *testing.T) {
	t.Parallel()
	r := &results.Run{Cells: []results.Cell{
		gridded("uniform", 0, 10_000, map[string]float64{"minheap": 10, "wheel": 13}),
		gridded("uniform", 90, 100, map[string]float64{"minheap": 10, "wheel": 10, "rbtree": 20}),
		gridded("uniform", 0, 100, map[string]float64{"wheel": 10}),
		timed("hold", 100, map[string]float64{"minheap": 10}),
	}}
	for i, row := range r.Cells[1].Rows {
		if row.Structure == "wheel" {
			r.Cells[1].Rows[i].Cost = trials(9.9, 10.2, 10, 10.1, 9.9, 10.2)
		}
	}
	v := viewOf(t, r)
	m := v.newWinnerMap()
	if !slices.Equal(m.delays, []string{"uniform"}) || !slices.Equal(m.shares, []int{0, 90}) || !slices.Equal(m.sizes, []int{100, 10_000}) {
		t.Errorf("%+v", m)
	}
	f := m.fields(v, "uniform").Fields
	if len(f) != 3 {
		t.Fatalf("%d fields", len(f))
	}
	if one := f[2]; one.Row != 1 || one.Column != 0 || one.Owner.Name != "minheap" || one.Owner.Cell != "grid-uniform 10k" || one.White != sure[0].white || one.Lines[0][0] != "next: wheel 1.30 ×" {
		t.Errorf("a clear winner: %+v", one)
	}
	if tie := f[0]; tie.Row != 0 || tie.Column != 1 || tie.White != sure[1].white || len(tie.Lines) != 1 || tie.Lines[0][0] != "or wheel" {
		t.Errorf("a tie: %+v", tie)
	}
	if alone := f[1]; alone.Owner.Name != "wheel" || len(alone.Lines) != 0 {
		t.Errorf("nobody else: %+v", alone)
	}
}

// A coarse structure is not on the map, whether it is the fastest or not.
func TestWinnersAmongExactStructures(t *testing.T) {
	t.Parallel()
	for _, ns := range []float64{5, 50} {
		cell := gridded("uniform", 0, 100, map[string]float64{"minheap": 10, "wheel": 12, "wheel-fixed": ns})
		v := viewOf(t, &results.Run{Cells: []results.Cell{cell}}, "wheel-fixed")
		f := v.winnersChart()
		if svg := string(f.SVG()); len(f.Panels) != 1 || !strings.Contains(svg, ">minheap<") || strings.Contains(svg, ">wheel-fixed<") {
			t.Errorf("wheel-fixed takes %v ns: %d maps: %s", ns, len(f.Panels), svg)
		}
	}
}
