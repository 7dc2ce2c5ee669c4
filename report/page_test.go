package report

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// What a reader must know stands before the first section.
func TestThePageSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	full := tiny().results()
	failed := tiny().results()
	failed.Failures = []results.Failure{{Structure: "my*heap", Where: "hold, n 10", Reason: "a timer fired early"}}
	for name, c := range map[string]struct {
		r    *results.Run
		want []string
		not  []string
	}{
		"whole": {full, nil, []string{"Left out", "interrupted", "broke its contract", "No costs"}},
		"idle counts alone": {&results.Run{Complete: true, Idle: full.Idle}, []string{
			"**No costs.** No workload has a measured cost", "**Left out,** because the results hold no data for them: the overview, cost against N, " +
				"ratios of structures, the grid of distributions, latency, memory.",
		}, []string{"interrupted"}},
		"a failure": {failed, []string{`**my\*heap broke its contract** on hold, n 10, and has no figures there: a timer fired early.`}, nil},
		"nothing":   {&results.Run{}, []string{"This run was interrupted"}, []string{"## Which one"}},
	} {
		page := markdownOf(c.r)
		for _, want := range c.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q:\n%s", name, want, page)
			}
		}
		for _, not := range c.not {
			if strings.Contains(page, not) {
				t.Errorf("%s: the page says %q", name, not)
			}
		}
	}
}
