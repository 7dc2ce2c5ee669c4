package answer_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

// costs are the costs of structures in a cell, in nanoseconds.
type costs map[string]float64

// noise is the deviation of a round, in percent.
const noise = 0.1

// cell is a cell of the grid. Its trials vary by the noise.
func cell(n, cancelPercent int, delays string, of costs) results.Cell {
	c := results.Cell{
		Workload: fmt.Sprintf("grid-%s-%d", delays, cancelPercent), N: n, Resident: float64(n), Unit: script.PerLifecycle, Category: "grid",
		Grid: &results.Grid{Delays: delays, CancelPercent: cancelPercent}, CancelRate: float64(cancelPercent) / 100,
	}
	c.Rows = append(c.Rows, results.Row{Structure: "null", Role: results.RoleFloor, Latency: latency(20)})
	c.Rows[0].Latency[1].P99 = 0
	for _, name := range []string{"hwheel", "auto", "quadheap", "rbtree", "list", "hwheel-linux", "unheard"} {
		if ns, ok := of[name]; ok {
			c.Rows = append(c.Rows, results.Row{Structure: name, Role: results.RoleStructure, Cost: trials(ns), Latency: latency(20 + 10*ns)})
		}
	}
	return c
}

func trials(ns float64) []results.Trial {
	var out []results.Trial
	for round := range 8 {
		sign := float64(round%2*2-1) * math.Mod(ns, 7) // not alike in all structures
		out = append(out, results.Trial{Instance: round, Round: round, NS: 1000 * ns * (1 + noise/100*sign), Units: 1000, Ops: 2000, Wakes: 200})
	}
	return out
}

// latency has one kind of call with enough samples, and one without.
func latency(p99 float64) []results.Latency {
	return []results.Latency{{Kind: script.KindFire, Samples: 5000, P50: p99, P90: p99, P99: p99, P999: p99, Max: p99}, {Kind: script.KindWake, Samples: 50, P99: 1e6}}
}

func run(cells ...results.Cell) *results.Run {
	return &results.Run{Complete: true, Cells: cells, Environment: results.Environment{ClockNS: 20}}
}

func ask(t *testing.T, r *results.Run, q answer.Question) answer.Answer {
	t.Helper()
	x, err := answer.Of(r, catalog.All()).Adviser().Answer(q)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func names(x answer.Answer) []string {
	var out []string
	for _, s := range x.Ranking {
		out = append(out, s.Structure)
	}
	return out
}

func wantNames(t *testing.T, x answer.Answer, want ...string) {
	t.Helper()
	if got := names(x); !slices.Equal(got, want) {
		t.Errorf("ranking %q, want %q: %s", got, want, x.Sentence())
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 0.01*math.Abs(b) }

// twoSizes has different answers at 1,000 and at 100,000 timers.
func twoSizes() *results.Run {
	return run(
		cell(1000, 0, "uniform", costs{"hwheel": 40, "quadheap": 20, "rbtree": 80}),
		cell(100_000, 0, "uniform", costs{"hwheel": 50, "quadheap": 150, "rbtree": 400}),
	)
}

func TestAMeasuredQuestionIsAnsweredByItsCell(t *testing.T) {
	t.Parallel()
	x := ask(t, twoSizes(), answer.Question{N: 100_000, Delays: "uniform"})
	wantNames(t, x, "hwheel", "quadheap", "rbtree")
	if len(x.Evidence) != 1 || x.Evidence[0].N != 100_000 || x.Evidence[0].Weight != 1 || x.Evidence[0].Distance != 0 || x.Evidence[0].Differs != "" {
		t.Errorf("evidence %+v, want the cell of the question", x.Evidence)
	}
	if next := x.Ranking[1]; !near(next.Score, 3) || !near(next.Times.Center, 3) || !(next.Times.Lo < 3 && next.Times.Hi > 3) {
		t.Errorf("next is %+v, want 3 times", next)
	}
	want := "For about 100,000 timers, none cancelled, uniform delays: take hwheel, 50 ns per timer. Next: quadheap, 2.9 to 3.1 times as long."
	if !strings.HasPrefix(x.Sentence(), want[:len(want)-len("2.9 to 3.1 times as long.")]) || !strings.HasSuffix(x.Sentence(), " times as long.") {
		t.Errorf("%s\nwant about\n%s", x.Sentence(), want)
	}
	wantNames(t, ask(t, twoSizes(), answer.Question{N: 1000}), "quadheap", "hwheel", "rbtree")
	// A cost that nobody has measured is that of the nearest cell, which is named.
	if x := ask(t, twoSizes(), answer.Question{N: 3000}); !strings.Contains(x.Sentence(), "quadheap, 20 ns per timer in grid-uniform-0 with 1,000 timers. Next: ") {
		t.Error(x.Sentence())
	}
}

// Half way in decades both cells count alike.
func TestBetweenCellsTheAnswerIsTheMean(t *testing.T) {
	t.Parallel()
	x := ask(t, twoSizes(), answer.Question{N: 10_000, Delays: "uniform"})
	if len(x.Evidence) != 2 || !near(x.Evidence[0].Weight, 0.5) {
		t.Fatalf("evidence %+v, want both cells alike", x.Evidence)
	}
	wantNames(t, x, "hwheel", "quadheap", "rbtree")
	if got, want := x.Ranking[0].Score, math.Sqrt(2*1); !near(got, want) {
		t.Errorf("hwheel has the score %.3f, want %.3f", got, want)
	}
	if got, want := x.Ranking[1].Score, math.Sqrt(1*3); !near(got, want) {
		t.Errorf("quadheap has the score %.3f, want %.3f", got, want)
	}
	if got, want := x.Ranking[1].Times.Center, math.Sqrt(3.0/2); !near(got, want) {
		t.Errorf("quadheap is %.3f times as long, want %.3f", got, want)
	}
	nearer := ask(t, twoSizes(), answer.Question{N: 5000})
	if e := nearer.Evidence[0]; e.N != 1000 || e.Weight < 0.7 {
		t.Errorf("5,000 timers rest on %+v first", e)
	}
}

// moves is a cell in which each call moves a timer.
func moves() results.Cell {
	c := cell(1000, 0, "uniform", costs{"hwheel": 5, "quadheap": 50})
	c.Workload, c.Grid, c.Unit = "moves", nil, script.PerReschedule
	for _, row := range c.Rows {
		for j := range row.Cost {
			row.Cost[j].Units = 2000
		}
	}
	return c
}

func TestEachFeatureCounts(t *testing.T) {
	t.Parallel()
	r := run(
		cell(1000, 0, "uniform", costs{"hwheel": 40, "quadheap": 20}), cell(1000, 90, "uniform", costs{"hwheel": 20, "quadheap": 40}),
		cell(1000, 0, "clustered", costs{"hwheel": 10, "rbtree": 5, "quadheap": 6}),
	)
	r.Cells = append(r.Cells, moves())
	for _, test := range []struct {
		answer.Question
		workload, first string
	}{
		{answer.Question{N: 1000, Delays: "uniform"}, "grid-uniform-0", "quadheap"},
		{answer.Question{N: 1000, Delays: "uniform", Cancel: 0.9}, "grid-uniform-90", "hwheel"},
		{answer.Question{N: 1000, Delays: "clustered"}, "grid-clustered-0", "rbtree"},
		{answer.Question{N: 1000, Reschedule: 1}, "moves", "hwheel"},
	} {
		x := ask(t, r, test.Question)
		if x.Evidence[0].Workload != test.workload || x.Ranking[0].Structure != test.first {
			t.Errorf("%+v rests on %s and names %s, want %s and %s", test.Question, x.Evidence[0].Workload, x.Ranking[0].Structure, test.workload, test.first)
		}
	}
	poll := cell(1000, 0, "uniform", costs{"rbtree": 1, "hwheel": 9})
	for i := range poll.Rows {
		for j := range poll.Rows[i].Cost {
			poll.Rows[i].Cost[j].Wakes = 4000
		}
	}
	r.Cells = append(r.Cells, poll)
	for perWake, first := range map[float64]string{10: "quadheap", 0.5: "rbtree"} {
		if x := ask(t, r, answer.Question{N: 1000, Delays: "uniform", PerWake: perWake}); x.Ranking[0].Structure != first {
			t.Errorf("with %g calls a wake-up %s, want %s", perWake, x.Ranking[0].Structure, first)
		}
	}
}

func TestAFarCellIsNamed(t *testing.T) {
	t.Parallel()
	x := ask(t, twoSizes(), answer.Question{N: 1e7, Cancel: 0.99})
	for _, want := range []string{"grid-uniform-0 with 100,000 timers, is far from it: ", "100 times fewer timers", "0 % cancelled", "timerbench trace replay"} {
		if !strings.Contains(x.Far, want) {
			t.Errorf("%q does not say %q", x.Far, want)
		}
	}
	if x := ask(t, twoSizes(), answer.Question{N: 3000}); !strings.Contains(x.Far, "grid-uniform-0 with 1,000 timers, is near it: 3.0 times fewer timers.") {
		t.Errorf("3,000 timers: %s", x.Far)
	}
	if x := ask(t, twoSizes(), answer.Question{N: 1100}); x.Far != "" {
		t.Errorf("1,100 timers: %s", x.Far)
	}
	r := run(cell(1000, 0, "uniform", costs{"auto": 30, "quadheap": 20, "rbtree": 80}))
	x = ask(t, r, answer.Question{N: 1e6, Cancel: 0.99})
	if x.Name != "auto" || !slices.Equal(x.Candidates, []string{"quadheap"}) || x.Rest != "" ||
		!strings.HasSuffix(x.Sentence(), "take auto, the default, because no cell of the results is near this question.") ||
		!strings.Contains(x.Far, " quadheap is the fastest there.") {
		t.Errorf("far away the default is named: %q, %s %s", x.Candidates, x.Sentence(), x.Far)
	}
	if x := ask(t, r, answer.Question{N: 2000}); x.Name != "quadheap" {
		t.Errorf("2,000 timers: %s", x.Sentence())
	}
	a := answer.Of(twoSizes(), catalog.All()).Adviser()
	if _, err := a.Answer(answer.Question{N: 1000, Delays: "clustered"}); err == nil || !strings.Contains(err.Error(), "this run did not measure clustered delays: it has uniform delays; timerbench run --workload '^grid-clustered-'") {
		t.Errorf("a shape that nothing has: %v", err)
	}
	if q := a.Measured(answer.Question{N: 1000, Delays: "clustered"}); q.Delays != "" {
		t.Errorf("a shape that nothing has: %+v", q)
	}
}

// Constant delays are no shape among others: a nearer cell with another shape says nothing of them, and the reverse.
func TestConstantDelaysAreAnsweredByCellsWithConstantDelays(t *testing.T) {
	t.Parallel()
	r := run(
		cell(100_000, 90, "uniform", costs{"hwheel": 20, "quadheap": 40}), cell(1000, 90, "constant", costs{"hwheel": 40, "quadheap": 20}),
	)
	for _, test := range []struct{ delays, workload, first string }{
		{"constant", "grid-constant-90", "quadheap"}, {"uniform", "grid-uniform-90", "hwheel"},
	} {
		for _, n := range []float64{1000, 1e5} {
			x := ask(t, r, answer.Question{N: n, Cancel: 0.9, Delays: test.delays})
			if len(x.Evidence) != 1 || x.Evidence[0].Workload != test.workload || x.Ranking[0].Structure != test.first {
				t.Errorf("%s: it rests on %+v, want %s", x.Sentence(), x.Evidence, test.workload)
			}
		}
	}
	if x := ask(t, r, answer.Question{N: 10_000, Cancel: 0.9}); len(x.Evidence) != 2 {
		t.Errorf("any delays: %+v", x.Evidence)
	}
	recorded := cell(1000, 90, "mixed", costs{"hwheel": 20, "quadheap": 40})
	recorded.Grid, recorded.Resident = nil, 1500 // it does not say how its delays are spread
	r.Cells = append(r.Cells, recorded)
	if x := ask(t, r, answer.Question{N: 1500, Cancel: 0.9, Delays: "constant"}); len(x.Evidence) != 2 {
		t.Errorf("a cell of unknown delays: %+v", x.Evidence)
	}
	r.Parameters.Traces = map[string]results.Recording{recorded.Workload: {Delays: "constant"}}
	if x := ask(t, r, answer.Question{N: 1500, Cancel: 0.9, Delays: "constant"}); x.Evidence[0].Weight < 0.8 || x.Far != "" || x.Name != "hwheel" {
		t.Errorf("a recording of constant delays: %s, %+v", x.Sentence(), x.Evidence)
	}
}

func TestTiesAndWhatIsUnclear(t *testing.T) {
	t.Parallel()
	r := run(cell(1000, 0, "uniform", costs{"hwheel": 20, "quadheap": 20, "rbtree": 30}))
	for j := range r.Cells[0].Rows[2].Cost { // within 5 %, and not certain
		r.Cells[0].Rows[2].Cost[j].NS *= 0.996 + 0.01*float64((j>>1)%2)
	}
	x := ask(t, r, answer.Question{N: 1000})
	wantStandings(t, x, stats.Tie, stats.Tie, stats.Worse)
	if !strings.Contains(x.Sentence(), ": take hwheel, 20 ns per timer; 1 other cannot be told apart from it. Next: rbtree, ") {
		t.Error(x.Sentence())
	}
	r = run(cell(1000, 0, "uniform", costs{"hwheel": 20, "quadheap": 21, "rbtree": 40}))
	for i, row := range r.Cells[0].Rows[1:] {
		for j := range row.Cost {
			row.Cost[j].NS *= 1 + 0.1*float64((j>>i)%2)
		}
	}
	x = ask(t, r, answer.Question{N: 1000})
	wantStandings(t, x, stats.Tie, stats.Unclear, stats.Worse)
	if !strings.Contains(x.Sentence(), ": take hwheel, 21.8 ns per timer; 1 other cannot be told apart from it. Next: rbtree, ") {
		t.Error(x.Sentence())
	}
	// A difference of less than 5 % is a tie, however certain it is: of times, of bytes, of wake-ups.
	wantStandings(t, ask(t, run(cell(1000, 0, "uniform", costs{"hwheel": 20, "quadheap": 20.2})), answer.Question{N: 1000}), stats.Tie, stats.Tie)
	r = run(cell(1000, 0, "uniform", costs{"hwheel": 20, "quadheap": 30, "rbtree": 40}))
	r.Memory = []results.Memory{{Structure: "hwheel", N: 1000, Bytes: 32.1}, {Structure: "quadheap", N: 1000, Bytes: 32.5}, {Structure: "rbtree", N: 1000, Bytes: 33.9}}
	x = ask(t, r, answer.Question{N: 1000, Matters: answer.Weights{answer.Memory: 1}})
	wantStandings(t, x, stats.Tie, stats.Tie, stats.Worse)
	if !strings.HasSuffix(x.Sentence(), ": take hwheel; 1 other cannot be told apart from it. Next: rbtree, 1.06 times its score.") {
		t.Error(x.Sentence())
	}
}

func wantStandings(t *testing.T, x answer.Answer, want ...stats.Standing) {
	t.Helper()
	var got []stats.Standing
	for _, s := range x.Ranking {
		got = append(got, s.Standing)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: standings %v, want %v", x.Sentence(), got, want)
	}
}

// Where nothing is said of cancels and moves, all cells of that size answer.
func TestWhatIsNotKnownDoesNotCount(t *testing.T) {
	t.Parallel()
	r := run(cell(1000, 0, "uniform", costs{"hwheel": 40, "quadheap": 20}), cell(1000, 90, "uniform", costs{"hwheel": 20, "quadheap": 20}), moves())
	for _, test := range []struct {
		cancel, moved float64
		rests         []string
	}{
		{answer.Unknown, answer.Unknown, []string{"grid-uniform-0", "grid-uniform-90", "moves"}},
		{answer.Unknown, 0, []string{"grid-uniform-0", "grid-uniform-90"}},
		{0.9, answer.Unknown, []string{"grid-uniform-90"}},
		{0.9, 0, []string{"grid-uniform-90"}},
		{answer.Unknown, 1, []string{"moves"}},
	} {
		x := ask(t, r, answer.Question{N: 1000, Cancel: test.cancel, Reschedule: test.moved})
		var rests []string
		for _, e := range x.Evidence {
			rests = append(rests, e.Workload)
		}
		slices.Sort(rests)
		if !slices.Equal(rests, test.rests) || x.Far != "" {
			t.Errorf("%s rests on %q, want %q", x.Words(), rests, test.rests)
		}
	}
}

func TestWeights(t *testing.T) {
	t.Parallel()
	c := cell(1000, 0, "uniform", costs{"hwheel": 10, "quadheap": 20, "rbtree": 40})
	c.Rows[1].Latency = latency(20 + 980) // hwheel
	c.Rows[2].Latency = latency(20)       // quadheap: no more than the floor
	c.Rows[3].Latency = latency(20 + 20)
	r := run(c)
	r.Memory = []results.Memory{
		{Structure: "hwheel", N: 100_000, Bytes: 1, AgedBytes: 30, EmptyBytes: 70_000}, {Structure: "quadheap", N: 100_000, AgedBytes: 40}, {Structure: "rbtree", N: 100_000, AgedBytes: 50},
	}
	for _, name := range []string{"hwheel", "quadheap", "rbtree"} {
		for i, driver := range []results.Driver{results.Ticking, results.Tickless} {
			r.Idle = append(r.Idle, results.Idle{Structure: name, N: 1000, Distribution: "uniform", Driver: driver, Ticks: 1000, Fired: 50, Wakeups: uint64(100 * (1 + i*len(name)/8)), Moved: uint64(i * len(name) / 8 * 100)})
		}
	}
	for _, test := range []struct {
		weights string
		want    []string
		scores  []float64
	}{
		{"throughput", []string{"hwheel", "quadheap", "rbtree"}, []float64{1, 2, 4}},
		{"tail", []string{"quadheap", "rbtree", "hwheel"}, []float64{1, 2, 50}},
		// 30 bytes and 70 of 70,000 empty ones, less what these were among 100,000.
		{"memory=3", []string{"quadheap", "rbtree", "hwheel"}, []float64{1, 1.25, (30 - 0.7 + 70) / 40}},
		{"idle", []string{"hwheel", "rbtree", "quadheap"}, []float64{1, 1, 2}},
		{"throughput=1, tail=1", []string{"quadheap", "rbtree", "hwheel"}, []float64{math.Sqrt2, math.Sqrt(8), math.Sqrt(50)}},
	} {
		w, err := answer.ParseWeights(test.weights)
		if err != nil {
			t.Fatal(err)
		}
		x := ask(t, r, answer.Question{N: 1000, Matters: w})
		wantNames(t, x, test.want...)
		for i, want := range test.scores {
			if got := x.Ranking[i].Score; !near(got, want) {
				t.Errorf("%s: %s has the score %.3f, want %.3f", test.weights, x.Ranking[i].Structure, got, want)
			}
		}
		if named := strings.Contains(x.Sentence(), "by "); named != (test.weights != "throughput") {
			t.Errorf("%s: %s", test.weights, x.Sentence())
		}
	}
	for _, bad := range []string{"speed", "tail=much", "tail=-1", "tail=0", "", "throughput=1,,tail=1", "tail=Inf"} {
		if w, err := answer.ParseWeights(bad); err == nil {
			t.Errorf("weights %q are read as %+v", bad, w)
		}
	}
}

func TestACoarseStructureIsNamedAsSuch(t *testing.T) {
	t.Parallel()
	r := run(cell(1000, 0, "uniform", costs{"hwheel-linux": 10, "rbtree": 15, "hwheel": 20, "unheard": 30}))
	x := ask(t, r, answer.Question{N: 1000, Late: true})
	if !strings.Contains(x.Sentence(), ": take hwheel-linux, 10 ns per timer. hwheel-linux is late by less than 8/63") || !strings.Contains(x.Sentence(), ". Next: rbtree, ") {
		t.Error(x.Sentence())
	}
	wantNames(t, ask(t, r, answer.Question{N: 1000}), "rbtree", "hwheel")
}

// The list is made for few timers only.
func TestALimitedStructureIsLeftOut(t *testing.T) {
	t.Parallel()
	r := run(cell(10_000, 0, "uniform", costs{"list": 1, "hwheel": 20}))
	wantNames(t, ask(t, r, answer.Question{N: 10_000}), "list", "hwheel")
	wantNames(t, ask(t, r, answer.Question{N: 20_000}), "hwheel")
}

// A structure that was measured in a small part of the evidence has no score.
func TestAStructureThatWasHardlyMeasuredIsLeftOut(t *testing.T) {
	t.Parallel()
	r := twoSizes()
	r.Cells[1] = cell(100_000, 0, "uniform", costs{"hwheel": 50, "quadheap": 150})
	wantNames(t, ask(t, r, answer.Question{N: 20_000}), "hwheel", "quadheap")
	wantNames(t, ask(t, r, answer.Question{N: 2000}), "quadheap", "hwheel", "rbtree")
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	t.Parallel()
	one := run(cell(1000, 0, "uniform", costs{"hwheel": 20}))
	one.Complete = false
	x := ask(t, one, answer.Question{N: 1000, Matters: answer.Balanced})
	got := strings.Join(x.Missing, "\n")
	for _, want := range []string{"no figures for memory", "no figures for idle wake-ups", "one structure only", "interrupted"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q does not say %q", got, want)
		}
	}
	if strings.Contains(got, "tail") || !strings.Contains(x.Sentence(), ". Nothing else was measured.") {
		t.Errorf("%s\n%s", x.Sentence(), got)
	}
	idle := cell(1000, 0, "uniform", costs{"hwheel": 20})
	idle.Unit = script.PerTick
	bare := cell(1000, 0, "uniform", costs{})
	for name, r := range map[string]*results.Run{"empty": {}, "idle": run(idle), "no rows": run(bare)} {
		a := answer.Of(r, catalog.All()).Adviser()
		if _, err := a.Answer(answer.Question{N: 1000}); err == nil || !strings.Contains(err.Error(), "no costs of structures") {
			t.Errorf("%s: %v", name, err)
		}
		if a.Standard() != nil || a.Typical() != nil || len(a.Grid().Answers) != 0 {
			t.Errorf("%s: there are answers", name)
		}
	}
	if _, err := answer.Of(run(cell(1000, 0, "uniform", costs{"hwheel-linux": 20})), catalog.All()).Adviser().Answer(answer.Question{N: 1000}); err == nil || !strings.Contains(err.Error(), "exact") {
		t.Errorf("without an exact structure: %v", err)
	}
}

// A cell whose workload has changed since does not answer, and the answer says so. A cell without a definition is current.
func TestCellsOfOtherDefinitionsAreLeftOut(t *testing.T) {
	t.Parallel()
	old, other := cell(1000, 0, "uniform", costs{"hwheel": 20, "quadheap": 10}), cell(1000, 0, "clustered", costs{"hwheel": 10, "quadheap": 20})
	current, _ := workload.Find(old.Workload)
	for _, definition := range []int{0, current.Version(), 1000} {
		old.Definition = definition
		x := ask(t, run(old, other), answer.Question{N: 1000})
		got, left := strings.Join(x.Missing, "\n"), definition == 1000
		if strings.Contains(got, "1 of 2 cells left out: the operations") != left || (len(x.Evidence) == 1) != left || (x.Name == "hwheel") != left {
			t.Errorf("definition %d: %s, %+v\n%s", definition, x.Name, x.Evidence, got)
		}
	}
}

// A tail has an interval too, by the number of its samples, and the same rule says what it decides.
func TestByTailWhatIsTooCloseIsNotTold(t *testing.T) {
	t.Parallel()
	// tailed returns three structures with tails of 100, 120 and 180 ns, among calls that take a fifth to ten times as long.
	tailed := func(samples int64) *results.Run {
		c := cell(1000, 0, "uniform", costs{"hwheel": 10, "quadheap": 20, "rbtree": 40})
		for i, p99 := range []float64{0, 100, 120, 180} {
			c.Rows[i].Latency = []results.Latency{{Kind: script.KindFire, Samples: samples, P50: p99 / 5, P90: p99 / 2, P99: p99, P999: p99 * 3 * float64(i), Max: p99 * 10}}
		}
		return run(c)
	}
	byTail := answer.Question{N: 1000, Matters: answer.Weights{answer.Tail: 1}}
	for samples, want := range map[int64]string{
		1000:      "by tail: take hwheel; 2 others cannot be told apart from it.",
		5000:      "by tail: take hwheel; 1 other cannot be told apart from it. Next: rbtree, ",
		1_000_000: "by tail: take hwheel. Next: quadheap, 1.1",
	} {
		x := ask(t, tailed(samples), byTail)
		if !strings.Contains(x.Sentence(), want) {
			t.Errorf("of %d calls: %s\nwant %s", samples, x.Sentence(), want)
		}
		if r := x.Ranking[1].Times; r.Hi/r.Center <= r.Center/r.Lo { // the second structure's tail is the heavier one
			t.Errorf("of %d calls: %+v, want an interval that is wider above", samples, r)
		}
	}
}

// Answers show the idle ticks that the two drivers count.
func TestIdleTicksAreThoseOfTheDrivers(t *testing.T) {
	t.Parallel()
	var entries []entry.Entry
	for _, name := range []string{"hwheel", "quadheap", "hwheel-list"} {
		e, ok := catalog.Find(name)
		if !ok {
			t.Fatal(name)
		}
		entries = append(entries, e)
	}
	var counted results.Run
	err := replay.Idle{Delays: "uniform", N: 1000, Ticks: 20_000, Seed: 1}.Run(t.Context(), entries, &counted)
	if err != nil || len(counted.Failures) > 0 {
		t.Fatal(counted.Failures, err)
	}
	r := run(cell(1000, 0, "uniform", costs{"hwheel": 10, "quadheap": 20}))
	r.Cells[0].Rows = append(r.Cells[0].Rows, results.Row{Structure: "hwheel-list", Role: results.RoleStructure, Cost: trials(30)})
	r.Idle = counted.Idle
	shown := make(map[string]map[results.Driver]float64)
	for _, s := range ask(t, r, answer.Question{N: 1000}).Ranking {
		shown[s.Structure] = map[results.Driver]float64{results.Ticking: s.Ticking, results.Tickless: s.Tickless}
		if !s.Idle || s.Ticking < 10 {
			t.Errorf("%+v", s)
		}
	}
	for _, i := range r.Idle {
		if got, want := shown[i.Structure][i.Driver], float64(i.Total())/float64(i.Fired); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s, %s: %v idle ticks for each timer, counted were %v", i.Structure, i.Driver, got, want)
		}
	}
	for n, want := range map[float64]float64{100: 298, 100_000: 0.0104} { // e^(-rate) / rate, at 100 and 100,000 timers of 30,000 ticks
		x := ask(t, r, answer.Question{N: n})
		if got := x.Ranking[0].Ticking; math.Abs(got/want-1) > 0.1 || x.IdleAmong != 1000 {
			t.Errorf("n %g: %g idle ticks for each timer, want about %g; those of the tickless driver are of n %d", n, got, want, x.IdleAmong)
		}
	}
	if s := shown["hwheel-list"]; s[results.Tickless] <= shown["quadheap"][results.Tickless] {
		t.Errorf("a wheel that moves its timers wakes up for nothing: %v", shown)
	}
}

func TestBadQuestionsAreRefused(t *testing.T) {
	t.Parallel()
	a := answer.Of(twoSizes(), catalog.All()).Adviser()
	for want, q := range map[string]answer.Question{
		"number of timers 0":    {},
		"number of timers NaN":  {N: math.NaN()},
		"share cancelled 1.5":   {N: 1, Cancel: 1.5},
		"share moved -2":        {N: 1, Reschedule: -2},
		`shape of delays "odd"`: {N: 1, Delays: "odd"},
		"wake-ups -1":           {N: 1, PerWake: -1},
		"weight of memory is":   {N: 1, Matters: answer.Weights{answer.Memory: -2}},
	} {
		if _, err := a.Answer(q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", q, err, want)
		}
	}
}

func TestATraceAloneAnswersItsQuestion(t *testing.T) {
	t.Parallel()
	q := answer.Question{N: 500, Cancel: 0.75, Delays: "uniform", Reschedule: 0.2, PerWake: 12.5, Recorded: true}
	c := cell(500, 75, "uniform", costs{"hwheel": 9, "rbtree": 12})
	c.Workload, c.Grid, c.Category, c.Unit = "mine", nil, "recorded", script.PerOperation
	c.Rows[1].ByKind = []results.Trial{{Kinds: []results.KindTime{
		{Kind: script.KindSchedule, Count: 400}, {Kind: script.KindCancel, Count: 300}, {Kind: script.KindFire, Count: 100}, {Kind: script.KindReschedule, Count: 200},
	}}}
	r := run(c)
	r.Parameters.Traces = map[string]results.Recording{"mine": {}}
	x := ask(t, r, answer.Of(r, catalog.All()).Adviser().Measured(q))
	if x.Far != "" || len(x.Evidence) != 1 {
		t.Errorf("far: %q, evidence %+v", x.Far, x.Evidence)
	}
	if typical := answer.Of(r, catalog.All()).Adviser().Typical(); len(typical) != 1 || typical[0].Far != "" {
		t.Errorf("typical: %+v, want the trace", typical)
	}
	names, questions := answer.Of(r, catalog.All()).Adviser().Recorded()
	if !slices.Equal(names, []string{"mine"}) || questions[0].N != 500 || questions[0].Reschedule != 0.2 {
		t.Errorf("recorded: %q %+v", names, questions)
	}
	if g := answer.Of(r, catalog.All()).Adviser().Grid(); len(g.Answers) != 20 || g.Answers[0].Name == "" {
		t.Errorf("the controls of a trace alone: %+v", g)
	}
}

// The default is named where it takes little longer than the first of the ranking. Else the first is named, with its gain.
func TestTheNamedStructure(t *testing.T) {
	t.Parallel()
	costsOf := func(auto, hwheel, rbtree float64) costs {
		return costs{"auto": auto, "hwheel": hwheel, "rbtree": rbtree}
	}
	for _, test := range []struct {
		of         costs
		name       string
		candidates []string
		says       string
	}{
		{costsOf(20.2, 20, 30), "auto", []string{"hwheel", "auto"}, "take auto, 20.2 ns per timer; 1 other cannot be told apart from it. Next: rbtree, 1.4"},
		{costsOf(25, 20, 30), "hwheel", []string{"hwheel"}, "take hwheel, 20 ns per timer, 1.2"},
		{costsOf(40, 20, 20), "hwheel", []string{"hwheel", "rbtree"}, " times as fast as auto; 1 other cannot be told apart from it."},
		{costsOf(21.4, 20, 30), "auto", []string{"hwheel"}, "take auto, 21.4 ns per timer; hwheel takes 0.91 to 0.96 times as long"},
		{costs{"hwheel": 20, "rbtree": 20}, "hwheel", []string{"hwheel", "rbtree"}, "take hwheel, 20 ns per timer; 1 other"},
	} {
		r := run(cell(1000, 0, "uniform", test.of), cell(10_000, 0, "uniform", costs{"auto": 20, "hwheel": 90, "rbtree": 30}))
		if test.name == "hwheel" {
			r.Cells = r.Cells[:1]
		}
		x := ask(t, r, answer.Question{N: 1000})
		if x.Name != test.name || !slices.Equal(x.Candidates, test.candidates) || !strings.Contains(x.Sentence(), test.says) {
			t.Errorf("%q: %s\nwant %s among %q: %s", x.Candidates, x.Sentence(), test.name, test.candidates, test.says)
		}
		if named := x.Of(x.Name); named.Times != (stats.Interval{Center: 1, Lo: 1, Hi: 1}) || named.NS == 0 {
			t.Errorf("%+v", named)
		}
	}
}

// A structure that a cell leaves out because of its cost among fewer timers counts with that cost.
func TestWhatIsLeftOutCountsAsAmongFewerTimers(t *testing.T) {
	t.Parallel()
	large := cell(100_000, 0, "uniform", costs{"hwheel": 50})
	large.LeftOut = []string{"quadheap"}
	r := run(cell(10_000, 0, "uniform", costs{"hwheel": 20, "quadheap": 80}), cell(1000, 0, "uniform", costs{"hwheel": 20, "quadheap": 20}), large, cell(100_000, 90, "uniform", costs{"hwheel": 20, "quadheap": 20}))
	x := ask(t, r, answer.Question{N: 100_000, Cancel: answer.Unknown})
	if s := x.Ranking[1]; s.Structure != "quadheap" || !near(s.Cost, 2) || !near(s.Worst, 4) {
		t.Errorf("%+v, want 4 times the fastest in one cell and as fast in the other", x.Ranking)
	}
}

// What a page reads says what Answer says, in three digits.
func TestTheGridAsAPageReadsIt(t *testing.T) {
	t.Parallel()
	r := twoSizes()
	mine := cell(800, 90, "clustered", costs{"hwheel": 20, "rbtree": 9})
	mine.Workload, mine.Grid, mine.Category = "mine", nil, "recorded"
	r.Cells = append(r.Cells, mine, cell(1000, 90, "clustered", costs{"hwheel-linux": 9, "rbtree": 10}))
	r.Parameters.Traces = map[string]results.Recording{"mine": {}}
	a := answer.Of(r, catalog.All()).Adviser()
	g := a.Grid()
	data, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Answers []struct {
			Before, Name, After, Rest string
			Ratio                     map[string]struct{ Center float64 }
		}
	}
	if err := json.Unmarshal(data, &got); err != nil || len(got.Answers) != len(g.Answers) {
		t.Fatalf("%v, %d answers", err, len(got.Answers))
	}
	for i, x := range g.Answers {
		if strings.TrimSpace(got.Answers[i].Before+got.Answers[i].Name+got.Answers[i].After+" "+got.Answers[i].Rest) != x.Sentence() || len(got.Answers[i].Ratio) != len(x.Ranking) {
			t.Errorf("%+v, want %+v", got.Answers[i], x)
		}
		if again, err := a.Answer(x.Question); err == nil && !reflect.DeepEqual(x, again) {
			t.Errorf("%+v, want %+v", x, again)
		}
	}
	_, questions := a.Recorded()
	want, _ := a.Answer(questions[0])
	if len(g.Recorded) != 1 || g.Recorded[0].Name != "mine" || !reflect.DeepEqual(g.Recorded[0].Answer, want) {
		t.Fatalf("recorded: %+v", g.Recorded)
	}
	at := g.Recorded[0].At
	if n, share := g.N[at[0]], g.Cancel[at[1]]; n != 1000 || share != 0.9 || g.Delays[at[3]] != "" || g.Moved[at[2]] != 0 {
		t.Errorf("the controls of the recorded workload: %v, which is %d and %v", at, n, share)
	}
}

// The longest call comes from all workloads at the nearest size, and bytes come from the calls of the nearest cell.
func TestPausesAndBytesOfCalls(t *testing.T) {
	t.Parallel()
	r := run(cell(1000, 0, "uniform", costs{"hwheel": 10, "quadheap": 20, "rbtree": 30}))
	r.Memory = []results.Memory{{Structure: "hwheel", N: 1000, Bytes: 50}, {Structure: "quadheap", N: 1000, Bytes: 40}, {Structure: "rbtree", N: 1000, Bytes: 30}}
	by := answer.Question{N: 1000, Matters: answer.Weights{answer.Throughput: 1, answer.Pause: 1}}
	if x := ask(t, r, by); len(x.Missing) != 1 || !strings.Contains(x.Missing[0], "no figures for longest call") {
		t.Errorf("without calls: %q", x.Missing)
	}
	calls := func(workload, structure string, n int, ns, bytes float64) {
		r.Calls = append(r.Calls, results.Calls{
			Workload: workload, Structure: structure, N: n, Bytes: bytes, Longest: []results.LongestCall{{Operation: results.Pop, NS: ns}, {Operation: results.Schedule, NS: 5}},
		})
	}
	for i, name := range []string{"hwheel", "quadheap", "rbtree"} {
		calls("storm", name, 1000, 100*float64(i+1), 0)
		calls("storm", name, 100_000, 1e6, 0)
		if name != "rbtree" {
			calls("grid-uniform-0", name, 1000, 250, 20+float64(i))
		}
	}
	by.Matters = answer.Weights{answer.Pause: 1}
	x := ask(t, r, by) // rbtree was not measured on both
	if len(x.Ranking) != 2 || x.Name != "hwheel" || x.Ranking[0].PauseNS != 250 || x.Ranking[1].PauseNS != 250 || len(x.Candidates) != 2 {
		t.Errorf("%+v", x.Ranking)
	}
	by.Matters = answer.Weights{answer.Memory: 1}
	if x := ask(t, r, by); x.Ranking[0].Structure != "hwheel" || x.Ranking[0].Bytes != 20 || x.Ranking[1].Bytes != 21 || len(x.Ranking) != 2 {
		t.Errorf("%+v", x.Ranking)
	}
}

// Where the run has a measurement under the real clock near the number of timers, an answer compares the driver on the structure
// with Go's own timers.
func TestAnAnswerComparesWithGoTimers(t *testing.T) {
	t.Parallel()
	r := run(cell(1000, 0, "uniform", costs{"auto": 20, "rbtree": 80}))
	row := func(name string, role results.Role, structure string, ns ...float64) results.LiveRow {
		out := results.LiveRow{Name: name, Role: role, Structure: structure, Resident: 1000}
		ns = append(ns, ns[0]) // of channels, as of functions
		for i, op := range []results.Op{results.StartStop(results.FormAfterFunc), results.OpReset, results.OpFire, results.StartStop(results.FormChannel)} {
			out.Throughput = append(out.Throughput, results.LiveThroughput{Op: op, Goroutines: 1, Ops: 10, NS: 1e6, CPUNS: 10 * ns[i]})
		}
		return out
	}
	r.Live = &results.Live{Goroutines: []int{1}, Rows: []results.LiveRow{
		row("time", results.RoleBaseline, "", 100, 200, 400), row("auto tickless", results.RoleStructure, "auto", 50, 50, 300),
		row("auto tickless, shards 1", results.RoleStructure, "auto", 1, 1, 1), row("floor", results.RoleFloor, "", 10, 10, 10),
	}}
	for n, want := range map[float64]string{1300: "Under the real clock among 1,000 timers, the driver on auto takes 0.50 times the processor time of Go's own timers " +
		"to start and stop a timer, 0.25 to move it, and 0.75 until it fires.", 5000: ""} {
		if x := ask(t, r, answer.Question{N: n}); x.Name != "auto" || x.Live != want {
			t.Errorf("%g timers: %s: %q, want %q", n, x.Name, x.Live, want)
		}
	}
	q := answer.Question{N: 1000, Cancel: 0.25, Rate: answer.Rate{Timers: 10_000, Moves: 40_000, Calls: 60_000}} // 2,500 stops and 7,500 fires
	if x, want := ask(t, r, q), " The calls of this program, without its wake-ups, take 0.39 % of a core there, and 1.1 % of a core with Go's own timers."; !strings.HasSuffix(x.Live, want) {
		t.Errorf("%q, want %q", x.Live, want)
	}
	r.Live.Rows = r.Live.Rows[:1]
	if x := ask(t, r, answer.Question{N: 1000}); x.Live != "" {
		t.Errorf("nothing was measured on auto: %q", x.Live)
	}
}

// The answer names no intrusive structure, however fast, and says how long it takes in one sentence.
func TestAnIntrusiveStructureIsNoCandidate(t *testing.T) {
	t.Parallel()
	c := cell(1000, 0, "uniform", costs{"auto": 10, "quadheap": 20})
	for name, ns := range (costs{"intrusive-hwheel": 5, "intrusive-heap": 15}) {
		c.Rows = append(c.Rows, results.Row{Structure: name, Role: results.RoleIntrusive, Cost: trials(ns), Latency: latency(1)})
	}
	x := ask(t, run(c), answer.Question{N: 1000, Delays: "uniform"})
	if x.Name != "auto" || len(x.Candidates) != 1 || x.Of("intrusive-hwheel") != nil || x.Of("auto").Cost != 1 {
		t.Fatalf("%+v", x)
	}
	if !strings.Contains(x.Sentence(), "If the timer can be a field of your struct: intrusive-hwheel, 0.49 to 0.51 times as long.") {
		t.Error(x.Sentence())
	}
	text, err := json.Marshal(x)
	if err != nil || !strings.Contains(string(text), `"intrusive":{"intrusive-hwheel":{"center":0.`) || !strings.Contains(string(text), `"intrusive-heap":{"center":1.5`) {
		t.Errorf("%s: %v", text, err)
	}
}

// What a difference is worth: cores and bytes at the rate of the question.
func TestWhatTheDifferenceIsWorth(t *testing.T) {
	t.Parallel()
	r := twoSizes() // hwheel takes 50 ns, quadheap 150
	r.Memory = []results.Memory{{Structure: "hwheel", N: 100_000, Bytes: 30}, {Structure: "quadheap", N: 100_000, Bytes: 40}}
	for _, test := range []struct {
		rate answer.Rate
		want string
	}{
		{answer.Rate{}, ""},
		{answer.Rate{Moves: 1e9}, ""}, // the cost is per lifecycle
		{answer.Rate{Timers: 1, Calls: 100_000}, "At 100,000 calls a second, hwheel takes 0.25 % of a core and 3 MB, and quadheap 0.75 % of a core and 4 MB: the difference is too small to matter."},
		{answer.Rate{Timers: 50_000}, "At 50,000 timers a second, hwheel takes 0.25 % of a core and 3 MB, and quadheap 0.75 % of a core and 4 MB: the difference is too small to matter."},
		{answer.Rate{Timers: 1}, "At 1 timer a second, hwheel takes < 0.001 % of a core and 3 MB, and quadheap < 0.001 % of a core and 4 MB: the difference is too small to matter."},
		{answer.Rate{Timers: 999_000}, "quadheap 15 % of a core and 4 MB: the difference is too small to matter."},
		{answer.Rate{Timers: 1.1e6}, "At 1,100,000 timers a second, hwheel takes 5.5 % of a core and 3 MB, and quadheap 16 % of a core and 4 MB: a difference of 11 % of a core."},
		{answer.Rate{Timers: 2e7}, "hwheel takes 1 core and 3 MB, and quadheap 3 cores and 4 MB: a difference of 2 cores."},
	} {
		x := ask(t, r, answer.Question{N: 100_000, Delays: "uniform", Rate: test.rate})
		if test.want == "" && x.Worth != "" || !strings.HasSuffix(x.Worth, test.want) {
			t.Errorf("%+v: %q, want %q", test.rate, x.Worth, test.want)
		}
	}
	r.Cells[1].Unit = script.PerReschedule
	x := ask(t, r, answer.Question{N: 100_000, Cancel: answer.Unknown, Reschedule: 1, Rate: answer.Rate{Timers: 1, Moves: 50_000}})
	if !strings.HasPrefix(x.Worth, "At 50,000 moves a second, hwheel takes 0.25 % of a core") {
		t.Errorf("%q", x.Worth)
	}
	if err := (answer.Question{N: 1, Rate: answer.Rate{Timers: -1}}).Check(); err == nil || !strings.Contains(err.Error(), "rate -1") {
		t.Errorf("a rate below 0: %v", err)
	}
}

// A change of 2 % in a parameter changes the named structure only where both cost about the same: in one of the two answers they are
// within 10 % of each other. The sweep covers 25 sizes (7 of them in a normal run of the tests), all shares cancelled and four shapes of delays. Answers that say that the
// evidence is far away claim no costs.
func TestASmallChangeOfAQuestionChangesTheCostLittle(t *testing.T) {
	t.Parallel()
	all, err := kept.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all[:longtest.Scale(t, 1, 1, len(all))] {
		a := answer.Of(r, catalog.All()).Adviser()
		ask := func(q answer.Question) *answer.Answer {
			if x, err := a.Answer(a.Measured(q)); err == nil {
				return &x
			}
			return nil
		}
		check := func(x, y *answer.Answer) {
			if x == nil || y == nil || x.Name == y.Name || strings.Contains(x.Far+y.Far, "far from") {
				return
			}
			times := math.Inf(1)
			for _, in := range []*answer.Answer{x, y} {
				if one, other := in.Of(x.Name), in.Of(y.Name); one != nil && other != nil {
					times = min(times, max(one.Score/other.Score, other.Score/one.Score))
				}
			}
			if times > 1.1 {
				t.Errorf("%s: %s is named for %s and %s for %s, which costs %.2f times as much", r.Environment.CPU, x.Name, x.Words(), y.Name, y.Words(), times)
			}
		}
		for size := 0; size < 25; size += longtest.Scale(t, 8, 4, 1) {
			for _, delays := range []string{"", "uniform", "clustered", workload.Constant} {
				var last *answer.Answer
				for percent := 0; percent <= 100; percent += 2 {
					q := answer.Question{N: math.Round(10 * math.Pow(10, 5*float64(size)/24)), Cancel: float64(percent) / 100, Delays: delays}
					x := ask(q)
					check(last, x)
					if last = x; percent%20 == 0 {
						q.N *= 1.02
						check(x, ask(q))
					}
				}
			}
		}
	}
}

// A structure with a linear operation is the fastest among few timers. For more timers than were measured it costs more in proportion.
func TestALinearStructureIsNamedForTheMeasuredNumberOfTimers(t *testing.T) {
	t.Parallel()
	r := run(cell(100, 0, "uniform", costs{"list": 20, "hwheel": 30, "auto": 40}))
	for n, want := range map[float64]string{50: "list", 100: "list", 130: "list", 180: "hwheel", 250: "hwheel"} {
		if x := ask(t, r, answer.Question{N: n, Delays: "uniform"}); x.Name != want {
			t.Errorf("%v timers: %s, want %s: %s", n, x.Name, want, x.Sentence())
		}
	}
}

// A program or a recording that is near a question about any delays is not the only evidence. For its own question it is.
func TestAProgramAloneIsNoEvidenceForAnyDelays(t *testing.T) {
	t.Parallel()
	program := cell(300, 80, "mixed", costs{"list": 20, "hwheel": 40, "auto": 40})
	program.Grid, program.Category = nil, string(workload.Program)
	r := run(program, cell(100, 90, "uniform", costs{"list": 100, "hwheel": 30, "auto": 30}), cell(1000, 90, "uniform", costs{"list": 900, "hwheel": 30, "auto": 30}))
	q := answer.Question{N: 316, Cancel: 0.84}
	x := ask(t, r, q)
	ofProgram := slices.IndexFunc(x.Evidence, func(e answer.Evidence) bool { return e.Workload == program.Workload })
	if len(x.Evidence) != 3 || x.Evidence[ofProgram].Weight > 0.85 || x.Name == "list" {
		t.Errorf("%s: %+v", x.Sentence(), x.Evidence)
	}
	q.Recorded, q.N, q.Cancel = true, 300, 0.8
	if x := ask(t, r, q); x.Name != "list" || x.Evidence[0].Weight < 0.8 {
		t.Errorf("%s: %+v", x.Sentence(), x.Evidence)
	}
}

// The questions of an audit, whose answers rested on one program each.
func TestOneProgramDoesNotDecide(t *testing.T) {
	t.Parallel()
	all, err := kept.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		for _, q := range []answer.Question{{N: 316, Cancel: 0.84}, {N: 240, Cancel: 0.65}} {
			x := ask(t, r, q)
			linear := slices.Contains([]string{"list", "sortedlist", "twolists"}, x.Name)
			heavy := slices.ContainsFunc(x.Evidence, func(e answer.Evidence) bool {
				c := r.Cell(e.Workload, e.N)
				return e.Weight > 0.75 && c != nil && (c.Category == string(workload.Program) || c.Category == string(workload.Recorded))
			})
			if linear || heavy {
				t.Errorf("%s: %s, by %+v", r.Environment.CPU, x.Sentence(), x.Evidence)
			}
		}
	}
}
