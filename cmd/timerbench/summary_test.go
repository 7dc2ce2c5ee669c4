package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

// timed makes a row whose trials all take so long.
func timed(name string, ns float64) results.Row {
	row := results.Row{Structure: name, Role: results.RoleStructure}
	for i := range 6 {
		row.Cost = append(row.Cost, results.Trial{Round: i, NS: ns * (0.98 + 0.01*float64(i)), Units: 1})
	}
	return row
}

func TestTheSummarySaysWhoWon(t *testing.T) {
	t.Parallel()
	r := &results.Run{Cells: []results.Cell{
		{Workload: "hold", N: 1_000_000, Rows: []results.Row{timed("rbtree", 500), timed("hwheel", 50), timed("wheel", 62), timed("null", 1)}},
		{Workload: "idle", N: 1000, Unit: script.PerTick, Rows: []results.Row{
			timed("wheel", 5), timed("hwheel", 5), timed("rbtree", 5), timed("list", 5), timed("skiplist", 5)}},
		{Workload: "lonely", N: 10, Rows: []results.Row{timed("hwheel", 120)}},
	}}
	r.Cells[0].Rows[3].Role = results.RoleFloor
	noisy := timed("skiplist", 54)
	for i := range noisy.Cost {
		noisy.Cost[i].NS *= 0.8 + 0.2*float64(i%3)
	}
	r.Cells[0].Rows = append(r.Cells[0].Rows, noisy)
	var out strings.Builder
	summarize(&out, r)
	for _, want := range []string{
		"hold      1000000  50.2  22 %  lifecycle  hwheel                    1        wheel 1.24x ±0%  rbtree 10.0x",
		"tick       wheel, hwheel and 3 more",
		"lonely         10   121",
		"of 3 cells: hwheel 3, list 1, rbtree 1.",
	} {
		if !strings.Contains(plain(out.String()), want) {
			t.Errorf("the summary does not say %q:\n%s", want, out.String())
		}
	}
	for line := range strings.Lines(out.String()) {
		if utf8.RuneCountInString(line) > 120 {
			t.Errorf("%d columns: %s", utf8.RuneCountInString(line), line)
		}
	}
	out.Reset()
	summarize(&out, &results.Run{})
	if out.Len() > 0 {
		t.Errorf("of nothing it says %q", out.String())
	}
}

func TestTheSummaryNamesTheLongestCalls(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	summarize(&out, &results.Run{Calls: []results.Calls{{
		Workload: "avalanche-tick", N: 100_000, Structure: "hwheel",
		Longest: []results.LongestCall{{Operation: results.Schedule, NS: 5_000}, {Operation: results.Pop, NS: 1_647_000, At: 1_114_112}},
	}}})
	if want := "avalanche-tick  hwheel     100000              1647  Pop        1114112"; !strings.Contains(plain(out.String()), want) {
		t.Errorf("the summary does not say %q:\n%s", want, out.String())
	}
}

func TestTheSummaryOfALeanRunHasATableForEachSize(t *testing.T) {
	t.Parallel()
	filled := timed("hwheel", 40)
	filled.BytesPerTimer, filled.CollectNS = 32, 2e6
	r := &results.Run{
		Parameters: results.Parameters{Lean: true, N: []int{300, 400}},
		Cells: []results.Cell{
			{Workload: "hold", N: 300, Rows: []results.Row{timed("null", 3), filled}},
			{Workload: "churn", N: 300, Rows: []results.Row{timed("null", 4), timed("stub", 7), timed("hwheel", 50)}},
			{Workload: "hold", N: 400, Rows: []results.Row{timed("hwheel", 60)}},
		},
		MemoryFloors: []results.MemoryFloor{{N: 400, TouchNS: 2.5, ChaseNS: 90}},
	}
	var out strings.Builder
	summarize(&out, r)
	for _, want := range []string{
		"300 timers: ", "STRUCTURE  HOLD  CHURN  BYTES  GC, MS", "null        3.0    4.0", "stub          –    7.0", "hwheel     40.2   50.2   32.0     2.0",
		"400 timers: ", "takes 2.5 ns where nothing waits for it, and 90 ns",
	} {
		if !strings.Contains(plain(out.String()), want) {
			t.Errorf("the summary does not say %q:\n%s", want, out.String())
		}
	}
}

// What does not fit at all is refused before anything is measured.
func TestALeanRunKeepsToTheMemory(t *testing.T) {
	code, stdout, stderr := run("run", "--lean", "-s", "^hwheel$", "-w", "^start-stop$", "--n", "1000,1e8", "--memory", "1", "--out", t.TempDir())
	if code != 1 || stdout != "" || !strings.Contains(stderr, "start-stop, n 100000000 needs about ") || !strings.Contains(stderr, " of memory, of which 1.0 GB are available: ") {
		t.Errorf("exit %d: %q, %q", code, stdout, stderr)
	}
}
