package section

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

var six = []string{"minheap", "quadheap", "wheel", "hwheel", "rbtree", "skiplist"}

// viewOf returns the view of results with six structures, and with the named ones of the catalog.
func viewOf(t *testing.T, r *results.Run, names ...string) *View {
	t.Helper()
	var entries []entry.Entry
	for _, name := range six {
		if !slices.Contains(names, name) {
			entries = append(entries, entry.Entry{Name: name})
		}
	}
	for _, name := range names {
		e, _ := catalog.Find(name)
		entries = append(entries, e)
	}
	return NewView(answer.With(r, answer.Knowledge{Entries: entries, Workload: func(string) (w workload.Workload, ok bool) {
		return w, false
	}}))
}

func trials(ns ...float64) []results.Trial {
	var out []results.Trial
	for i, v := range ns {
		out = append(out, results.Trial{Round: i, NS: v * 10, Units: 10})
	}
	return out
}

// timed returns a cell with the given costs in nanoseconds, with little noise.
func timed(workload string, n int, costs map[string]float64) results.Cell {
	c := results.Cell{Workload: workload, N: n, Unit: "lifecycle"}
	for _, name := range slices.Sorted(maps.Keys(costs)) {
		ns := costs[name]
		row := results.Row{Structure: name, Role: results.RoleStructure, Cost: trials(ns, 1.001*ns, ns, 1.001*ns, ns, 1.002*ns)}
		for i := range row.Cost {
			row.Cost[i].Instance = i / 2
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

// The map and the table speak of the same cells.
func TestTheOverviewIsAtTheSizesOfTheTable(t *testing.T) {
	t.Parallel()
	many := map[string]float64{"minheap": 10, "quadheap": 11, "wheel": 40, "hwheel": 20, "rbtree": 30, "skiplist": 40}
	few := map[string]float64{"wheel": 4, "hwheel": 6}
	v := viewOf(t, &results.Run{Cells: []results.Cell{
		timed("churn", 100_000, many), timed("churn", 1_000_000, few), timed("hold", 1_000_000, many),
	}})
	table := v.answerTable().Markdown()
	var columns string
	for _, l := range v.overviewTable(v.AnswerCells()).Columns {
		columns += l.Name + "; "
	}
	if !strings.Contains(table, "| churn | 100k | minheap |") || columns != "typical; worst; churn  100k; hold  1M; " {
		t.Errorf("columns %s of the overview, and the table\n%s", columns, table)
	}
	if svg := string(v.overviewChart().SVG()); !strings.Contains(svg, ` data-cell="churn 100k">churn  100k<`) {
		t.Error("a column does not say which cell it is")
	}
}

func TestAnswersNameThreeAtMost(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: show.Unknown, 1: "0", 3: "0, 1 and 2", 4: "0, 1, 2 and 1 more", 12: "0, 1, 2 and 9 more"} {
		var names []string
		for i := range n {
			names = append(names, strconv.Itoa(i))
		}
		if got := someOf(names); got != want {
			t.Errorf("%v: %q, want %q", names, got, want)
		}
	}
}

// One block for each workload, with N as columns, the smallest first.
func TestOneBlockOfFiguresForEachWorkload(t *testing.T) {
	t.Parallel()
	v := viewOf(t, &results.Run{Parameters: results.Parameters{N: []int{1000, 10, 100}}, Cells: []results.Cell{
		timed("hold", 1000, map[string]float64{"minheap": 10, "wheel": 20}),
		timed("hold", 10, map[string]float64{"minheap": 12, "wheel": 6}),
	}})
	s := inNumbers(v)
	if len(s.Tables) != 1 || s.Tables[0].Title != "hold: time per lifecycle" {
		t.Fatalf("%+v", s.Tables)
	}
	for _, want := range []string{"| Structure | N = 10 | × | N = 1k | × |", "| 2.0 | 10 (", "| **1.00** |"} {
		if !strings.Contains(s.Tables[0].Body.Markdown(), want) {
			t.Errorf("no %q in\n%s", want, s.Tables[0].Body.Markdown())
		}
	}
	if !strings.Contains(v.originTable().Markdown(), "| 10, 100, 1k |") {
		t.Error("N is not sorted")
	}
}
