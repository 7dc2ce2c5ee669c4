package section

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

func TestIdleCountsAddUpOverShapes(t *testing.T) {
	t.Parallel()
	count := func(delays string, n int, driver results.Driver, name string, moved uint64) results.Idle {
		return results.Idle{Workload: "idle", Distribution: delays, N: n, Driver: driver, Structure: name, Wakeups: 100, Fired: 10, Moved: moved, Empty: 1}
	}
	r := &results.Run{Idle: []results.Idle{
		count("uniform", 10, results.Tickless, "wheel", 70), // not at the largest size
		count("uniform", 1000, results.Tickless, "wheel", 7), count("pareto", 1000, results.Tickless, "wheel", 5),
		count("uniform", 1000, results.Tickless, "minheap", 0), count("pareto", 1000, results.Tickless, "minheap", 0),
		count("uniform", 1000, results.Tickless, "rbtree", 3), // no other shape
	}}
	v := viewOf(t, r)
	sums := v.idleSums(results.Tickless, v.Contenders) // without rbtree, of fewer shapes than the others
	if w := sums[len(sums)-1]; len(sums) != 2 || w.Structure != "wheel" || w.Moved != 12 || w.Empty != 2 || w.Wakeups != 200 || w.Total() != 14 {
		t.Errorf("%+v", sums)
	}
	section := idle(v)
	if len(section.Charts) != 1 || len(section.Tables) != 1 || !strings.Contains(section.Tables[0].Title, "delays uniform and pareto") {
		t.Errorf("%d charts, %d tables: %+v", len(section.Charts), len(section.Tables), section.Tables)
	}
	if want := "Under a tickless driver, 2 of 2 structures have idle wake-ups: wheel in 7 % and minheap in 1 % of their wake-ups. "; !strings.HasPrefix(section.Lead.String(), want) {
		t.Errorf("the section says %q, want %q", section.Lead.String(), want)
	}
	if !strings.Contains(section.Tables[0].Body.Markdown(), "| wheel | tickless | 0 | 200 | 20 | 14 | 2 | 12 |") {
		t.Errorf("the table does not show the sums:\n%s", section.Tables[0].Body.Markdown())
	}
}

func TestMemoryIsAtTheLargestSizeOfNearlyAll(t *testing.T) {
	t.Parallel()
	var r results.Run
	for _, m := range []struct {
		n     int
		names []string
	}{{10_000, six}, {1_000_000, six[:5]}, {10_000_000, six[:2]}} {
		for i, name := range m.names {
			r.Memory = append(r.Memory, results.Memory{Structure: name, N: m.n, Bytes: 50 - float64(i), AgedBytes: 60 - float64(i)})
		}
	}
	list := viewOf(t, &r).footprints()
	if len(list) != 5 || list[0].N != 1_000_000 || list[0].Structure != six[4] {
		t.Errorf("%+v", list)
	}
}

// The table of the lateness holds the coarse structures alone.
func TestLateness(t *testing.T) {
	t.Parallel()
	r := &results.Run{Cells: []results.Cell{timed("hold", 100, map[string]float64{"minheap": 10, "wheel": 20, "rbtree": 30, "quadheap": 40, "skiplist": 50})}}
	r.Idle = []results.Idle{
		{Structure: "minheap", Distribution: "uniform", N: 100, Driver: results.Ticking},
		{Workload: "idle", Distribution: "uniform", N: 100, Structure: "wheel", Driver: results.Ticking, Fired: 12,
			Lateness: &results.Lateness{Mean: 3.5, P99: 7, Max: 7, MeanShare: 0.02, P99Share: 0.05, MaxShare: 0.1}},
	}
	v := viewOf(t, r)
	if table := v.latenessTable().Markdown(); !strings.Contains(table, "| wheel | uniform | 100 | 12 | 3.5 | 7 | 7 | 2 % | 5 % | 10 % |") || strings.Contains(table, "minheap") {
		t.Errorf("the table says\n%s", table)
	}
	r.Idle = r.Idle[:1]
	if v := viewOf(t, r); len(lateness(v).Tables[0].Body) > 0 {
		t.Error("a section without a coarse structure")
	}
}
