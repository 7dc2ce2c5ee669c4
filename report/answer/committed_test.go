package answer

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/internal/doctest"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures/catalog"
)

var update = flag.Bool("update", false, "rewrite what docs/recordings.md says of recommend")

var committed = sync.OnceValues(kept.Last)

func committedRun(t *testing.T) *results.Run {
	t.Helper()
	r, err := committed()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A packed run gives the answers of the whole run, and packing it again changes nothing.
func TestPackingKeepsTheAnswers(t *testing.T) {
	t.Parallel()
	r := committedRun(t)
	path := filepath.Join(t.TempDir(), "packed")
	if _, err := results.Keep(path, r); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := results.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := Of(r, catalog.All()).Adviser(), Of(again, catalog.All()).Adviser(); !reflect.DeepEqual(a.Standard(), b.Standard()) {
		t.Error("the answers differ")
	}
	if _, err := results.Decode(data[:len(data)/2]); err == nil {
		t.Error("half a file is read without an error")
	}
}

// standStill changes a cell as if its clock had stood still: nothing fires, and nothing is known of a steady state.
func standStill(c *results.Cell) {
	c.Passed, c.Rows = nil, slices.Clone(c.Rows)
	for i := range c.Rows {
		r := &c.Rows[i]
		r.Proof.Fired, r.ByKind = 0, slices.Clone(r.ByKind)
		for j := range r.ByKind {
			r.ByKind[j].Kinds = slices.DeleteFunc(slices.Clone(r.ByKind[j].Kinds), func(k results.KindTime) bool { return k.Kind == script.KindFire })
		}
	}
}

// A cell in which everything moves and nothing fires is no evidence where timers fire: with 98 % moves and 1 % fires among
// 10,000 timers, a list took 48 ns a call, auto 22 and ladder 26.
func TestACellWithoutFiresDecidesNoQuestionWithFires(t *testing.T) {
	t.Parallel()
	kept := *committedRun(t)
	kept.Cells = slices.Clone(kept.Cells)
	for i := range kept.Cells {
		if c := &kept.Cells[i]; slices.Contains([]string{"reschedule", "reset-earlier", "churn", "start-stop"}, c.Workload) {
			standStill(c)
		}
	}
	a := Of(&kept, catalog.All()).Adviser()
	for _, q := range []Question{
		{N: 1e4, Cancel: Unknown, Reschedule: 0.98}, {N: 1e5, Cancel: 0.9, Reschedule: 0.98}, {N: 1e4, Cancel: 0.999}, {N: 1e4, Reschedule: Unknown},
	} {
		x, err := a.Answer(q)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range x.Evidence {
			if slices.Contains([]string{"reschedule", "reset-earlier", "churn", "start-stop"}, e.Workload) {
				t.Errorf("%s rests on %s with %d timers", x.Sentence(), e.Workload, e.N)
			}
		}
		if x.Name == "list" {
			t.Error(x.Sentence())
		}
	}
	for _, q := range []Question{{N: 1e4, Cancel: 1}, {N: 1e4, Cancel: Unknown, Reschedule: 1}} { // nothing fires here
		x, err := a.Answer(q)
		if err != nil || x.Far != "" || x.Evidence[0].Workload != "churn" && x.Evidence[0].Workload != "start-stop" && x.Evidence[0].Workload != "reschedule" {
			t.Errorf("%v, %s, %+v", err, x.Sentence(), x.Evidence)
		}
	}
	r := *a.r.Run
	r.Cells = slices.DeleteFunc(slices.Clone(r.Cells), func(c results.Cell) bool { return c.Workload != "churn" })
	if _, err := Of(&r, catalog.All()).Adviser().Answer(Question{N: 1e4, Cancel: 0.9}); err == nil || !strings.Contains(err.Error(), "no timer fires in the workloads of these results") {
		t.Errorf("churn alone: %v", err)
	}
}

// The run that is part of the program answers everything.
func TestTheCommittedRunAnswers(t *testing.T) {
	t.Parallel()
	a := Of(committedRun(t), catalog.All()).Adviser()
	want := len(standard)
	constant := Question{N: 1e5, Cancel: 0.9, Delays: "constant"}
	if !slices.Contains(a.shapes, "constant") { // a run from before they were measured says so
		want--
		if _, err := a.Answer(constant); err == nil || !strings.Contains(err.Error(), "this run did not measure constant delays: it has biased, clustered, exponential and uniform delays") {
			t.Errorf("constant delays: %v", err)
		}
	} else if x, err := a.Answer(constant); err != nil || x.Far != "" {
		t.Errorf("constant delays: %v, %s", err, x.Far)
	}
	if got := len(a.Standard()); got != want {
		t.Errorf("%d standard answers, want %d", got, want)
	}
	for _, x := range a.Grid().Answers {
		if x.Sentence() == "" || len(x.Ranking) < 5 {
			t.Errorf("%+v: %d structures: %q", x.Question, len(x.Ranking), x.Sentence())
		}
		if strings.Contains(x.Sentence(), "NaN") || strings.Contains(x.Sentence(), "Inf") {
			t.Error(x.Sentence())
		}
		for i, s := range x.Ranking {
			lo, hi := math.Round(100*s.Times.Lo), math.Round(100*s.Times.Hi)
			if s.Standing == stats.Unclear && x.Name == x.Ranking[0].Structure && lo >= 95 && hi <= 105 {
				t.Errorf("%s: %s is unclear at %v to %v", x.Sentence(), s.Structure, s.Times.Lo, s.Times.Hi)
			}
			if i > 0 && s.Score < x.Ranking[i-1].Score {
				t.Errorf("%s: %s is number %d", x.Sentence(), s.Structure, i)
			}
			shares := x.Matters.shares()
			uncertain := shares[Throughput]+shares[Tail] > 0
			// Percentiles are multiples of the resolution of the clock, so two can be equal in every round.
			equal := shares[Throughput] == 0 && s.Times.Lo == 1 && s.Times.Hi == 1
			if s.Structure != x.Name && (s.Times.Lo < s.Times.Hi) != uncertain && !equal {
				t.Errorf("%s: %s has the interval %v to %v", x.Sentence(), s.Structure, s.Times.Lo, s.Times.Hi)
			}
			if s.Late != "" && !x.Late {
				t.Errorf("%s: %s fires late", x.Sentence(), s.Structure)
			}
			known := x.Evidence[0].Distance <= TooFar
			if known && x.Matters == (Weights{Throughput: 1}) && s.Structure == x.Name && s.NS > 0 != strings.Contains(x.Sentence(), " ns per ") {
				t.Errorf("%s: %v ns", x.Sentence(), s.NS)
			}
		}
	}
	// What everybody sees: the wheel is the answer, that of auto or the same one in hwheel, and others take longer.
	x, err := a.Answer(Question{N: 1e6, Cancel: 0.9, Delays: "uniform"})
	if err != nil || x.Name != Default && x.Name != "hwheel" || !strings.Contains(x.Sentence(), " times as long.") {
		t.Errorf("%v, %s", err, x.Sentence())
	}
}

// Each answer to five sizes and eight mixes names a candidate, or the default, and says if another one is not certainly faster than it. With -v the test prints their candidates.
func TestFortyQuestionsAreAnswered(t *testing.T) {
	t.Parallel()
	a := Of(committedRun(t), catalog.All()).Adviser()
	for _, n := range []float64{100, 1000, 10_000, 100_000, 1e6} {
		for _, q := range []Question{
			{Cancel: Unknown, Reschedule: Unknown}, {Delays: "uniform"}, {Delays: "uniform", Cancel: 0.5}, {Delays: "uniform", Cancel: 0.9},
			{Delays: "clustered"}, {Delays: "clustered", Cancel: 0.9}, {Cancel: 0.9, Reschedule: 0.3}, {Cancel: 0.9, Reschedule: 0.98},
		} {
			q.N = n
			x, err := a.Answer(q)
			if err != nil {
				t.Errorf("%+v: %v", q, err)
				continue
			}
			usual := x.Of(Default)
			if !slices.Contains(x.Candidates, x.Name) && x.Name != Default || x.Name != Default && usual.Score <= mostForDefault*x.Ranking[0].Score ||
				x.Name != Default && usual.Candidate() != strings.Contains(x.Sentence(), "but not certainly") {
				t.Errorf("%s: candidates %q, the default is %+v", x.Sentence(), x.Candidates, usual)
			}
			t.Logf("%2d candidates: %s", len(x.Candidates), x.Sentence())
		}
	}
}

// The answers predict workloads of programs that they do not rest on: each is asked for without its own cells. The name is
// a hit if it is within 10 % of the fastest.
func TestAnswersPredictOtherWorkloads(t *testing.T) {
	t.Parallel()
	r := Of(committedRun(t), catalog.All())
	hits, asked, misses := make(map[bool]int), make(map[bool]int), ""
	for _, c := range r.Adviser().cells {
		switch workload.Category(c.Category) {
		case workload.Program, workload.Recorded, workload.Custom:
		default:
			continue
		}
		others := *r
		others.Cells = slices.DeleteFunc(slices.Clone(r.Cells), func(other *stats.Costs) bool { return other.Workload == c.Workload })
		x, err := others.Adviser().Answer(c.at.question())
		times := c.times(x.Name, x.Late)
		if err != nil || times == 0 {
			continue
		}
		recorded := c.Category == string(workload.Recorded)
		asked[recorded]++
		if times <= 1.1 {
			hits[recorded]++
		} else {
			misses += fmt.Sprintf("| %s | %s | `%s` | `%s` | %s |\n", c.Workload, show.Grouped(c.N), x.Name, c.ranked[x.Late][0].Structure, show.Times(times))
		}
	}
	if asked[true] < 4 || 2*(hits[true]+hits[false]) < asked[true]+asked[false] {
		t.Errorf("%v hits of %v: want half to hit", hits, asked)
	}
	doctest.Generated(t, *update, "../../docs/recordings.md", "<!-- hits: written by make docs -->\n", "<!-- end of hits -->\n", fmt.Sprintf(
		"It hits in %d of %d recordings and in %d of %d models. It misses here:\n\n| workload | timers | named | fastest | times as long |\n|---|---:|---|---|---:|\n%s",
		hits[true], asked[true], hits[false], asked[false], misses))
}
