package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
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
	svg := string(newView(&results.Run{Cells: []results.Cell{c}}, testKnowledge(six)).curveChart(c).SVG())
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
	v := newView(&results.Run{Cells: []results.Cell{c}}, testKnowledge(six))
	for name, want := range map[string]string{"wheel": "700 (schedule)", "minheap": "floor", "rbtree": "–", "null": "60 (fire)"} {
		i := slices.IndexFunc(v.rows, func(who contender) bool { return who.name == name })
		if got := v.tail(c, v.rows[i]); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, f := range charts(v.sections()) {
		if svg := string(f.SVG()); strings.Contains(svg, ">max<") {
			t.Errorf("%s shows the maximum", f.Name)
		}
	}
}

// Few charts of latencies, however many workloads there are.
func TestFewLatencyCharts(t *testing.T) {
	t.Parallel()
	f := small()
	r := f.results()
	for _, w := range []string{"a", "b", "c", "d"} {
		c := r.Cells[len(r.Cells)-1]
		c.Workload, c.N = w, 70_000
		r.Cells = append(r.Cells, c)
	}
	if n := len(latency(newView(r, testKnowledge(six))).charts); n != 3 {
		t.Errorf("%d charts", n)
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
	v := newView(r, testKnowledge(six))
	sum, ok := v.idleSum(results.Tickless, "wheel")
	if !ok || sum.Moved != 12 || sum.Empty != 2 || sum.Wakeups != 200 || sum.Total() != 14 {
		t.Errorf("%+v, %v", sum, ok)
	}
	if _, ok := v.idleSum(results.Tickless, "rbtree"); ok {
		t.Error("a sum over fewer shapes than that of others")
	}
	section := idle(v)
	if len(section.charts) != 0 || len(section.tables) != 1 || !strings.Contains(section.tables[0].title, "delays uniform and pareto") {
		t.Errorf("%d charts, %d tables: %+v", len(section.charts), len(section.tables), section.tables)
	}
	if want := "Under a tickless driver, 2 of 2 structures wake up for nothing at times: wheel on 7 % and minheap on 1 % of their wake-ups. "; !strings.HasPrefix(section.lead, want) {
		t.Errorf("the section says %q, want %q", section.lead, want)
	}
	if !strings.Contains(section.tables[0].body, "| wheel | tickless | 0 | 200 | 20 | 14 | 2 | 12 |") {
		t.Errorf("the table does not show the sums:\n%s", section.tables[0].body)
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
	list := newView(&r, testKnowledge(six)).footprints()
	if len(list) != 5 || list[0].N != 1_000_000 || list[0].Structure != six[4] {
		t.Errorf("%+v", list)
	}
}

func TestParetoFront(t *testing.T) {
	t.Parallel()
	r := &results.Run{Cells: []results.Cell{
		timed("hold", 1_000_000, map[string]float64{"minheap": 40, "quadheap": 30, "wheel": 20, "hwheel": 10, "rbtree": 50}),
		timed("hold", 100, map[string]float64{"minheap": 1, "quadheap": 30, "wheel": 20, "hwheel": 10, "rbtree": 50}), // another size
	}}
	for name, bytes := range map[string]float64{"minheap": 20, "quadheap": 30, "wheel": 35, "hwheel": 34, "skiplist": 1} {
		r.Memory = append(r.Memory, results.Memory{Structure: name, N: 1_000_000, Bytes: bytes, AgedBytes: bytes})
	}
	f := newView(r, testKnowledge(six)).paretoChart()
	svg := string(f.SVG())
	bold := func(name string) bool {
		for _, m := range svgTexts.FindAllStringSubmatch(svg, -1) {
			if m[2] == name {
				return strings.Contains(m[1], "bold")
			}
		}
		t.Errorf("no label %s", name)
		return false
	}
	for name, want := range map[string]bool{"minheap": true, "quadheap": true, "hwheel": true, "wheel": false} {
		if bold(name) != want {
			t.Errorf("%s is on the front: %v, want %v", name, !want, want)
		}
	}
	if strings.Contains(svg, ">rbtree<") || !strings.Contains(f.Caption, "1 structures") {
		t.Errorf("what lacks a figure is shown, or not said: %s", f.Caption)
	}
}

// A coarse structure stands at its lateness, with the latest of its timers, and exact ones at none.
func TestLatenessAgainstCost(t *testing.T) {
	t.Parallel()
	r := &results.Run{Cells: []results.Cell{timed("hold", 100, map[string]float64{"minheap": 10, "wheel": 20, "rbtree": 30, "quadheap": 40, "skiplist": 50})}}
	late := func(mean, most float64) results.Idle {
		return results.Idle{Workload: "idle", Distribution: "uniform", N: 100, Structure: "wheel", Driver: results.Ticking, Lateness: &results.Lateness{MeanShare: mean, MaxShare: most}}
	}
	r.Idle = []results.Idle{late(0.02, 0.1)}
	v := newView(r, testKnowledge(six))
	svg := string(v.latenessChart().SVG())
	for _, want := range []string{">wheel, at most 10 %<", ">minheap<", ">rbtree<", ">quadheap<", "late by 2 % of the delay on average"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the chart does not say %q", want)
		}
	}
	if strings.Contains(svg, ">skiplist<") {
		t.Error("more than three exact structures")
	}
	r.Idle = nil
	if newView(r, testKnowledge(six)).latenessChart() != nil {
		t.Error("a chart of no coarse structure")
	}
}

func TestDriftChartMarksTrends(t *testing.T) {
	t.Parallel()
	calm, rising := timed("hold", 100, map[string]float64{"minheap": 10}), timed("churn", 100, map[string]float64{"minheap": 10})
	for _, c := range []*results.Cell{&calm, &rising} {
		row := &c.Rows[0]
		row.Cost = nil
		for i := range 20 {
			ns := 10 + 0.1*float64(i%3)
			if c == &rising {
				ns = 10 + float64(i)
			}
			row.Cost = append(row.Cost, results.Trial{Instance: i, Round: i, NS: ns, Units: 1})
		}
	}
	v := newView(&results.Run{Cells: []results.Cell{calm, rising}}, testKnowledge(six))
	if d := v.drifts(); len(d) != 2 || d[0].found() || !d[1].found() {
		t.Fatalf("%+v", d)
	}
	svg := string(v.driftChart().SVG())
	at, end := strings.Index(svg, "<title>churn"), strings.LastIndex(svg, "</g>")
	if at < 0 || !strings.Contains(svg[at:end], `class="ink-line"`) || strings.Contains(svg[strings.Index(svg, "<title>hold"):at], `class="ink-line"`) {
		t.Error("the rising cell alone stands out")
	}
}

func TestAsFast(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		center float64
		want   string
	}{{0.074, "14 times as fast"}, {1, "as long"}, {0.98, "as long"}, {2.5, "2.5 times as long"}} {
		r := stats.Ratio{Pairs: 3}
		r.Center = c.center
		if got := asFast(r); got != c.want {
			t.Errorf("%g: %q, want %q", c.center, got, c.want)
		}
	}
	if got := asFast(stats.Ratio{}); got != "–" {
		t.Errorf("nothing to compare: %q", got)
	}
}

// One block for each workload, with N as columns, the smallest first.
func TestOneBlockOfFiguresForEachWorkload(t *testing.T) {
	t.Parallel()
	r := &results.Run{Parameters: results.Parameters{N: []int{1000, 10, 100}}, Cells: []results.Cell{
		timed("hold", 1000, map[string]float64{"minheap": 10, "wheel": 20}),
		timed("hold", 10, map[string]float64{"minheap": 12, "wheel": 6}),
	}}
	v := newView(r, testKnowledge(six))
	s := inNumbers(v)
	if len(s.tables) != 1 || s.tables[0].title != "hold: time per lifecycle" {
		t.Fatalf("%+v", s.tables)
	}
	for _, want := range []string{"| Structure | N = 10 | × | N = 1k | × |", "| 2.0 | 10 (", "| **1.00** |"} {
		if !strings.Contains(s.tables[0].body, want) {
			t.Errorf("no %q in\n%s", want, s.tables[0].body)
		}
	}
	if !strings.Contains(v.originTable(), "| 10, 100, 1k |") {
		t.Error("N is not sorted")
	}
}

// Every chart of measurements says what it says and what it does not.
func TestChartsSayWhatTheySay(t *testing.T) {
	t.Parallel()
	r := liveFixture(small().results(), 2)
	for _, f := range charts(newView(r, testKnowledge(six)).sections()) {
		if !strings.HasPrefix(f.Subtitle, "What it says: ") || !strings.Contains(f.Caption, "What it does not say: ") {
			t.Errorf("%s: %q, %q", f.Name, f.Subtitle, f.Caption)
		}
	}
}
