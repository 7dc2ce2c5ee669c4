package section

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

func TestCurvesEndWhereTheSystemDecides(t *testing.T) {
	t.Parallel()
	quantiles := func(ns ...float64) results.Latency {
		l := results.Latency{Kind: script.KindFire, Samples: 1_000_000}
		for i, q := range []float64{0.5, 0.9, 0.99, 0.999, 0.9999, 1} {
			l.Quantiles = append(l.Quantiles, results.Quantile{Q: q, NS: ns[i]})
		}
		return l
	}
	floor := curve(quantiles(30, 30, 31, 40, 5000, 80_000))
	if len(floor) != 4 || floor[3].X != 1000 || floor[3].Y != 40 {
		t.Errorf("the floor: %+v", floor)
	}
	got := above(curve(quantiles(30, 29, 300, 400, 1000, 2000)), floor)
	if len(got) != 2 || got[0].X != 100 || got[0].Y != 300 || got[1].X != 1000 {
		t.Errorf("above the floor: %+v", got)
	}
	row := func(name string, role results.Role, l results.Latency) results.Row {
		return results.Row{Structure: name, Role: role, Latency: []results.Latency{l}}
	}
	c := results.Cell{Workload: "hold", N: 100, Rows: []results.Row{
		row("wheel", results.RoleStructure, quantiles(40, 50, 60, 70, 80, 90)),
		row("minheap", results.RoleStructure, quantiles(30, 30, 31, 40, 80, 90)),
		row("null", results.RoleFloor, quantiles(30, 30, 31, 40, 5000, 80_000)),
	}}
	v := viewOf(t, &results.Run{Cells: []results.Cell{c}})
	svg := string(v.curveChart(v.Cells[0]).SVG())
	for name, want := range map[string]int{"wheel": 2, "minheap": 1, "null": 2} { // once in the legend
		if n := strings.Count(svg, `<g data-structure="`+name+`"`); n != want {
			t.Errorf("%s is drawn %d times, want %d", name, n, want)
		}
	}
	few := quantiles(1, 2, 3, 4, 5, 6)
	few.Samples = 50
	if got := curve(few); len(got) != 2 {
		t.Errorf("percentiles of 50 samples: %+v", got)
	}
}

// The tail is that of the slowest kind of call, and nothing where the floor is as slow.
func TestTails(t *testing.T) {
	t.Parallel()
	row := func(name string, role results.Role, schedule, fire float64) results.Row {
		return results.Row{Structure: name, Role: role, Latency: []results.Latency{
			{Kind: script.KindSchedule, Samples: 5000, P999: schedule}, {Kind: script.KindFire, Samples: 5000, P999: fire},
		}}
	}
	c := results.Cell{Workload: "hold", N: 100, Rows: []results.Row{
		row("wheel", results.RoleStructure, 700, 500), row("minheap", results.RoleStructure, 40, 60), row("null", results.RoleFloor, 40, 60),
		{Structure: "rbtree", Role: results.RoleStructure, Latency: []results.Latency{{Kind: script.KindFire, Samples: 999, P999: 9000}}},
	}}
	v := viewOf(t, &results.Run{Cells: []results.Cell{c}})
	for name, want := range map[string]string{"wheel": "700 (schedule)", "minheap": "floor", "rbtree": "–", "null": "60 (fire)"} {
		if got := tail(v.Cells[0], v.Cells[0].Row(name)).String(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, f := range Figures(All(v)) {
		if svg := string(f.SVG()); strings.Contains(svg, ">max<") {
			t.Errorf("%s shows the maximum", f.Name)
		}
	}
}

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
