package answer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/answer"
)

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
