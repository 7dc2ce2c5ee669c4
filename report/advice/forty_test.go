package advice

import (
	"flag"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

var fortyOf = flag.String("results", "", "results `file` for the forty questions (default: the run that is part of the program)")

// Forty questions, five sizes and eight mixes, get an answer each. With -v the test prints how many answers name one
// structure, two to four, and more:
//
//	go test ./report/advice -run Forty -v -args -results "$PWD/out/latest/results.json"
func TestFortyQuestionsAreAnswered(t *testing.T) {
	t.Parallel()
	r := committedRun(t)
	if *fortyOf != "" {
		var err error
		if r, err = results.Read(*fortyOf); err != nil {
			t.Fatal(err)
		}
	}
	mixes := []Question{
		{Cancel: Unknown, Reschedule: Unknown}, {Delays: "uniform"}, {Delays: "uniform", Cancel: 0.5}, {Delays: "uniform", Cancel: 0.9},
		{Delays: "clustered"}, {Delays: "clustered", Cancel: 0.9}, {Cancel: 0.9, Reschedule: 0.3}, {Cancel: 0.9, Reschedule: 0.98},
	}
	a := New(r)
	var one, few, more int
	for _, n := range []float64{100, 1000, 10_000, 100_000, 1e6} {
		for _, q := range mixes {
			q.N = n
			x, err := a.Answer(q)
			if err != nil {
				t.Errorf("%+v: %v", q, err)
				continue
			}
			named := 1
			for _, s := range x.Ranking[1:] {
				if s.Times.Standing() == stats.Tie || s.Times.Standing() == stats.Unclear {
					named++
				}
			}
			switch {
			case named == 1:
				one++
			case named <= 4:
				few++
			default:
				more++
			}
			t.Logf("%2d named: %s", named, x.Words())
		}
	}
	t.Logf("one structure: %d, two to four: %d, more: %d", one, few, more)
}
