package doctest

import (
	"fmt"
	"testing"

	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/catalog"
)

// The table of docs/performance.md about timers in the caller's structs is that of the kept run of other languages.
func TestFieldRunGivesTheCostOfAnID(t *testing.T) {
	kept := keptRun(t, "docs/field/results.json.gz")
	r := answer.Of(kept, catalog.All())
	workloads := []string{"start-stop", "churn", "reschedule", "hold", "fill-drain"}
	fewest, most, rows := 1000, 0, ""
	for _, of := range []string{answer.Default, "ratas"} {
		for _, n := range []int{1_000, 100_000, 1_000_000} {
			rows += fmt.Sprintf("| %s | `%s` |", show.Grouped(n), of)
			for _, w := range workloads {
				ratio := "–"
				for _, c := range r.CellsOf(w) {
					if a, b := c.Row("intrusive-hwheel"), c.Row(of); c.N == n && a != nil && b != nil && a.HasCost() && b.HasCost() {
						x := c.Ratio(a, b)
						ratio, fewest, most = show.Times(x.Center), min(fewest, x.Pairs), max(most, x.Pairs)
					}
				}
				rows += " " + ratio + " |"
			}
			rows += "\n"
		}
	}
	text := fmt.Sprintf("Measured on %s, %s, %s, in paired rounds (%d to %d), with the loops:\n\n| timers | relative to | start-stop | churn | reschedule | hold | fill-drain |\n"+
		"|---:|---|---:|---:|---:|---:|---:|\n", kept.Environment.CPU, kept.Created.Format("2 January 2006"), kept.Environment.Build(), fewest, most) + rows
	Generated(t, *update, "docs/performance.md", "<!-- intrusive: written by make keep-field. -->\n", "<!-- end of intrusive -->\n", text)
}
