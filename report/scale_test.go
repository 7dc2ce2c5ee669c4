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
	f.workloads = []string{"hold", "churn", "start-stop", "fill-drain"}           // two in a row
	for moved, lifecycles := range map[string]int{"": 2, "hold": 2, "churn": 2} { // beside hold, churn says so itself
		r := f.results()
		reschedules := 0
		for i := range r.Cells {
			if r.Cells[i].Workload == moved {
				r.Cells[i].Unit, reschedules = script.PerReschedule, 1
			}
		}
		svg := chartsNamed(t, viewOf(r, testKnowledge(six)), "scale")[0].SVG()
		for label, want := range map[string]int{">time per lifecycle<": lifecycles, ">time per reschedule<": reschedules} {
			if n := bytes.Count(svg, []byte(label)); n != want {
				t.Errorf("where %q is moved, %d axes say %s, want %d", moved, n, label, want)
			}
		}
	}
}
