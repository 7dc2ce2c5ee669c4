package section

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

var six = entry.Classics[:]

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
	fail.Unless(t, s.Tables[0].Body.Markdown(), "| Structure | N = 10 | N = 1k |", "| minheap | 12 (", "| **10** (", "| **6** (")
	fail.Unless(t, v.originTable().Markdown(), "| 10, 100, 1k |") // N is sorted
}

// The table has the largest size of a workload, the structure with the shortest call
// first, and a place for each operation of the workload.
func TestLongestCallsAreShown(t *testing.T) {
	t.Parallel()
	calls := func(structure string, n int, longest ...results.LongestCall) results.Calls {
		return results.Calls{Workload: "avalanche-tick", N: n, Structure: structure, Rounds: 3, Calls: 4 * n, Longest: longest}
	}
	pop := func(ns float64) results.LongestCall {
		return results.LongestCall{Operation: results.Pop, NS: ns, At: 1_114_112}
	}
	v := viewOf(t, &results.Run{Complete: true, Calls: []results.Calls{
		calls("hwheel", 1000, pop(9)),
		calls("hwheel", 100_000, results.LongestCall{Operation: results.Schedule, NS: 5600, At: 7}, pop(1_650_000)),
		calls("quadheap", 100_000, pop(812_000)),
	}})
	page := longestCalls(v).Tables[0].Body.Markdown()
	want := "| Structure | Schedule µs | at tick | Pop µs | at tick |\n|:--- | ---:| ---:| ---:| ---:|\n" +
		"| quadheap | – | – | 812 | " + show.Grouped(1_114_112) + " |\n" +
		"| hwheel | 5.6 | 7 | 1,650 | " + show.Grouped(1_114_112) + " |\n"
	fail.Unless(t, page, want)
	v.Calls[0].Lag, v.Calls[0].Bytes = 2500, 31
	if table := callsTable(v.Calls[:1]).Markdown(); !strings.Contains(table, "| Latest fire µs | Bytes per timer |") || !strings.HasSuffix(table, "| 2.5 | 31 |\n") {
		t.Errorf("no lag or bytes:\n%s", table)
	}
	svg := string(v.callsChart(v.callsByWorkload()).SVG())
	if first, second := strings.Index(svg, ">quadheap<"), strings.Index(svg, ">hwheel<"); first < 0 || second < first {
		t.Error("the structure with the shortest call is not on top")
	}
	fail.Unless(t, svg, "Pop 1.65 ms at tick "+show.Grouped(1_114_112))
}

// gridCell is a cell of uniform delays in which each structure has costs that do not differ.
func gridCell(percent, n int, costs map[string]float64) results.Cell {
	c := timed(fmt.Sprint("grid-uniform-", percent), n, costs)
	c.Category, c.Grid = string(workload.Grid), &script.Place{Delays: "uniform", CancelPercent: percent}
	return c
}

// The map compares the default with the fastest exact structure. It names that one where it is no tie, and leaves out what was not measured.
func TestTheMapComparesExactStructures(t *testing.T) {
	late := gridCell(0, 100, map[string]float64{"auto": 10, "quadheap": 11, "sweep": 5})
	late.Row("sweep").Coarse = true
	moved := timed("reschedule", 10, map[string]float64{"auto": 10, "rbtree": 10.2})
	moved.Unit = script.PerReschedule
	v := viewOf(t, &results.Run{Cells: []results.Cell{late, gridCell(90, 1000, map[string]float64{"auto": 30, "quadheap": 20}), moved,
		gridCell(50, 10_000, map[string]float64{"minheap": 1})}}, "auto", "sweep")
	f := v.Map()
	if want := "auto is the fastest exact structure, or ties with it, in 2 of 3 cells"; f == nil || f.Title != want {
		t.Fatalf("the map says %+v, want %q", f, want)
	}
	fail.Unless(t, f.Caption, "Blank: not measured.")
	h := f.Panels[0].Marks[0].(draw.Heat)
	var fields []string
	for _, row := range h.Rows {
		for col, x := range row.Fields {
			if !math.IsNaN(x.Value) {
				fields = append(fields, fmt.Sprintf("%s %s: %.2f %s", row.Name, h.Columns[col].Name, x.Value, x.Name))
			}
		}
	}
	fail.UnlessSame(t, "the fields", fields, []string{"none cancelled 100: 1.00 ", "90 % cancelled 1k: 1.50 quadheap", "moved 10: 1.00 "})
	if viewOf(t, &results.Run{Cells: []results.Cell{gridCell(0, 10, map[string]float64{"minheap": 10})}}).Map() != nil {
		t.Error("a map without the default")
	}
}

// A line over the number of timers needs two of them, and the default is drawn last.
func TestCostOverNNeedsTwoSizes(t *testing.T) {
	one := gridCell(50, 100, map[string]float64{"auto": 10, "rbtree": 20})
	two := []results.Cell{one, gridCell(50, 1000, map[string]float64{"auto": 12, "rbtree": 90}),
		gridCell(90, 100, map[string]float64{"auto": 11, "rbtree": 30}), gridCell(90, 1000, map[string]float64{"auto": 13, "rbtree": 70})}
	if viewOf(t, &results.Run{Cells: two[:1]}, "auto").scaleChart() != nil {
		t.Error("a chart over one size")
	}
	f := viewOf(t, &results.Run{Cells: two}, "auto").scaleChart()
	if want := "With 90 % of the timers cancelled, auto takes 11 ns among 100 timers and 13 ns among 1,000"; f.Title != want || len(f.Panels) != 2 {
		t.Errorf("%d panels say %q, want %q", len(f.Panels), f.Title, want)
	}
	marks := f.Panels[0].Marks
	if last := marks[len(marks)-2].(draw.Series); last.Style.Name != "auto" || !last.Thick || last.Style.Color != draw.Ink {
		t.Errorf("the last line is %+v", last)
	}
}

// A panel of zeros is left out, and all structures without an idle wake-up are one line.
func TestNoEmptyPanelOfIdleTicks(t *testing.T) {
	r := &results.Run{}
	for _, ns := range []float64{0, 5} {
		r.IdleTicks = append(r.IdleTicks, results.IdleTicks{Shape: results.Uniform, N: 100, Ticks: 1000, Idle: 900, Fired: 100,
			Structures: []results.IdleTickOf{{Structure: "minheap", NS: ns}}})
		f := viewOf(t, r).idleTicksChart()
		fail.UnlessSame(t, "panels", len(f.Panels), map[float64]int{0: 1, 5: 2}[ns])
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
	for i := range r.Memory {
		if r.Memory[i].Structure == "minheap" {
			r.Memory[i].Structure, r.Memory[i].AgedBytes = "sweep", 1
		}
	}
	v := viewOf(t, &r, "sweep")
	list := v.footprints()
	if last := list[len(list)-1]; last.Structure != "sweep" || !strings.Contains(string(v.memoryChart().SVG()), ">sweep (late)<") || strings.Contains(v.memoryChart().Title, "sweep") {
		t.Errorf("a late structure is ranked with exact ones: %+v, %s", list, v.memoryChart().Title)
	}
	if len(list) != 5 || list[0].N != 1_000_000 || list[0].Structure != six[4] {
		t.Errorf("%+v", list)
	}
	for i, m := range v.memoryChart().Panels[0].Marks {
		sum := 0.0
		for _, p := range m.(draw.Bar).Parts {
			sum += p.Length
		}
		fail.UnlessSame(t, "the length of a bar", sum, list[i].AgedBytes) // whether ageing adds or frees memory
	}
}

// The table of the lateness holds the coarse structures alone.
func TestLateness(t *testing.T) {
	t.Parallel()
	r := &results.Run{Cells: []results.Cell{timed("hold", 100, map[string]float64{"minheap": 10, "wheel": 20, "rbtree": 30, "quadheap": 40, "skiplist": 50})}}
	late := &results.Lateness{Mean: 3.5, P99: 7, Max: 7, MeanShare: 0.02, P99Share: 0.05, MaxShare: 0.1}
	r.IdleTicks = []results.IdleTicks{{Shape: results.Uniform, N: 100, Structures: []results.IdleTickOf{{Structure: "minheap"}, {Structure: "wheel", Lateness: late}}}}
	v := viewOf(t, r)
	table := lateness(v).Tables[0].Body.Markdown()
	fail.Unless(t, table, "| wheel | 100 | 3.5 | 7 | 7 | 2 % | 5 % | 10 % |")
	fail.UnlessLacks(t, table, "minheap")
	r.IdleTicks[0].Structures = r.IdleTicks[0].Structures[:1]
	if v := viewOf(t, r); len(lateness(v).Tables[0].Body) > 0 {
		t.Error("a section without a coarse structure")
	}
}

// The title of the picture is its finding: other data, another title.
func TestTheTitleOfIdleTicksIsTheFinding(t *testing.T) {
	ticks := func(shape results.Shape, n int, idle uint64) results.IdleTicks {
		return results.IdleTicks{Shape: shape, N: n, Ticks: 10_000, Idle: idle, Fired: 100}
	}
	for got, want := range map[string]string{
		idleFinding([]results.IdleTicks{ticks(results.Uniform, 10, 9990), ticks(results.Uniform, 1000, 9670), ticks(results.RoundTimes, 1000, 9999)}): "Among 1,000 timers nothing fires on 96.7 % of the ticks",
		idleFinding([]results.IdleTicks{ticks(results.Clustered, 100, 5000)}):                                                                         "",
	} {
		fail.UnlessSame(t, "the text", got, want)
	}
}

// A panel of single calls has nine lines at most, which a reader can tell apart. The title says how long calls of the default take among
// the most timers. The table has all structures of which enough calls were timed.
func TestAPanelOfSingleCallsHasNineLines(t *testing.T) {
	r := &results.Run{}
	for i, n := range []int{100, 1_000_000} {
		c := gridCell(50, n, map[string]float64{"auto": 1, "list": 2, "ladder": 3, "minheap": 4, "quadheap": 5, "wheel": 6, "hwheel": 7, "rbtree": 8, "skiplist": 9})
		for j := range c.Rows {
			for _, kind := range []script.Kind{script.KindSchedule, script.KindFire} {
				l := results.Latency{Kind: kind, Samples: 20_000, P50: 40, P90: 50, P99: float64(9000 - 8900*i), P999: 1e4, Max: 2e4}
				if c.Rows[j].Structure == "list" {
					l.Samples = 399
				}
				c.Rows[j].Latency = append(c.Rows[j].Latency, l)
			}
		}
		r.Cells = append(r.Cells, c)
	}
	v := viewOf(t, r, "auto", "list", "ladder")
	s := latency(v)
	fail.UnlessSame(t, "the title", s.Charts[0].Title, "Among 1,000,000 timers, 99 of 100 calls of auto take 100 ns or less")
	for _, p := range s.Charts[0].Panels {
		lines := 0
		for _, m := range p.Marks {
			if line, ok := m.(draw.Series); ok && len(line.Marks) > 0 {
				lines++
			}
		}
		if want := 8; lines != want && !strings.HasPrefix(p.Title, "cancel") {
			t.Errorf("%s: %d lines, want %d", p.Title, lines, want)
		}
	}
	table := s.Tables[0].Body.Markdown()
	fail.Unless(t, table, "| ladder | 40 | 100 | – | – | 40 | 100 |")
	fail.UnlessLacks(t, table, "| list |")
}

func TestIDsAreUnique(t *testing.T) {
	t.Parallel()
	id := IDs()
	for _, c := range []struct{ title, want string }{
		{"Which one should I use?", "which-one-should-i-use"},
		{"hold, N = 1k: cost", "hold-n-1k-cost"},
		{"Hold; n 1k, cost", "hold-n-1k-cost-2"},
		{"hold-n-1k-cost-2", "hold-n-1k-cost-2-2"},
		{"latency-x/../../../NAME\x00-10", "latency-x-name-10"},
		{strings.Repeat("ä", 300), strings.Repeat("ä", longestID/2)},
		{strings.Repeat("ä", 300), strings.Repeat("ä", longestID/2) + "-2"},
		{"not \xff UTF-8", "not-utf-8"},
	} {
		fail.UnlessSame(t, c.title, id(c.title), c.want)
	}
}

// The figures of the tables are in the units of their headings.
func TestTheFiguresAreInTheUnitsOfTheirHeadings(t *testing.T) {
	use := results.LiveUse{Seconds: 2, CPUSeconds: 0.5, Sleeps: 40, Wakeups: 60}
	row := results.LiveRow{
		Name: "time", Role: results.RoleBaseline, Resident: results.FewTimers,
		Lateness: []results.LiveLateness{{Rate: 5000, Timers: 10, P50: 2e3, P90: 3e3, P99: 4e3, P999: 5e3, Max: 6e6, Use: use}},
	}
	for _, op := range results.Ops {
		row.Throughput = append(row.Throughput, results.LiveThroughput{Op: op, Goroutines: 1, Ops: 1000, NS: 500_000, CPUNS: 250_000})
	}
	for _, form := range results.Forms {
		row.Memory = append(row.Memory, results.LiveMemory{Form: form, Bytes: 120, CollectNS: 3e6})
	}
	l := &results.Live{Goroutines: []int{1}, Rows: []results.LiveRow{row}}
	got := LiveTables(l)
	same := func(cell string, n int) []string {
		return append([]string{"time"}, slices.Repeat([]string{cell}, n)...)
	}
	want := [][]string{
		same("250", len(results.Ops)), // ns
		{"time", "5,000", "2 µs", "3 µs", "4 µs", "5 µs", "6 ms", "250", "30", "20"}, // ms/s, and a second
		same("120 B, 3 ms", len(results.Forms)),
	}
	for i, cells := range want {
		if i >= len(got) || len(got[i].Rows) != 1 || !slices.Equal(texts(got[i].Rows[0]), cells) {
			t.Errorf("table %d is %+v, want %q", i, got[min(i, len(got)-1)], cells)
		}
	}
}

// A loop costs the time of all its slices together: what was put off in one is paid in another.
func TestLoopsAreComparedByAllTheirTime(t *testing.T) {
	row := func(role results.Role, name, structure string, ns ...float64) results.LiveRow {
		r := results.LiveRow{Role: role, Name: name, Structure: structure, Resident: 100}
		for turn, v := range ns {
			r.Throughput = append(r.Throughput, results.LiveThroughput{Turn: turn, Op: results.LoopLater, Goroutines: 2, Ops: 10, NS: v})
		}
		return r
	}
	l := &results.Live{Goroutines: []int{2}, Rows: []results.LiveRow{
		row(results.RoleBaseline, "time", "", 100, 100, 700), row(results.RoleStructure, "auto tickless", "auto", 50, 50, 50),
	}}
	if all := LoopsOn(l, "auto"); len(all) != 1 || all[0] != (Loop{"Reset to later", 100, 2, 5, 30}) {
		t.Errorf("%+v", all)
	}
	tables := LiveTables(l)
	last := tables[len(tables)-1]
	if len(last.Rows) != len(results.Loops) || last.Header[1] != "100: 2" || texts(last.Rows[2])[1] != "0.17" {
		t.Errorf("%+v", last)
	}
}

// A percentile that differs by more than a factor of 10 between the rounds is not known.
func TestATailThatMovesIsNotKnown(t *testing.T) {
	row := results.LiveRow{Name: "time", Resident: results.FewTimers}
	for _, tail := range []float64{5e3, 6e3, 51e3} {
		row.Lateness = append(row.Lateness, results.LiveLateness{Rate: 5000, Timers: 10, P50: 2e3, P90: 3e3, P99: 4e3, P999: tail, Max: 6e6})
	}
	for _, table := range LiveTables(&results.Live{Goroutines: []int{1}, Rows: []results.LiveRow{row}}) {
		if got := texts(table.Rows[0]); len(got) > 5 && (got[4] != "4 µs" || got[5] != show.Unknown) {
			t.Errorf("%q, want a p99 and no p99.9", got)
		} else if len(got) > 5 {
			return
		}
	}
	t.Error("no table of lateness")
}

func texts(row *show.Row) (out []string) {
	for _, c := range row.Cells {
		out = append(out, c.Text)
	}
	return out
}
