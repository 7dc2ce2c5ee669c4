package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/catalog"
)

// A cell that is not in a steady state says so beside its figures: on the page, in the table of a run and in an answer. The page
// also shows how time passes and how debts grow.
func TestACellThatIsNotSteadySaysSo(t *testing.T) {
	r := small().results()
	debt := -0.04
	for i := range r.Cells {
		c := &r.Cells[i]
		if c.Passed = (&results.Passed{WarmUp: 2 * c.N, Made: 1000, Due: 999, Fired: 1234, Delays: 2.5}); c.Workload == "grid-uniform-50" {
			c.Passed.Due = 129
		}
		if row := c.Row("hwheel"); row != nil {
			row.Debt = &debt
		}
	}
	const warning = "not in a steady state: 12 % come due"
	page := pageOf(t, r)
	for _, want := range []string{
		"grid-uniform-50 (" + warning + ")", "**Not in a steady state.**", "How time passes in each cell", "1,234", "2.5", "Work that is put off and not measured", "-4 %",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if s := Summary(r, catalog.All()); !strings.Contains(s, "grid-uniform-50, n ") || !strings.Contains(s, warning) || strings.Contains(s, "hold, n ") {
		t.Errorf("the table of the run says\n%s", s)
	}
	x, err := answer.Of(r, catalog.All()).Adviser().Answer(answer.Question{N: 1000, Cancel: 0.5})
	said := slices.IndexFunc(x.Evidence, func(e answer.Evidence) bool { return strings.Contains(e.Differs, warning) })
	if err != nil || said < 0 || x.Evidence[said].Workload != "grid-uniform-50" {
		t.Errorf("%v, evidence %+v", err, x.Evidence)
	}
}
