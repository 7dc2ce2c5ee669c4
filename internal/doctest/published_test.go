package doctest

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

const publishedPage = "docs/published.md"

// cost is the cost of a structure in a cell.
type cost struct {
	structure, workload string
	n                   int
}

func (c cost) samples(r *results.Run) []stats.Sample {
	if cell := r.Cell(c.workload, c.n); cell != nil {
		if row := cell.Row(c.structure); row != nil {
			return stats.Samples(row.Cost)
		}
	}
	return nil
}

// ratio returns the ratio of two costs in a run: by rounds within a cell, otherwise that of the medians; 0: not measured.
func ratio(r *results.Run, a, b cost) float64 {
	x, y := a.samples(r), b.samples(r)
	if a.workload == b.workload && a.n == b.n {
		paired, _ := stats.Paired(x, y, stats.Options{})
		if paired.Pairs == 0 {
			return 0
		}
		return paired.Center
	}
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	median := func(samples []stats.Sample) float64 {
		values := make([]float64, len(samples))
		for i, s := range samples {
			values[i] = s.Value
		}
		return stats.Median(values)
	}
	return median(x) / median(y)
}

// The page about published claims shows the ratios of all kept runs.
func TestPublishedRatiosAreThoseOfTheKeptRuns(t *testing.T) {
	paths, err := filepath.Glob("docs/results/*.json.gz")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d kept runs, %v", len(paths), err)
	}
	var kept []*results.Run
	for _, path := range paths {
		r, _, err := results.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, r)
	}
	table := "| costs | workload | by number of timers: lowest to highest ratio of all kept runs with the cell |\n|---|---|---|\n"
	for _, c := range []struct {
		a, b, workload string
		sizes          []int
		growsFrom      int // compare with the cost among this many timers
	}{
		{"quadheap", "minheap", "churn", []int{1000, 1_000_000}, 0},
		{"quadheap", "minheap", "start-stop", []int{1000, 1_000_000}, 0},
		{"quadheap", "minheap", "hold", []int{10_000, 100_000, 1_000_000}, 0},
		{"minheap", "minheap", "hold", []int{100_000, 1_000_000}, 1000},
		{"radixheap", "radixheap", "hold", []int{100_000, 1_000_000}, 1000},
		{"ebtree", "rbtree", "conn-deadline", []int{10_000, 100_000, 1_000_000}, 0},
		{"ebtree", "rbtree", "tcp", []int{100_000}, 0},
		{"ebtree", "rbtree", "hold", []int{1000, 100_000}, 0},
		{"lawn", "hwheel", "grid-constant-0", []int{1000, 10_000, 100_000}, 0},
		{"lawn", "hwheel", "hold", []int{1000, 10_000, 100_000}, 0},
		{"ffsqueue", "minheap", "pacing", []int{20_000}, 0},
		{"ffsqueue", "minheap", "hold", []int{1000, 10_000, 100_000}, 0},
	} {
		var cells []string
		for _, n := range c.sizes {
			lo, hi, of := math.Inf(1), 0.0, 0
			from := n
			if c.growsFrom > 0 {
				from = c.growsFrom
			}
			for _, r := range kept {
				if x := ratio(r, cost{c.a, c.workload, n}, cost{c.b, c.workload, from}); x > 0 {
					lo, hi, of = min(lo, x), max(hi, x), of+1
				}
			}
			if of > 0 {
				cells = append(cells, fmt.Sprintf("%s: %.2f to %.2f (%s)", show.Grouped(n), lo, hi, show.Count(of, "run")))
			}
		}
		if cells == nil {
			t.Errorf("no kept run has %s and %s in %s", c.a, c.b, c.workload)
		}
		costs := fmt.Sprintf("`%s` / `%s`", c.a, c.b)
		if c.growsFrom > 0 {
			costs = fmt.Sprintf("`%s` / itself among %s", c.a, show.Grouped(c.growsFrom))
		}
		table += fmt.Sprintf("| %s | %s | %s |\n", costs, c.workload, strings.Join(cells, "; "))
	}
	generated(t, publishedPage, "<!-- ratios: written by go test ./internal/doctest -run Published -update -->\n", "<!-- end of ratios -->\n", table)
}
