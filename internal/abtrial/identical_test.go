package main

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// runOf returns a run in which a structure costs so many ns, in three instances that
// differ by 1 %.
func runOf(ns float64, n int) *results.Run {
	row := results.Row{Structure: "s", Role: results.RoleStructure}
	for i := range 3 {
		row.Cost = append(row.Cost, results.Trial{Instance: i, Round: i, NS: ns * (1 + 0.01*float64(i)), Units: 1})
	}
	return &results.Run{Cells: []results.Cell{{Workload: "w", N: n, Rows: []results.Row{row}}}}
}

func TestIntervalsThatAreDisjointAreCounted(t *testing.T) {
	for _, c := range []struct {
		name string
		ns   []float64
		n    int
		want string // in the output
		err  string // empty: none
	}{
		{"alike", []float64{100, 101, 102, 100}, 1000, "Of 6 pairs of intervals 0 are disjoint (0.0 %)", ""},
		{"one apart", []float64{100, 101, 102, 150}, 1000, "Of 6 pairs of intervals 3 are disjoint (50.0 %)", "3 of 6 pairs"},
		{"among many timers more may differ", []float64{100, 101, 102, 120}, 1_000_000, "0 are disjoint (0.0 %); without what differs between runs 3 (50.0 %)", ""},
		{"none", []float64{math.Inf(1), math.Inf(1)}, 1000, "Of 0 pairs", "want some pairs"},
	} {
		var runs []*results.Run
		for _, ns := range c.ns {
			runs = append(runs, runOf(ns, c.n))
		}
		var out bytes.Buffer
		err := (&trial{out: &out}).judgeIntervals(runs)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: %v, want %q; want %q in:\n%s", c.name, err, c.err, c.want, out.String())
		}
	}
}

// Sessions draw their layouts anew, each program at most once.
func TestLayoutsAreDrawnAnew(t *testing.T) {
	all := []string{"a", "b", "c", "d", "e", "f"}
	orders := make(map[string]bool)
	for seed := range 20 {
		drawn := shuffled(all, seed, 0)
		for _, p := range all {
			if strings.Count(strings.Join(drawn, ""), p) != 1 {
				t.Errorf("seed %d: %q", seed, drawn)
			}
		}
		orders[strings.Join(drawn, "")] = true
	}
	if first, again := shuffled(all, 1, 0), shuffled(all, 1, 0); len(orders) < 15 || !slices.Equal(first, again) {
		t.Errorf("%d orders of 20 seeds", len(orders))
	}
}
