package doctest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	kept "github.com/timerbench/timerbench/docs/results"
)

// partsTable returns the table of the parts of the time of a run, by size of the cells; "": the run is of
// an earlier version, which did not keep them.
func partsTable(r *results.Run) string {
	const many = 300_000
	var sums [2]map[string]float64
	var seconds [2]float64
	for i := range sums {
		sums[i] = make(map[string]float64)
	}
	for _, c := range r.Cells {
		of := 0
		if c.N >= many {
			of = 1
		}
		for part, s := range c.Parts {
			sums[of][part] += s
			seconds[of] += s
		}
	}
	if seconds[0] == 0 || seconds[1] == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The cells of the kept run on %s took %.0f s:\n\n| part | few timers | 300,000 and more |\n|---|---:|---:|\n",
		r.Environment.CPU, seconds[0]+seconds[1])
	parts := slices.SortedFunc(maps.Keys(sums[0]), func(a, b string) int {
		return cmp.Compare(sums[0][b]+sums[1][b], sums[0][a]+sums[1][a])
	})
	for _, part := range parts {
		fmt.Fprintf(&b, "| %s | %.0f %% | %.0f %% |\n", part, 100*sums[0][part]/seconds[0], 100*sums[1][part]/seconds[1])
	}
	return b.String()
}

func TestREADMEOfMeasuringSaysWhereTheTimeGoes(t *testing.T) {
	last, err := kept.Last()
	if err != nil {
		t.Fatal(err)
	}
	Generated(t, *update, "docs/measuring.md", "<!-- parts: written by go test ./internal/doctest -run README -update -->\n", "<!-- end of parts -->\n", partsTable(last))
}
