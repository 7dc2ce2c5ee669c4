package answer_test

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/report/answer"
)

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
