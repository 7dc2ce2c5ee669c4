package report

import (
	"bytes"
	"testing"

	"github.com/timerbench/timerbench/bench/script"
)

// Each axis names the unit of its own panel; a panel without a name has the unit
// of the one to its left.
func TestAxesNameTheUnitOfTheirPanel(t *testing.T) {
	t.Parallel()
	f := tiny()
	f.workloads = []string{"hold", "churn", "start-stop", "fill-drain"} // two in a row
	for name, c := range map[string]struct {
		moved      string // the workload whose unit is a reschedule
		lifecycles int    // how many axes say lifecycle
	}{
		"all the same":  {"", 2},
		"first of all":  {"hold", 2}, // churn beside it says so itself
		"second in row": {"churn", 2},
	} {
		r := f.results()
		for i := range r.Cells {
			if r.Cells[i].Workload == c.moved {
				r.Cells[i].Unit = script.PerReschedule
			}
		}
		svg := chartsNamed(t, viewOf(r, testKnowledge(six)), "scale")[0].SVG()
		reschedules := 0
		if c.moved != "" {
			reschedules = 1
		}
		if n := bytes.Count(svg, []byte(">time per lifecycle<")); n != c.lifecycles {
			t.Errorf("%s: %d axes say lifecycle, want %d", name, n, c.lifecycles)
		}
		if n := bytes.Count(svg, []byte(">time per reschedule<")); n != reschedules {
			t.Errorf("%s: %d axes say reschedule, want %d", name, n, reschedules)
		}
	}
}
