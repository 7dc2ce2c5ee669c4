package section

import (
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/internal/analysis"
)

// disturb makes trials of a structure take so long.
func disturb(c results.Cell, name string, ns float64, rounds ...int) results.Cell {
	for _, row := range c.Rows {
		if row.Structure == name {
			for _, i := range rounds {
				row.Cost[i].NS = 10 * ns // the trials are those of the cell
			}
		}
	}
	return c
}

func comparedWithList(cells []results.Cell, name string) []sizeVerdict {
	return againstList(analysis.Of(&results.Run{Cells: cells}).Cells, name)
}

func TestBreakEvenSaysWhatWasMeasured(t *testing.T) {
	t.Parallel()
	cells := []results.Cell{
		timed("hold", 10, map[string]float64{"list": 10, "heap": 20, "wheel": 9, "tree": 40, "late": 20, "alone": 5, "same": 10}),
		timed("hold", 100, map[string]float64{"list": 20, "heap": 10, "wheel": 9, "tree": 50, "late": 19, "same": 21}),
		disturb(timed("hold", 1000, map[string]float64{"list": 40, "heap": 12, "wheel": 9, "tree": 60, "late": 30}), "late", 41, 3, 4, 5),
		timed("hold", 10_000, map[string]float64{"list": 60, "heap": 12, "wheel": 9, "tree": 70, "late": 30}),
		timed("hold", 100_000, map[string]float64{"heap": 30}), // too many for the list
	}
	for name, want := range map[string]string{
		"heap":   "from 100 on (slower at 10)",
		"wheel":  "every size",
		"tree":   "not up to 10k", // and no word of what lies beyond
		"late":   "from 10k on (slower at 10; faster at 100; unclear at 1k)",
		"alone":  "", // one size is no curve
		"same":   "not up to 100",
		"absent": "",
	} {
		if got := fasterFrom(comparedWithList(cells, name)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// The list and the structure are compared within each round: what disturbs both
// hides nothing.
func TestBreakEvenIsPaired(t *testing.T) {
	t.Parallel()
	cells := []results.Cell{
		timed("hold", 10, map[string]float64{"list": 20, "heap": 19}), timed("hold", 100, map[string]float64{"list": 20, "heap": 19}),
	}
	for _, c := range cells {
		for _, row := range c.Rows {
			for i := range row.Cost {
				row.Cost[i].NS *= float64(1 + i)
			}
		}
	}
	if got := fasterFrom(comparedWithList(cells, "heap")); got != "every size" {
		t.Errorf("%q, want every size", got)
	}
	few := []results.Cell{timed("hold", 10, map[string]float64{"list": 20, "heap": 1}), timed("hold", 100, map[string]float64{"list": 20, "heap": 1})}
	for i := range few {
		for j := range few[i].Rows {
			few[i].Rows[j].Cost = few[i].Rows[j].Cost[:1]
		}
	}
	if got := fasterFrom(comparedWithList(few, "heap")); got != "unclear at every size" {
		t.Errorf("%q from one trial, which has no interval", got)
	}
}
