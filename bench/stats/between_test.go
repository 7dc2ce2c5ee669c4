package stats_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/doctest"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/show"
)

var (
	update   = flag.Bool("update", false, "write between.json from -runs")
	repeated = flag.String("runs", "", "results `files`: pairs of runs of one build on one machine, separated by commas")
)

// sizes are the numbers of timers from which on cells have a spread of their own.
var sizes = []int{0, 3_000, 30_000, 300_000}

func TestBetween(t *testing.T) {
	if *update && *repeated != "" {
		paths := strings.Split(*repeated, ",")
		var pairs [][2]*results.Run
		for i := range len(paths) / 2 {
			var pair [2]*results.Run
			for j := range pair {
				r, err := store.ReadFile(paths[2*i+j])
				fail.If(t, err)
				pair[j] = r
			}
			if a, b := pair[0].Environment, pair[1].Environment; a.Revision != b.Revision || a.CPU != b.CPU {
				t.Fatalf("%s and %s: want runs of one build on one machine", paths[2*i], paths[2*i+1])
			}
			pairs = append(pairs, pair)
		}
		data, _ := json.MarshalIndent(spreadsOf(pairs, sizes), "", "\t")
		fail.If(t, os.WriteFile("between.json", append(data, '\n'), 0o644))
		return
	}
	table := "| timers, from | rows | cost | ratio to the fastest | without the loop |\n|---:|---:|---:|---:|---:|\n"
	for i, s := range stats.Spreads {
		percent := func(log float64) string { return show.Percent(math.Round(100*math.Expm1(log)) / 100) }
		table += fmt.Sprintf("| %s | %d | %s | %s | %s |\n", show.Grouped(s.N), s.Rows, percent(s.Cost), percent(s.Ratio), percent(s.Net))
		if !slices.Contains(sizes, s.N) || i > 0 && s.N <= stats.Spreads[i-1].N || s.Rows < 10 || !(s.Ratio > 0.01 && s.Ratio < 0.7 && s.Net > 0.01 && s.Cost > 0) || stats.SpreadOf(s.N) != s {
			t.Errorf("%+v", s)
		}
	}
	doctest.Generated(t, *update, "../../docs/measuring.md", "<!-- between: written by make docs -->\n", "<!-- end of between -->\n", table)
	if len(stats.Spreads) == 0 {
		t.Error("no spreads")
	}
}

// A pair of runs that differ by up to 20 % in nine of ten rows has that spread, whatever their common change.
func TestSpreadsOf(t *testing.T) {
	t.Parallel()
	run := func(factor float64, slower int) *results.Run {
		c := results.Cell{Workload: "w", N: 1000, Rows: []results.Row{row("s0", results.RoleStructure, 100, 100, 100, 100, 100, 100)}}
		for i := range 20 {
			ns := 200.0
			if i < slower {
				ns *= 1.2
			}
			c.Rows = append(c.Rows, row("s"+string(rune('a'+i)), results.RoleStructure, ns, ns, ns, ns, ns, ns))
		}
		for i := range c.Rows {
			for j := range c.Rows[i].Cost {
				c.Rows[i].Cost[j].NS *= factor
			}
		}
		return &results.Run{Cells: []results.Cell{c}}
	}
	for slower, want := range map[int]float64{0: 0, 1: 0, 10: 0.183} {
		got := spreadsOf([][2]*results.Run{{run(1, 0), run(1.5, slower)}}, []int{0, 10_000})
		if got[0].Ratio != want || got[0].Rows != 21 || len(got) != 1 {
			t.Errorf("%d of 20 are slower: %+v, want %v", slower, got, want)
		}
	}
}

// held is the share of the rows whose interval holds the value of the next run.
const held = 0.9

// spreadsOf learns spreads from pairs of runs, each of one build on one machine, for cells of at least each of the sizes. It
// compares all structures with rounds enough for an interval. It leaves out a size without any.
func spreadsOf(pairs [][2]*results.Run, sizes []int) []stats.Spread {
	var out []stats.Spread
	for i, n := range sizes {
		var costs, ratios, nets []float64
		add := func(to *[]float64, a, b stats.Estimate) {
			if a.OK() && b.OK() && !a.Few && !b.Few {
				*to = append(*to, math.Abs(math.Log(a.Center/b.Center)))
			}
		}
		for _, pair := range pairs {
			for j := range pair[0].Cells {
				first := &pair[0].Cells[j]
				second := pair[1].Cell(first.Workload, first.N)
				if second == nil || second.Definition != first.Definition || first.N < n || i+1 < len(sizes) && first.N >= sizes[i+1] {
					continue
				}
				a, b := stats.CostsOf(pair[0], first), stats.CostsOf(pair[1], second)
				lead := a.Fastest()
				for _, row := range a.Exact {
					again, leadAgain := b.Row(row.Structure), b.Row(lead.Structure)
					add(&costs, a.Cost(row), b.Cost(again))
					if row != lead {
						add(&ratios, a.Ratio(row, lead), b.Ratio(again, leadAgain))
						add(&nets, a.Net(row, lead), b.Net(again, leadAgain))
					}
				}
			}
		}
		if len(costs) > 0 {
			out = append(out, stats.Spread{N: n, Rows: len(costs), Cost: quantile(costs), Ratio: quantile(ratios), Net: quantile(nets)})
		}
	}
	return out
}

// quantile returns the least value that the share held of the values do not exceed, with three decimals; 0 without values.
func quantile(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return math.Ceil(1000*values[min(len(values)-1, int(held*float64(len(values))))]) / 1000
}
