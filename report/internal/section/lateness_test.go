package section

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

func TestLatenessTable(t *testing.T) {
	t.Parallel()
	late := results.Idle{Structure: "coarse", Distribution: "uniform", N: 1000, Driver: results.Ticking, Fired: 12,
		Lateness: &results.Lateness{Mean: 3.5, P99: 7, Max: 7, MeanShare: 0.01, P99Share: 0.1, MaxShare: 0.127}}
	exact := results.Idle{Structure: "exact", Distribution: "uniform", N: 1000, Driver: results.Ticking}
	v := viewOf(t, &results.Run{Idle: []results.Idle{exact, late}})
	table := v.latenessTable()
	for _, part := range []string{"coarse", "3.5", "12.7 %"} {
		if !strings.Contains(table, part) {
			t.Errorf("the table does not say %q:\n%s", part, table)
		}
	}
	if strings.Contains(table, "exact") {
		t.Error("an exact structure is in the table")
	}
	if table := viewOf(t, &results.Run{Idle: []results.Idle{exact}}).latenessTable(); table != "" {
		t.Errorf("a table without a coarse structure: %q", table)
	}
}
