package report

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/section"
	"github.com/timerbench/timerbench/structures/catalog"
)

// recorded are the results of a trace alone.
func recorded() *results.Run {
	r := fixture{structures: six, workloads: []string{"trace-shop"}, sizes: []int{700}, trials: 8}.results()
	r.Parameters.Seed, r.Parameters.Traces = 0, map[string]results.Recording{"trace-shop": {
		File: "shop.trace", Description: "a shop on Friday", Operations: 123_456, Seconds: 90, Resident: 700, CancelRate: 0.995,
	}}
	r.Cells[0].Unit, r.Cells[0].Category = script.PerOperation, "recorded"
	r.IdleTicks, r.Memory = nil, nil
	return r
}

// interrupted has a whole cell, one that has a part of its rows, and one that has none.
func interrupted() *results.Run {
	r := small().results()
	r.Complete, r.IdleTicks, r.Memory = false, nil, nil
	r.Cells = r.Cells[:3]
	r.Cells[1].Rows = r.Cells[1].Rows[:2]
	r.Cells[2].Rows = nil
	return r
}

// failed has a structure that broke its contract.
func failed() *results.Run {
	r := tiny().results()
	r.Failures = []results.Failure{{Structure: "my*heap", Where: "hold, n 10", Reason: "a timer fired early"}}
	return r
}

// zeros has measured nothing but zeros, where that is possible.
func zeros() *results.Run {
	r := small().results()
	for i, of := range r.IdleTicks {
		r.IdleTicks[i] = results.IdleTicks{Shape: of.Shape, N: of.N}
	}
	for i := range r.Calls {
		r.Calls[i].Longest = []results.LongestCall{{Operation: results.Pop}}
	}
	r.Environment.ClockNS = 0
	for i := range r.Cells {
		r.Cells[i].N = 0
		for j := range r.Cells[i].Rows {
			row := &r.Cells[i].Rows[j]
			row.Latency[0] = results.Latency{Kind: script.KindSchedule, Samples: 10}
			row.Cost[0].NS, row.Cost[1].Units = 0, 0
		}
	}
	return r
}

// onlyFloor has no structure.
func onlyFloor() *results.Run {
	r := small().results()
	for i := range r.Cells {
		r.Cells[i].Rows = slices.DeleteFunc(r.Cells[i].Rows, func(r results.Row) bool { return r.Role != results.RoleFloor })
	}
	return r
}

// oneTrial has one trial of each row, and neither kinds nor latencies.
func oneTrial() *results.Run {
	r := tiny().results()
	for i := range r.Cells {
		for j := range r.Cells[i].Rows {
			row := &r.Cells[i].Rows[j]
			row.Cost, row.ByKind, row.Latency = row.Cost[:1], nil, nil
		}
	}
	return r
}

// Results of all sorts give a page that says what is missing, the same in both forms, and charts each of
// which shows something.
func TestPages(t *testing.T) {
	t.Parallel()
	few, err := store.ReadFile(filepath.Join("testdata", "few.json.gz"))
	fail.If(t, err)
	all := strings.Fields("scale latency idle-ticks longest-calls memory")
	single := fixture{structures: []string{"wheel"}, workloads: workloads, sizes: []int{1_000_000}, trials: 1}
	for name, test := range map[string]struct {
		r      *results.Run
		charts []string
		want   []string // on the page
	}{
		"all": {liveFixture(small().results(), 1, 2), append(slices.Clone(all), "go-timers"), nil},
		"odd": {compact(), append(slices.Clone(all), "map"), []string{"**This run was interrupted.**"}},
		"one structure and trial": {single.results(), all[1:],
			[]string{"**One structure.** Only wheel was measured", "**Too few rounds for intervals.**"}},
		"zeros":          {zeros(), []string{"memory"}, nil},
		"only the floor": {onlyFloor(), strings.Fields("idle-ticks longest-calls memory"), []string{"**No costs.**"}},
		"idle ticks only": {&results.Run{Complete: true, IdleTicks: small().results().IdleTicks}, []string{"idle-ticks"}, []string{
			"**No costs.** No workload has a measured cost", "`timerbench run`",
			"**Left out,** because the results hold no data: latency, cost against N, memory, the fastest structures.",
		}},
		"longest calls only": {&results.Run{Complete: true, Calls: small().results().Calls}, []string{"longest-calls"}, nil},
		"live timers only":   {liveFixture(&results.Run{Complete: true}, 1), []string{"go-timers"}, nil},
		"nothing":            {&results.Run{}, nil, []string{"**This run was interrupted.**", "**No costs.**"}},
		"two structures": {few, nil, []string{
			"**Some structures only.** The run measured 2 of 6: quadheap and hwheel.",
		}},
		"a trace alone": {recorded(), []string{"longest-calls"},
			[]string{"**Traces only.**", "**Left out,** because", "cost against N", "idle ticks"}},
		"interrupted": {interrupted(), strings.Fields("longest-calls"),
			[]string{"**This run was interrupted.**", "**Left out,** because", "latency, idle ticks, cost against N."}},
		"one trial": {oneTrial(), strings.Fields("scale idle-ticks longest-calls memory"),
			[]string{"**Too few rounds for intervals.**", "latency"}},
		"a failure": {failed(), strings.Fields("scale latency idle-ticks longest-calls memory"), []string{
			`**my\*heap broke its contract** on hold, n 10 and has no figures there: a timer fired early.`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "new", "folder")
			v := section.NewView(writeTo(t, dir, test.r, testKnowledge(six)))
			want := []string{HTMLPage, Page}
			for _, name := range test.charts {
				want = append(want, Charts+"/"+name+".svg")
			}
			slices.Sort(want)
			fail.UnlessSame(t, "the files", filesIn(t, dir), want)
			markdown, err1 := os.ReadFile(filepath.Join(dir, Page))
			html, err2 := os.ReadFile(filepath.Join(dir, HTMLPage))
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			page := readHTML(t, html)
			quotes := strings.Join(page.texts["blockquote"], "\n")
			for _, want := range test.want {
				fail.Unless(t, string(markdown), want)
				fail.Unless(t, quotes, strings.NewReplacer("**", "", "`", "", `\`, "").Replace(want)) // in HTML
			}
			if name == "all" && quotes != "" {
				t.Errorf("gaps: %s", quotes)
			}
			if len(test.r.Cells) == 0 && (slices.Contains(page.ids, "answer") ||
				readData(t, html).Form.Answers != nil) {
				t.Error("there is an answer, or something to take along, of no cells")
			}
			fail.UnlessLacks(t, string(markdown)+strings.Join(page.texts["td"], ""), "NaN", "Inf", "%!")
			showSame(t, string(markdown), page)
			for _, f := range figures(v) {
				fail.Unless(t, strings.Join(page.svg[f.Name], " "), f.Title) // a long title has two lines
				for _, title := range page.texts["h2"] {                     // a title is not said twice
					if texts := page.svg[f.Name]; slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, title) }) {
						t.Errorf("the chart %s repeats the title %q", f.Name, title)
					}
				}
				checkSVG(t, dir, f)
			}
		})
	}
}

// showSame wants the elements of the HTML that the Markdown has.
func showSame(t *testing.T, markdown string, page rendered) {
	t.Helper()
	lines := func(pattern string) int { return len(regexp.MustCompile("(?m)"+pattern).FindAllString(markdown, -1)) }
	rules := lines(`^\|[-:| ]+\|$`)
	for element, want := range map[string]int{
		"figure":     lines(`^!\[`),
		"svg":        2 * lines(`^!\[`), // for broad and for narrow screens
		"h1":         lines(`^# `),
		"h2":         lines(`^## `),
		"li":         lines(`^- \*\*`), // what threatens the validity
		"details":    lines(`^<details`) + lines(`^## `),
		"table":      rules,
		"tr":         lines(`^\|`) - rules,
		"blockquote": lines(`^> `),
	} {
		fail.UnlessSame(t, "elements "+element, page.elements[element], want)
	}
}

// A cell that is not in a steady state says so beside its figures: on the page, in the table of a run and in an answer. The page
// also shows how time passes.
func TestACellThatIsNotSteadySaysSo(t *testing.T) {
	r := small().results()
	for i := range r.Cells {
		c := &r.Cells[i]
		if c.Passed = (&results.Passed{WarmUp: 2 * c.N, Passage: script.Passage{Made: 1000, Due: 999}, Fired: 1234, Delays: 2.5}); c.Workload == "grid-uniform-50" {
			c.Passed.Due = 129
		}
	}
	const warning = "not in a steady state: 12 % come due"
	page := pageOf(t, r)
	fail.Unless(t, page,
		"grid-uniform-50 ("+warning+")", "**Not in a steady state.**", "How time passes in each cell", "1,234", "2.5",
	)
	fail.Unless(t, Summary(r, catalog.All()), "grid-uniform-50, n ", warning)
	fail.UnlessLacks(t, Summary(r, catalog.All()), "hold, n ")
	x, err := answer.Of(r, catalog.All()).Adviser().Answer(answer.Question{N: 1000, Cancel: 0.5})
	said := slices.IndexFunc(x.Cells, func(e answer.Used) bool { return strings.Contains(e.Differs, warning) })
	if err != nil || said < 0 || x.Cells[said].Workload != "grid-uniform-50" || !strings.Contains(strings.Join(x.Lines, " "), warning) {
		t.Errorf("%v, %+v", err, x)
	}
}

func TestThePageSaysHowToMakeItAgain(t *testing.T) {
	t.Parallel()
	r := tiny().results()
	r.Command = "timerbench run --profile=normal --structure='heap|^hwheel$'"
	r.Environment.Machine = []results.Finding{
		{Check: "load", Value: "3.1", Verdict: "warn", Advice: "end other programs"},
		{Check: "page size", Value: "4096", Verdict: "ok"},
	}
	r.Cells[0].LeftOut, r.Cells[0].Apart = []string{"list"}, true
	page := func() string { return pageOf(t, r) }
	got := page()
	fail.Unless(t, got,
		"```sh\ngit checkout 0123456789ab\nmake build\nbin/timerbench run --profile=normal --structure='heap|^hwheel$'\nbin/timerbench report\n```",
		"Of 2 checks, 1 warn: load (3.1).", "| load | 3.1 | warn | end other programs |", "| page size | 4096 | ok | – |",
		"**One machine, Some CPU @ 3.0GHz.**", "The program was linked once", "were left out of 1 cell.",
		"**Not interleaved.** The memory did not hold all structures of these cells together, so the run measured one structure after the other: hold, N = ",
		"A/A comparisons",
	)
	r.Environment.Revision += "+dirty"
	r.Environment.Machine[0].Verdict = "ok"
	r.Parameters.Layouts = 5
	got = page()
	fail.Unless(t, got, "git checkout 0123456789ab\n", "The run contained uncommitted changes.", "passed all 2 checks", "repeated in 5 layouts")
	r.Command, r.Environment.Machine = "", nil
	fail.Unless(t, page(), "**The machine** was not examined.")
	fail.UnlessLacks(t, page(), "git checkout") // no command is known
}

// rowsOf makes a run of one cell in which each structure has an instance in each round.
func rowsOf(costs map[string][]float64) *results.Run {
	c := results.Cell{Workload: "hold", N: 1_000_000, Unit: "lifecycle"}
	for _, name := range []string{"best", "near", "far"} {
		row := results.Row{Structure: name, Role: results.RoleStructure, Cost: trials(costs[name]...)}
		for i := range row.Cost {
			row.Cost[i].Instance = i
		}
		c.Rows = append(c.Rows, row)
	}
	return &results.Run{Complete: true, Cells: []results.Cell{c}}
}

func raced() *results.Run {
	return rowsOf(map[string][]float64{"best": {10, 10.1, 10.1, 10, 10.2, 10.1}, "near": {10.2, 9.8, 11, 11.2, 9.9, 10}, "far": {30, 31, 30, 30, 30, 31}})
}

func TestThePageCountsTheControlsThatDiffer(t *testing.T) {
	t.Parallel()
	r := raced()
	control := r.Cells[0].Rows[0]
	control.Structure, control.Role, control.Of, control.Cost = "best-control", results.RoleControl, "best", slices.Clone(control.Cost)
	for i := range control.Cost {
		control.Cost[i].NS *= 1.2
	}
	r.Cells[0].Rows = append(r.Cells[0].Rows, control)
	page := pageOf(t, r)
	fail.Unless(t, page, "Of 1 such A/A comparisons, 1 differ; chance alone makes about 0.05 differ.")
	fail.UnlessLacks(t, page, "> **The intervals are too narrow.**") // one control differs, which may be chance
	for range 5 {
		r.Cells = append(r.Cells, r.Cells[0])
		r.Cells[len(r.Cells)-1].Workload += fmt.Sprint(len(r.Cells))
	}
	fail.Unless(t, pageOf(t, r), "> **The intervals are too narrow.** Of 6 comparisons of a structure with a second instance of itself, 6 differ")
}

// liveFixture adds timers under a real clock to results, or makes results of them alone.
func liveFixture(r *results.Run, goroutines ...int) *results.Run {
	l := &results.Live{Rounds: 2, Goroutines: goroutines, Rate: 1000}
	row := func(name string, role results.Role, structure string, resident int, speed float64) {
		out := results.LiveRow{Name: name, Role: role, Structure: structure, Resident: resident, StopNS: 4e6}
		if resident < 10_000 {
			out.MoveNS = 5e6
		}
		for round := range l.Rounds {
			for _, op := range results.Ops {
				for _, g := range goroutines {
					out.Throughput = append(out.Throughput, results.LiveThroughput{
						Turn: round, Op: op, Goroutines: g, Ops: 1000, NS: 1e6 / speed / float64(g+round), Dead: 1000, Due: 990,
					})
					if t := &out.Throughput[len(out.Throughput)-1]; op.Moves() && resident > 10_000 {
						t.Due = 0
					}
				}
			}
			out.Lateness = append(out.Lateness, results.LiveLateness{
				Round: round, Rate: 1000, Timers: 2000, P50: 5e5, P90: 9e5, P99: 1e6, P999: 2e6, Max: 5e6, Use: results.LiveUse{Seconds: 1},
			})
			out.Memory = append(out.Memory, results.LiveMemory{Form: "afterfunc", Bytes: 100, CollectNS: 1e6})
		}
		l.Rows = append(l.Rows, out)
	}
	for _, n := range []int{1000, 100_000} {
		row("time", results.RoleBaseline, "", n, 1)
		row("hwheel tickless", results.RoleStructure, "hwheel", n, 3)
		row("hwheel tickless, shards 1", results.RoleStructure, "hwheel", n, 2)
		row("some_body's *timers*", results.RolePeer, "", n, 0.5)
	}
	r.Live = l
	return r
}

func TestThePageShowsLiveTimers(t *testing.T) {
	run := fixture{structures: six, workloads: workloads[:1], sizes: []int{100}, trials: 6}.results()
	fail.Unless(t, pageOf(t, run), "take part in no workload. `timerbench live --into FOLDER`")
	page := pageOf(t, liveFixture(run, 1, 2, 4))
	fail.Unless(t, page,
		"Memory of 100,000 timers", `some\_body's \*timers\*`,
		"**another measurement, under the real clock**", "Processor time of an operation with 1 goroutine among 1,000 timers", "| hwheel tickless | 250 (0.33) |",
		"among 1,000 timers 99 % of the stopped timers and 99 % of the moved ones, which are due after 5 ms",
		"among 100,000 timers 99 % of the stopped timers and 0 % of the moved ones, which are due after minutes, so nobody pays for them: not a steady state",
	)
	fail.UnlessLacks(t, pageOf(t, liveFixture(&results.Run{Complete: true}, 1, 2)), "No workload has a measured cost")
}

// An interval of a factor of more than 10 is no figure. Rounds in two groups are named.
func TestTheSummaryShowsNoIntervalThatSaysNothing(t *testing.T) {
	r := rowsOf(map[string][]float64{"best": {100, 101, 99, 400, 401, 402}, "near": {400, 500, 450_000}})
	for i, name := range []string{"auto", "minheap"} {
		r.Cells[0].Rows[i].Structure = name
	}
	got := Summary(r, catalog.All())
	if regexp.MustCompile(`\d{4} ?%`).MatchString(got) || !strings.Contains(got, "±–") || !strings.Contains(got, "hold, n 1000000: auto has rounds in two groups: 100 and 401\n") {
		t.Error(got)
	}
	costs := Costs(r, catalog.All()).CSV()
	if !strings.Contains(costs, ",two groups: 100 and 401\n") || !strings.Contains(pageOf(t, r, "auto", "minheap"), "two groups: 100 and 401") {
		t.Errorf("the table of costs, or the page, does not say so:\n%s", costs)
	}
}
