package doctest

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/catalog"
)

const publishedPage, questionsPage = "docs/published.md", "docs/questions.md"

// figure is the ratio of two costs in a page, such as <!--cost:hwheel,hold,1000/rbtree,hold,1000-->0.50 to 0.60<!--end-->.
// cost is the time of a cell, tail the 99.9th percentile of firing, and live an operation on a real clock, with one goroutine.
// below:1 or above:1 before the arrow holds the words of the page against all runs.
var figure = regexp.MustCompile(`(<!--(cost|tail|live):([^,]+),([^,]+),(\d+)/([^,]+),([^,]+),(\d+)(?:,(below|above):([\d.]+))?-->)[^<]*(<!--end-->)`)

// measured is a contender in a run: its row and the costs of its cell, as reports have them, or samples of another kind.
type measured struct {
	cell *stats.Costs
	row  *results.Row
	of   []stats.Sample
}

// find returns what a run has of a contender. It is empty if the run did not measure that.
func find(r *answer.Run, kind, contender, workload, n string) (m measured) {
	size, _ := strconv.Atoi(n)
	for _, cell := range r.CellsOf(workload) {
		if row := cell.Row(contender); row != nil && cell.N == size && kind == "cost" {
			return measured{cell: cell, row: row}
		} else if row != nil && cell.N == size && kind == "tail" {
			for _, l := range row.Latency {
				if l.Kind.String() == "fire" {
					m.of = append(m.of, stats.Sample{Value: l.P999})
				}
			}
		}
	}
	if kind == "live" && r.Live != nil {
		for _, row := range r.Live.Rows {
			for i, t := range row.Throughput {
				if row.Name == contender && row.Resident == size && string(t.Op) == workload && t.Goroutines == 1 {
					m.of = append(m.of, stats.Sample{Round: i, Value: t.NS / float64(t.Ops)})
				}
			}
		}
	}
	return m
}

// ratioTo returns the ratio of two costs, that of the report if they are of one cell; 0: not measured.
func (m measured) ratioTo(of measured) float64 {
	if m.cell != nil && m.cell == of.cell {
		return m.cell.Ratio(m.row, of.row).Center
	}
	if a, b := m.center(), of.center(); a > 0 && b > 0 {
		return a / b
	}
	return 0
}

func (m measured) center() float64 {
	if m.cell != nil {
		return m.cell.Cost(m.row).Center
	}
	return stats.Median(m.of).Center
}

// rewrite checks that a page has this text, or writes it.
func rewrite(t *testing.T, page, want string) {
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if read(t, page) != want {
		t.Errorf("%s has other figures: run with -update", page)
	}
}

// keptRuns are the runs in docs/results. Tests do not change them.
var keptRuns = sync.OnceValues(kept.All)

// The pages about published claims and about questions show the lowest and the highest ratio of all kept runs.
func TestPublishedRatiosAreThoseOfTheKeptRuns(t *testing.T) {
	runs, err := keptRuns()
	if err != nil {
		t.Fatal(err)
	}
	var all []*answer.Run
	for _, r := range runs {
		all = append(all, answer.Of(r, catalog.All()))
	}
	for page, least := range map[string]int{publishedPage: 30, questionsPage: 10} {
		figures := 0
		want := figure.ReplaceAllStringFunc(read(t, page), func(old string) string {
			m := figure.FindStringSubmatch(old)
			figures++
			lo, hi, of := math.Inf(1), 0.0, 0
			for _, r := range all {
				if x := find(r, m[2], m[3], m[4], m[5]).ratioTo(find(r, m[2], m[6], m[7], m[8])); x > 0 {
					lo, hi, of = min(lo, x), max(hi, x), of+1
				}
			}
			if of == 0 {
				t.Errorf("%s: no kept run has %s", page, m[1])
			}
			if bound, _ := strconv.ParseFloat(m[10], 64); m[9] == "below" && hi >= bound || m[9] == "above" && lo <= bound {
				t.Errorf("%s: %s, but it is %.2f to %.2f: the words of the page no longer hold", page, m[1], lo, hi)
			}
			between := fmt.Sprintf("%.2f to %.2f", lo, hi)
			if of == 1 {
				between = fmt.Sprintf("%.2f", lo)
			}
			return m[1] + between + m[11]
		})
		rewrite(t, page, want)
		if figures < least {
			t.Errorf("%s: %d figures, want at least %d", page, figures, least)
		}
	}
}

// recordedCosts is the share of a core that the timers of ten recorded programs take, from docs/recordings.md.
func recordedCosts(t *testing.T) string {
	cost := regexp.MustCompile(`their timers cost (.* to .* % of a core) and`).FindStringSubmatch(read(t, "docs/recordings.md"))
	if cost == nil {
		t.Fatal("docs/recordings.md says no costs")
	}
	return cost[1]
}

// recordedPrograms are the recordings with these costs, among all.
func recordedPrograms(t *testing.T) string {
	paths, _ := filepath.Glob("traces/*.trace") // the pattern is right
	all := fmt.Sprint(len(paths))
	found := regexp.MustCompile(`for (\d+) of the (\d+)\s+their timers cost`).FindStringSubmatch(read(t, "docs/recordings.md"))
	if found == nil || found[2] != all || !strings.Contains(read(t, "docs/recordings.md"), "one of "+all+" recorded programs") {
		t.Fatalf("docs/recordings.md says %q, want that of %s recordings", found, all)
	}
	return found[1] + " of " + all
}

// recordedTimers are the least and the largest average number of pending timers in the corpus.
func recordedTimers(t *testing.T) string {
	var all []int
	for _, m := range regexp.MustCompile(`\| ([\d,]+) \([\d,]+\) \|`).FindAllStringSubmatch(read(t, "traces/README.md"), -1) {
		n, _ := strconv.Atoi(strings.ReplaceAll(m[1], ",", "")) // it has digits only
		all = append(all, n)
	}
	return show.Grouped(slices.Min(all)) + " to " + show.Grouped(slices.Max(all))
}

// driverBytes is the memory of a timer of Schedule among a million timers.
func driverBytes(t *testing.T) (bytes string) {
	paths, _ := filepath.Glob("docs/live/*.json.gz") // the pattern is right
	l, _ := liveRun(t, paths[len(paths)-1])
	for _, m := range rowOf(t, l, 1_000_000, "auto tickless").Memory {
		if m.Form == results.FormSchedule {
			bytes = fmt.Sprintf("%.0f", m.Bytes)
		}
	}
	return bytes
}

// Figures in the text, such as <!-- fact driver bytes -->32<!-- end -->, come from the kept runs and the recordings.
func TestPublishedFactsAreThoseOfTheirSources(t *testing.T) {
	facts := map[string]string{"recorded costs": recordedCosts(t), "recorded programs": recordedPrograms(t), "recorded timers": recordedTimers(t), "driver bytes": driverBytes(t)}
	for _, page := range []string{questionsPage, "docs/durable.md"} {
		rewrite(t, page, regexp.MustCompile(`(<!-- fact ([\w ]+) -->)[^<]*(<!-- end -->)`).ReplaceAllStringFunc(read(t, page), func(old string) string {
			name, _, _ := strings.Cut(strings.TrimPrefix(old, "<!-- fact "), " -->")
			if facts[name] == "" {
				t.Errorf("%s: nothing is known of %q", page, name)
			}
			return "<!-- fact " + name + " -->" + facts[name] + "<!-- end -->"
		}))
	}
}

// The answers about a sweep come from recommend --late.
func TestPublishedSweepIsTheAnswerOfRecommend(t *testing.T) {
	last, err := kept.Last()
	if err != nil {
		t.Fatal(err)
	}
	run := answer.Of(last, catalog.All())
	a := run.Adviser()
	text := "\n| timers, 90 % cancelled | `recommend --late` names | its time | time of `auto` |\n|---:|---|---:|---:|\n"
	for _, n := range a.Sizes() {
		x, err := a.Answer(answer.Question{N: float64(n), Cancel: 0.9, Delays: "uniform", Late: true})
		if err != nil || len(x.Cells) != 1 || x.Cells[0].N != n {
			continue // not measured
		}
		for _, c := range run.CellsOf(x.Cells[0].Workload) {
			if c.N == n {
				text += fmt.Sprintf("| %s | `%s` | %s ns | %s ns |\n", show.Grouped(n), x.Named, show.Figure(c.Cost(c.Row(x.Named)).Center), show.Figure(c.Cost(c.Row(answer.Default)).Center))
			}
		}
	}
	Generated(t, *update, questionsPage, "<!-- sweep: written by make docs -->\n", "<!-- end of sweep -->\n", text)
}

// docs/limits.md says what no kept run has.
func TestKeptRunsHaveTheLimitsOfThePage(t *testing.T) {
	all, err := keptRuns()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range slices.Concat(all, []*results.Run{keptRun(t, "docs/ttl.json.gz"), keptRun(t, "docs/field/results.json.gz")}) {
		e := r.Environment
		virtual := slices.ContainsFunc(e.Machine, func(f results.Finding) bool { return strings.HasPrefix(f.Value, "a virtual machine") })
		if e.Cores != 2 || e.Arch != "amd64" || e.Memory > 24<<30 || !virtual {
			t.Errorf("a run on %s, %s, of %d cores, %d bytes, virtual %t: docs/limits.md says that there is none", e.CPU, e.Arch, e.Cores, e.Memory, virtual)
		}
	}
}

// keptRun reads a run that is kept outside docs/results.
func keptRun(t *testing.T, path string) *results.Run {
	t.Helper()
	r, err := store.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The table of docs/performance.md about timers in the caller's structs is that of the kept run of other languages.
func TestFieldRunGivesTheCostOfAnID(t *testing.T) {
	kept := keptRun(t, "docs/field/results.json.gz")
	r := answer.Of(kept, catalog.All())
	workloads := []string{"start-stop", "churn", "reschedule", "hold", "fill-drain"}
	fewest, most, rows := 1000, 0, ""
	for _, of := range []string{answer.Default, "ratas"} {
		for _, n := range []int{1_000, 100_000, 1_000_000} {
			rows += fmt.Sprintf("| %s | `%s` |", show.Grouped(n), of)
			for _, w := range workloads {
				ratio := "–"
				for _, c := range r.CellsOf(w) {
					if a, b := c.Row("intrusive-hwheel"), c.Row(of); c.N == n && a != nil && b != nil && a.HasCost() && b.HasCost() {
						x := c.Ratio(a, b)
						ratio, fewest, most = show.Times(x.Center), min(fewest, x.Rounds), max(most, x.Rounds)
					}
				}
				rows += " " + ratio + " |"
			}
			rows += "\n"
		}
	}
	text := fmt.Sprintf("Measured on %s, %s, %s, in paired rounds (%d to %d), with the loops:\n\n| timers | relative to | start-stop | churn | reschedule | hold | fill-drain |\n"+
		"|---:|---|---:|---:|---:|---:|---:|\n", kept.Environment.CPU, kept.Created.Format("2 January 2006"), kept.Environment.Build(), fewest, most) + rows
	Generated(t, *update, "docs/performance.md", "<!-- intrusive: written by make docs -->\n", "<!-- end of intrusive -->\n", narrow.Replace(text))
}

// docs/field.md has the fastest program and the fastest structure here of each cell of the kept run, for both kinds of timers.
func TestFieldPageIsThatOfTheKeptRun(t *testing.T) {
	kept := keptRun(t, "docs/field/results.json.gz")
	r := answer.Of(kept, catalog.All())
	program := func(name string) *results.External {
		for i, p := range kept.External {
			if p.Name == name {
				return &kept.External[i]
			}
		}
		return nil
	}
	// best returns the least cost among the programs, or among the structures here.
	best := func(c *stats.Costs, theirs, intrusive bool) (of *results.Row) {
		for _, row := range c.Rows {
			p := program(row.Structure)
			same := p != nil && !p.Floor && !p.Coarse && p.Intrusive == intrusive
			if !theirs {
				same = row.Role == results.RoleStructure && !intrusive && r.Late(row.Structure) == 0 || row.Role == results.RoleIntrusive && intrusive
			}
			if same && row.HasCost() && (of == nil || c.Cost(row).Center < c.Cost(of).Center) {
				of = row
			}
		}
		return of
	}
	e := kept.Environment
	text := fmt.Sprintf("`make bench-field` on %s, %s, %s, %s, %s:\n\n| workload, timers | program by ID | here | ratio | program with fields | here | ratio |\n|---|---|---|---:|---|---|---:|\n",
		e.CPU, kept.Created.Format("2 January 2006"), e.Go, e.Build(), loadOf(e))
	rows := 0
	for _, w := range r.Workloads() {
		for _, c := range r.CellsOf(w) {
			line := ""
			for _, intrusive := range []bool{false, true} {
				theirs, ours := best(c, true, intrusive), best(c, false, intrusive)
				if theirs == nil || ours == nil {
					continue
				}
				line += fmt.Sprintf(" `%s` %s | `%s` %s | %s |", theirs.Structure, show.Figure(c.Cost(theirs).Center),
					strings.TrimPrefix(ours.Structure, "intrusive-"), show.Figure(c.Cost(ours).Center), show.Times(c.Ratio(ours, theirs).Center))
			}
			if strings.Count(line, "|") == 6 {
				text += fmt.Sprintf("| %s, %s |%s\n", w, show.Grouped(c.N), line)
				rows++
			}
		}
	}
	if rows < 20 {
		t.Errorf("%d rows", rows)
	}
	Generated(t, *update, "docs/field.md", "<!-- field: written by make docs -->\n", "<!-- end of field -->\n", narrow.Replace(text))
}

const (
	ttlPage  = "docs/ttl.md"
	ttlBegin = "<!-- figures: written by make docs -->\n"
	ttlEnd   = "<!-- end of figures -->\n"
)

// ttlTable returns the table of one size, the least bytes first.
func ttlTable(t *testing.T, r *answer.Run, n int) string {
	t.Helper()
	calls := func(workload string) (out []results.Calls) {
		for _, c := range r.Calls {
			if c.Workload == workload && c.N == n {
				out = append(out, c)
			}
		}
		slices.SortFunc(out, func(a, b results.Calls) int { return cmp.Compare(a.Bytes, b.Bytes) })
		return out
	}
	cell := r.CellsOf("ttl-cache")[0]
	for _, x := range r.CellsOf("ttl-cache") {
		if x.N == n {
			cell = x
		}
	}
	steady, storm := calls("ttl-cache"), calls("avalanche-slot")
	if len(steady) < 7 || len(storm) != len(steady) {
		t.Fatalf("n %d: %d and %d structures", n, len(steady), len(storm))
	}
	// The page says so, and that the other structures with IDs take more time than these two.
	best := []string{answer.Default, "hwheel"}
	if !slices.Contains(best, steady[0].Structure) || !slices.Contains(best, steady[1].Structure) {
		t.Errorf("n %d: %s and %s take the fewest bytes, want auto and hwheel", n, steady[0].Structure, steady[1].Structure)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n| %s entries | bytes | longest set | longest expiry | lag | longest expiry, at once | lag, at once | ns | times `auto` |\n|---|%s\n",
		show.Grouped(n), strings.Repeat("---:|", 8))
	for _, c := range steady {
		other := storm[slices.IndexFunc(storm, func(s results.Calls) bool { return s.Structure == c.Structure })]
		longest := func(c results.Calls, o results.Operation) string {
			call, _ := c.Of(o)
			return show.Duration(call.NS)
		}
		name := "`" + c.Structure + "`"
		if e, ok := catalog.Find(c.Structure); ok && !e.Exact() {
			name += " (late)"
		}
		if most := c.Max().NS; c.Structure == answer.Default && max(most, other.Max().NS) > 0.5e6 {
			t.Errorf("the longest call of %s takes %v ns among %d, and the page says far below a millisecond", c.Structure, most, n)
		}
		row := cell.Row(c.Structure)
		if id := !strings.HasPrefix(c.Structure, "intrusive-"); id && !slices.Contains(best, c.Structure) && cell.Ratio(row, cell.Row(answer.Default)).Center < 1 {
			t.Errorf("n %d: %s takes less time than auto", n, c.Structure)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", name, show.Figure(c.Bytes),
			longest(c, results.Schedule), longest(c, results.Pop), show.Duration(c.Lag), longest(other, results.Pop), show.Duration(other.Lag),
			show.Figure(cell.Cost(row).Center), show.Times(cell.Ratio(row, cell.Row(answer.Default)).Center))
	}
	return narrow.Replace(b.String())
}

// The tables of the page and the answers below them come from the kept run.
func TestTheTTLPageIsThatOfTheKeptRun(t *testing.T) {
	kept := keptRun(t, "docs/ttl.json.gz")
	if err := kept.Check(); err != nil || !kept.Complete {
		t.Fatalf("complete %t: %v", kept.Complete, err)
	}
	note := ""
	for i, c := range kept.Cells {
		if w, _ := workload.Find(c.Workload); w.Version() != c.Definition {
			note = fmt.Sprintf("The cells have definition %d of `%s`, whose fill had no entry that was overwritten or deleted; %d now. ", c.Definition, c.Workload, w.Version())
			kept.Cells[i].Definition = 0 // the answers below come from the page
		}
	}
	r := answer.Of(kept, catalog.All())
	text := note + fmt.Sprintf("Measured by `make bench-ttl` on %s, %s, %s.\n", kept.Environment.CPU, kept.Created.Format("2 January 2006"), kept.Environment.Build())
	for _, n := range []int{1e6, 1e7} {
		text += ttlTable(t, r, n)
	}
	a := r.Adviser()
	for _, by := range []answer.By{answer.Time, answer.Memory, answer.Longest} {
		for _, n := range []float64{1e6, 1e7} {
			x, err := a.Answer(answer.Question{N: n, Cancel: answer.Unknown, Reschedule: answer.Unknown, Program: "ttl-cache", By: by})
			if err != nil {
				t.Fatal(err)
			}
			text += fmt.Sprintf("\n%s entries, by %s: %s\n", show.Grouped(int(n)), by, strings.Join(x.Lines, " "))
		}
	}
	Generated(t, *update, ttlPage, ttlBegin, ttlEnd, text)
}
