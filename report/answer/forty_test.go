package answer

import (
	"flag"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures/catalog"
)

var fortyOf = flag.String("results", "", "results `file` for the forty questions (default: the run that is part of the program)")

// Forty questions, five sizes and eight mixes, get an answer each, which names one structure. With -v the test prints the number of
// candidates of each, and how many answers have one candidate, two or three, and more:
//
//	go test ./report/advice -run Forty -v -args -results "$PWD/out/latest/results.json"
func TestFortyQuestionsAreAnswered(t *testing.T) {
	t.Parallel()
	r := committedRun(t)
	if *fortyOf != "" {
		var err error
		if r, err = results.ReadFile(*fortyOf); err != nil {
			t.Fatal(err)
		}
	}
	mixes := []Question{
		{Cancel: Unknown, Reschedule: Unknown}, {Delays: "uniform"}, {Delays: "uniform", Cancel: 0.5}, {Delays: "uniform", Cancel: 0.9},
		{Delays: "clustered"}, {Delays: "clustered", Cancel: 0.9}, {Cancel: 0.9, Reschedule: 0.3}, {Cancel: 0.9, Reschedule: 0.98},
	}
	a := Of(r, catalog.All()).Adviser()
	var one, few, more int
	for _, n := range []float64{100, 1000, 10_000, 100_000, 1e6} {
		for _, q := range mixes {
			q.N = n
			x, err := a.Answer(q)
			if err != nil {
				t.Errorf("%+v: %v", q, err)
				continue
			}
			usual := x.Of(Default)
			if !slices.Contains(x.Candidates, x.Name) && x.Name != Default || slices.Contains(x.Candidates, Default) && x.Name != Default ||
				x.Name != Default && !(usual.Times.Lo > 1) {
				t.Errorf("%s: candidates %q, the default is %+v", x.Sentence(), x.Candidates, usual)
			}
			switch len(x.Candidates) {
			case 1:
				one++
			case 2, 3:
				few++
			default:
				more++
			}
			t.Logf("%2d candidates: %s", len(x.Candidates), x.Sentence())
		}
	}
	t.Logf("one candidate: %d, two or three: %d, more: %d", one, few, more)
}
