package doctest

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/price"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/section"
)

// among returns the rows of some contenders among n timers, with some operations.
func among(l *results.Live, n int, named func(string) bool, ops ...results.Op) *results.Live {
	part := *l
	part.Rows = nil
	for _, row := range l.Among(n) {
		if named(row.Name) {
			row.Throughput = slices.DeleteFunc(slices.Clone(row.Throughput), func(s results.LiveThroughput) bool { return ops != nil && !slices.Contains(ops, s.Op) })
			part.Rows = append(part.Rows, row)
		}
	}
	return &part
}

// tablesOf returns the tables whose titles begin so.
func tablesOf(t *testing.T, l *results.Live, titles ...string) (text string) {
	for _, title := range titles {
		i := slices.IndexFunc(section.LiveTables(l), func(t *show.Table) bool { return strings.HasPrefix(t.Title, title) })
		if i < 0 {
			t.Fatalf("no table %q", title)
		}
		text += section.LiveTables(l)[i].Text(true) + "\n"
	}
	return text
}

func rowOf(t *testing.T, l *results.Live, n int, name string) results.LiveRow {
	rows := among(l, n, func(row string) bool { return row == name }).Rows
	if len(rows) != 1 {
		t.Fatalf("%d rows %q among %d", len(rows), name, n)
	}
	return rows[0]
}

// loops sums up the loops of users with the default driver, the worst one included.
func loops(l *results.Live) string {
	all := section.LoopsOn(l, "auto")
	slices.SortFunc(all, func(a, b section.Loop) int { return cmp.Compare(a.Ratio(), b.Ratio()) })
	one, gains := make(map[string]float64), []float64{}
	for _, loop := range all {
		if loop.Goroutines == 1 {
			one[fmt.Sprint(loop.Name, loop.Resident)] = loop.Driver
		}
	}
	for _, loop := range all {
		if of := slices.IndexFunc(results.Loops, func(l results.Loop) bool { return l.Name == loop.Name }); loop.Goroutines == 2 && of < 5 {
			gains = append(gains, one[fmt.Sprint(loop.Name, loop.Resident)]/loop.Driver)
		}
	}
	best, middle, worst := all[0], all[len(all)/2], all[len(all)-1]
	return fmt.Sprintf("The driver takes %.2f to %.2f times as long as package time, %.2f at the median. The worst is “%s” among %s timers by %s: %s instead of %s. "+
		"Two goroutines make %.1f to %.1f times as many calls of the first five loops as one.",
		best.Ratio(), worst.Ratio(), middle.Ratio(), worst.Name, show.Grouped(worst.Resident), show.Count(worst.Goroutines, "goroutine"),
		show.Duration(worst.Driver), show.Duration(worst.Time), slices.Min(gains), slices.Max(gains))
}

// liveRun reads a kept run, and says where and when it was measured.
func liveRun(t *testing.T, path string) (l *results.Live, head string) {
	r, _, err := store.Read(path)
	if err != nil || r.Live == nil {
		t.Fatal(path, err)
	}
	return r.Live, fmt.Sprintf("%s, %s, %s, %s, %s:\n\n", r.Environment.CPU, r.Created.Format("2 January 2006"), r.Environment.Go, r.Environment.Build(), loadOf(r.Environment))
}

// loadOf says how busy the machine of a run was.
func loadOf(e results.Environment) string {
	for _, finding := range e.Machine {
		if finding.Check == "load" {
			return "load " + finding.Value
		}
	}
	return "unknown load"
}

// The tables of the page that are measured by live come from the kept runs.
func TestTheLivePageIsThatOfTheKeptRuns(t *testing.T) {
	const most, few = 1_000_000, 10_000
	const auto, slow = "auto tickless", "auto tickless, tick 1ms"
	usual := func(name string) bool { return !strings.Contains(name, ", ") }
	every := func(string) bool { return true }
	paths, err := filepath.Glob("docs/live/*.json.gz")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d kept runs, %v", len(paths), err)
	}
	blocks := make(map[string]string)
	for _, path := range paths {
		l, head := liveRun(t, path)
		lateness := func(n int) string {
			toTime := func(of func(results.LiveLateness) float64) float64 {
				return price.Median(rowOf(t, l, n, auto).Lateness, of) / price.Median(rowOf(t, l, n, "time").Lateness, of)
			}
			return fmt.Sprintf("among %s timers p50 is %.2f and p99 %.2f times that of package time", show.Grouped(n),
				toTime(func(d results.LiveLateness) float64 { return d.P50 }), toTime(func(d results.LiveLateness) float64 { return d.P99 }))
		}
		for name, text := range map[string]string{
			"throughput": tablesOf(t, l, "Loops") + loops(l) + "\n\n",
			"lateness":   tablesOf(t, among(l, most, usual), "Lateness", "Memory"),
			"tick": tablesOf(t, among(l, few, every), "Lateness") + "With the default tick, " + lateness(few) + "; " + lateness(most) + ". " +
				times(t, l, []int{few, most}, auto, slow) + "\n\n",
		} {
			blocks[name] += head + text
		}
	}
	for name, text := range blocks {
		Generated(t, *update, "docs/driver.md", "<!-- live, "+name+": written by make docs -->\n", "<!-- end of live, "+name+" -->\n", "\n"+text)
	}
}

// times sums up the processor time of operations on a contender, as multiples of that on another.
func times(t *testing.T, l *results.Live, among []int, name, to string) string {
	fires, others := []float64{}, []float64{}
	for _, n := range among {
		row, other := rowOf(t, l, n, name), rowOf(t, l, n, to)
		for _, op := range results.Ops {
			switch x := price.Relative(row, other, op, 1); {
			case !row.Has(op) || !other.Has(op):
			case op == results.OpFire:
				fires = append(fires, x)
			default:
				others = append(others, x)
			}
		}
	}
	return fmt.Sprintf("A timer that fires takes %.2f to %.2f times as much processor time as with ticks of 1 ms, other operations %.2f to %.2f times.",
		slices.Min(fires), slices.Max(fires), slices.Min(others), slices.Max(others))
}

// The tables of docs/peers.md come from the kept run of make bench-peers.
func TestTheLivePageOfPeersIsThatOfTheKeptRuns(t *testing.T) {
	paths, err := filepath.Glob("docs/live/peers/*.json.gz")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d kept runs, %v", len(paths), err)
	}
	text := "\n"
	for _, path := range paths {
		l, head := liveRun(t, path)
		every := func(string) bool { return true }
		text += head + tablesOf(t, among(l, 1_000, every, "afterfunc+stop", "schedule+stop", "reset", "fire"), "Processor time") +
			tablesOf(t, among(l, 100_000, every, "schedule+stop", "reset", "fire"), "Processor time", "Lateness")
	}
	Generated(t, *update, "docs/peers.md", "<!-- live, peers: written by make docs -->\n", "<!-- end of live, peers -->\n", text)
}
