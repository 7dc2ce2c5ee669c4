package answer_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/workload"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/catalog"
)

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
