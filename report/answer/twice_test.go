package answer

import (
	"flag"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

var otherResults = flag.String("other", "", "with -results: another results `file` of the same build on the same machine")

// Two runs of one build name the same structure for nearly all questions, and what one names costs little more in the other. The 1,008
// questions are nine sizes, seven shares cancelled, four shares moved and four shapes of delays:
//
//	go test ./report/answer -run TwoRuns -v -args -results "$PWD/out/a/results.json" -other "$PWD/out/b/results.json"
func TestTwoRunsOfOneBuildNameAlike(t *testing.T) {
	if *fortyOf == "" || *otherResults == "" {
		t.Skip("want two results: -results and -other")
	}
	var runs [2]*Adviser
	for i, path := range []string{*fortyOf, *otherResults} {
		r, err := results.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		runs[i] = Of(r, catalog.All()).Adviser()
	}
	pairs := map[string]int{}
	asked, alike, worst := 0, 0, 1.0
	for _, n := range []float64{100, 316, 1000, 3160, 10_000, 31_600, 100_000, 316_000, 1e6} {
		for _, cancel := range []float64{0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98} {
			for _, moved := range []float64{0, 0.3, 0.6, 0.98} {
				for _, delays := range []string{"", "uniform", "clustered", workload.Constant} {
					q := Question{N: n, Cancel: cancel, Reschedule: moved, Delays: delays}
					x, err := runs[0].Answer(q)
					y, err2 := runs[1].Answer(q)
					if err != nil || err2 != nil {
						t.Fatalf("%+v: %v, %v", q, err, err2)
					}
					if asked++; x.Name == y.Name {
						alike++
						continue
					}
					pairs[x.Name+" "+y.Name]++
					for _, pick := range []struct {
						name string
						in   *Answer
					}{{x.Name, &y}, {y.Name, &x}} {
						s := pick.in.Of(pick.name)
						if s == nil {
							t.Errorf("%s: %s is not in the other run", q.Words(), pick.name)
							continue
						}
						times := s.Score / pick.in.Of(pick.in.Name).Score
						if worst = max(worst, times); times > 1.15 {
							t.Errorf("%s: %s costs %.2f times as much as %s in the other run (%s)", q.Words(), pick.name, times, pick.in.Name, pick.in.Far)
						}
					}
				}
			}
		}
	}
	t.Log(pairs)
	t.Logf("%d of %d questions are answered alike; at worst a pick costs %.2f times as much in the other run", alike, asked, worst)
	if 100*alike < 95*asked {
		t.Error("want 95 % alike")
	}
}
