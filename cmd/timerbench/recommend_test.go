package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/internal/tracetest"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// The questions of the golden file.
var questions = [][]string{
	{"recommend", "--n", "1e5", "--cancel", "50%", "--dist", "clustered", "--rate", "50000/s"},
	{"recommend", "--n", "12000", "--cancel", "0.9", "--by", "memory", "--late"},
	{"recommend", "--trace", "my.trace"},
}

func TestRecommendGolden(t *testing.T) {
	golden, err1 := filepath.Abs("testdata/recommend.txt")
	trace, err2 := filepath.Abs("../../traces/http.trace")
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	t.Chdir(t.TempDir()) // no runs: the results are those of the program
	t.Setenv("COLUMNS", "80")
	fail.Write(t, "my.trace", fail.Read(t, trace))
	var b strings.Builder
	for _, args := range questions {
		b.WriteString("$ timerbench " + strings.Join(args, " ") + "\n")
		stdout, stderr := must(t, args...)
		b.WriteString(strings.ReplaceAll(stdout+stderr, os.Args[0], "timerbench") + "\n")
	}
	if *update {
		fail.Write(t, golden, b.String())
	} else if want := fail.Read(t, golden); b.String() != want {
		t.Errorf("recommend says (rewrite %s with -update):\n%s\nwant:\n%s", golden, b.String(), want)
	}
}

func TestTheQuestionOfATrace(t *testing.T) {
	s := &tracestat.Summary{Resident: 500, CancelRate: 0.75, Delays: tracestat.Delays{Count: 9, P50: 500, P90: 900, P99: 990}}
	s.Totals.Fired, s.Totals.Ops = 100, [len(s.Totals.Ops)]uint64{trace.Schedule: 400, trace.Cancel: 300, trace.Reschedule: 200, trace.Advance: 80}
	if q := questionOf(s); q != (answer.Question{N: 500, Cancel: 0.75, Delays: "uniform", Reschedule: 0.2, By: answer.Time}) {
		t.Errorf("%+v", q)
	}
}

// docs/data.md names each field that recommend --json prints, and no other ones.
func TestTheJSONOfRecommendIsDocumented(t *testing.T) {
	_, text, _ := strings.Cut(fail.Read(t, "../../docs/data.md"), "\n## The answer of recommend\n")
	text, _, _ = strings.Cut(text, "\n## ")
	_, table, _ := strings.Cut(text, "|---|---|\n")
	documented := make(map[string]bool)
	for _, m := range regexp.MustCompile("`([a-z_0-9]+)`").FindAllStringSubmatch(table, -1) {
		documented[m[1]] = true
	}
	printed := make(map[string]bool)
	var note func(v any)
	note = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, value := range v {
				printed[key] = true
				note(value)
			}
		case []any:
			for _, value := range v {
				note(value)
			}
		}
	}
	for _, args := range [][]string{
		{"--n", "12000", "--cancel", "90%", "--dist", "uniform", "--rate", "50000/s", "--late"}, {"--trace", "my.trace"},
		{"--n", "10000", "--cancel", "90%", "--dist", "uniform"}, {"--by", "memory", "--order", "fifo"}, {"--program", "hold", "--n", "10"},
		{"--n", "1000", filepath.Join("..", "..", "report", "testdata", "few.json.gz")},
		{"--n", "100", aRun(t)}, {"--n", "100", underRealClock(t)}, {"--n", "1000", filepath.Join("..", "..", "docs", "results", "intel-xeon-2-cores.json.gz")},
		{"--program", "fill-drain", "--n", "100", filepath.Join("..", "..", "docs", "results", "amd-epyc-2-cores.json.gz")}, // has groups
	} {
		if args[0] == "--trace" {
			args[1] = filepath.Join(t.TempDir(), "my.trace")
			tracetest.File(t, args[1], "churn", 20, 1e4)
		}
		stdout, _ := must(t, slices.Concat([]string{"recommend", "--json"}, args)...)
		var top map[string]any
		fail.If(t, json.Unmarshal([]byte(stdout), &top), stdout)
		note(top)
	}
	if !maps.Equal(printed, documented) {
		t.Errorf("printed are %q\ndocumented %q", slices.Sorted(maps.Keys(printed)), slices.Sorted(maps.Keys(documented)))
	}
}

// underRealClock is the folder of a run with the cost of Go's own timers and of the driver on each of its structures.
func underRealClock(t *testing.T) string {
	r := resultsOf(t, aRun(t))
	r.Live = &results.Live{Goroutines: []int{1}}
	add := func(name string, role results.Role, structure string, ns float64) {
		row := results.LiveRow{Name: name, Role: role, Structure: structure, Resident: 100}
		for _, op := range results.Ops {
			row.Throughput = append(row.Throughput, results.LiveThroughput{Op: op, Goroutines: 1, Ops: 1, NS: ns})
		}
		r.Live.Rows = append(r.Live.Rows, row)
	}
	add("time", results.RoleBaseline, "", 200)
	for _, name := range r.Parameters.Structures {
		add(name+" tickless", results.RoleStructure, name, 100)
	}
	folder := t.TempDir()
	put(t, folder, r)
	return folder
}

// recommend takes the named run and prints its name.
func TestRecommendTakesTheRunThatIsNamed(t *testing.T) {
	file := filepath.Join(aRun(t), store.FileName)
	for _, named := range []string{aRun(t), file} {
		stdout, _ := must(t, "recommend", "--n", "50", named)
		fail.Unless(t, stdout, "From "+file+": the smoke run of ", "rbtree")
	}
	refused(t, []string{"recommend", "--program", "absent", file}, `no cell of these results is of program "absent"`)
}

// keptRun returns the run that is part of the program, with all structures and workloads in its
// parameters: the run may lack newer ones.
func keptRun(t *testing.T) *results.Run {
	t.Helper()
	last, err := lastKept()
	fail.If(t, err)
	r := *last
	profile, _ := bench.FindProfile(r.Parameters.Profile)
	r.Parameters.Structures = names(catalog.All(), nameOfStructure)
	r.Parameters.Workloads = names(profile.Workloads(), nameOfWorkload)
	return &r
}

// A later partial run answers for its cells if it has all structures. The other answers come from
// the last whole run, or from the run that is part of the program. report draws the last run.
func TestARunOfAPartAnswersForItsCells(t *testing.T) {
	t.Chdir(t.TempDir())
	whole := keptRun(t)
	all := whole.Parameters.Structures
	part := func(folder string, after int, change func(*results.Run)) string {
		r := *whole
		r.Cells = r.Cells[:4]
		r.Created = time.Date(2026, 1, 1+after, 0, 0, 0, 0, time.UTC)
		change(&r)
		put(t, filepath.Join(store.Parent, folder), &r)
		return filepath.Join(store.Parent, folder, store.FileName)
	}
	answering := func(step, wantFrom, wantNote string) {
		t.Helper()
		s, err := find("")
		if err != nil || s.from != wantFrom || !strings.HasPrefix(s.note, wantNote) || len(s.run.Cells) == 0 {
			t.Errorf("after %s: %v, from %q: %q, want one from %q that says %q", step, err, s.from, s.note, wantFrom, wantNote)
		}
	}
	small := part("small", 1, func(r *results.Run) {
		r.Parameters.Structures, r.Parameters.N = all[:1], []int{10}
		r.Cells = r.Cells[:1]
	})
	few := small + " is a part of a run and lacks structures, so it does not answer unless it is named."
	answering("a run of one structure", builtIn, few)

	wholePath := part("whole", 0, func(r *results.Run) {
		if !bench.Whole(r.Parameters, catalog.All()) {
			t.Fatal("the run of the program is not whole")
		}
	})
	answering("a whole run", wholePath, few)

	first := whole.Cells[0]
	cells := part("z-cells", 2, func(r *results.Run) {
		r.Cells, r.Parameters.N = slices.Clone(r.Cells[:2]), []int{60}
		for i := range r.Cells {
			r.Cells[i].N = 60
		}
	})
	answering("a run of all structures", wholePath, first.Workload+", n 60 and 1 more cell: from "+cells+", the normal run of ")

	tracetest.File(t, "my.trace", "churn", 20, 1e4)
	must(t, "trace", "replay", "my.trace", "--trials", "1", "-o", filepath.Join(store.Parent, "z-trace"))
	replayed := filepath.Join(store.Parent, "z-trace", store.FileName)
	note := "trace-churn, n 20: from " + replayed + ", the trace run of "
	answering("a replay", wholePath, note)
	stdout, _ := must(t, "recommend", "--trace", "my.trace")
	fail.Unless(t, stdout, "\nFrom "+wholePath+": the normal run of ", note) // the answer rests on it
	_, stderr := must(t, "explain", "auto")
	fail.Unless(t, stderr, "results: "+wholePath, note)
	if last, err := store.Locate(store.Parent); last != replayed {
		t.Errorf("report draws %s, %v", last, err)
	}
	var typical strings.Builder
	if showTypical(&typical, whole); strings.Count(typical.String(), "Take ") != 1 {
		t.Errorf("%s, want an answer", typical.String())
	}
}

// The built-in run answers alone, and says why, if the budget of the last whole run left out what is nearest to the question.
func TestARunAnswersOnlyWithWhatItHas(t *testing.T) {
	t.Chdir(t.TempDir())
	mine := keptRun(t)
	mine.Cells = slices.DeleteFunc(slices.Clone(mine.Cells), func(c results.Cell) bool { return c.N > 10_000 })
	mine.Memory, mine.NotMeasured, mine.Parameters.Budget = nil, []string{"memory", "grid-uniform-50, n 1000000"}, 300
	put(t, filepath.Join(store.Parent, "mine"), mine)
	path := filepath.Join(store.Parent, "mine", store.FileName)
	for line, from := range map[string]string{
		"--n 1e6 --cancel 50%": builtIn, "--by memory": builtIn, "--n 1e6 --by tail --json": "",
		"--n 1e4 --cancel 50%": path, "--cancel 50%": path, "--n 1e6 --cancel 50% " + path: path, "--n 1e7 --by longest": path,
	} {
		stdout, _ := must(t, append([]string{"recommend"}, strings.Fields(line)...)...)
		stdout = strings.Join(strings.Fields(stdout), " ")
		if fail.Unless(t, stdout, show.When(from != "", "From "+from+": ")); from != path {
			fail.Unless(t, stdout, path+" does not answer: its budget left out", "run --budget 600s")
		} else {
			fail.UnlessLacks(t, stdout, "does not answer")
		}
	}
}

// An answer from results with little data names the missing data.
func TestRecommendFromResultsThatHoldLittle(t *testing.T) {
	two := filepath.Join("..", "..", "report", "testdata", "few.json.gz")
	write := func(change func(*results.Run)) string {
		t.Helper()
		r, err := store.ReadFile(two)
		fail.If(t, err)
		change(r)
		folder := t.TempDir()
		put(t, folder, r)
		return folder
	}
	one := write(func(r *results.Run) {
		for i := range r.Cells {
			r.Cells[i].Rows = slices.DeleteFunc(r.Cells[i].Rows, func(row results.Row) bool { return row.Structure != "hwheel" })
		}
	})
	partial := write(func(r *results.Run) { r.Complete, r.Cells = false, r.Cells[:1] })
	trace := write(func(r *results.Run) {
		r.Cells = r.Cells[len(r.Cells)-1:]
		c := &r.Cells[0]
		c.Workload, c.Category = "mine", "recorded"
		r.Parameters.Traces = map[string]results.Recording{"mine": {File: "mine.trace"}}
	})
	for want, path := range map[string]string{
		"Take quadheap": two,
		"Nothing else was measured for this question.":   one,
		"The run was interrupted: cells may be missing.": partial,
		"From 1 cell: mine with ":                        trace,
	} {
		stdout, _ := must(t, "recommend", "--n", "1000", "--cancel", "90%", path)
		fail.Unless(t, stdout, want)
	}
	refused(t, []string{"recommend", "--by", "memory", two}, "these results hold no figures by memory")
}

func TestExplain(t *testing.T) {
	done := aRun(t)
	t.Chdir(t.TempDir())
	stdout, stderr := must(t, "explain", "hwheel")
	fail.Unless(t, stdout, "hwheel\n", "Varghese & Lauck", "│ 103 │", "2. Cancel the timer of tick 210", "x210", "arrival buffer", " cells")
	if want := "results: the run that is part of this program"; !strings.HasPrefix(stderr, want) {
		t.Errorf("explain says %q, want %q", stderr, want)
	}
	for _, from := range []string{done, filepath.Join(done, store.FileName)} {
		stdout, stderr := must(t, "explain", "rbtree", "-r", from)
		if fail.Unless(t, stdout, "of 4 cells"); stderr != "" {
			t.Errorf("with results it says %q", stderr)
		}
	}
}
