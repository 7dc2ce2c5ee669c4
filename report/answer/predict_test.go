package answer

import (
	"flag"
	"fmt"
	"testing"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/doctest"
	"github.com/timerbench/timerbench/internal/show"
)

var update = flag.Bool("update", false, "write docs/recordings.md")

// The cells of the grid answer the questions of the recorded and modelled programs of the newest kept run. The structure that they name
// takes at most 1.1 times as long as the fastest one of the program itself, with few exceptions, which docs/recordings.md lists.
func TestPredictions(t *testing.T) {
	a := advised(t)
	hits, all := make(map[workload.Category]int), make(map[workload.Category]int)
	misses := ""
	for _, p := range a.cells {
		class := ClassOf(p.Costs)
		if p.inGrid() || class == workload.Synthetic {
			continue
		}
		x, err := a.Answer(Question{N: float64(p.N), Cancel: p.CancelRate, Reschedule: p.moved, Delays: p.delays})
		named := p.Row(x.Named)
		if err != nil || !named.HasCost() {
			continue
		}
		all[class]++
		if of := p.Ratio(named, p.Fastest()); of.Center <= 1.1 {
			hits[class]++
		} else {
			misses += fmt.Sprintf("| %s | %s | `%s` | `%s` | %s |\n", p.Workload, show.Grouped(p.N), x.Named, p.Fastest().Structure, Times(of))
		}
	}
	text := fmt.Sprintf("It hits in %d of %d recordings and in %d of %d models. It misses here:\n\n| workload | timers | named | fastest | times as long |\n|---|---:|---|---|---:|\n",
		hits[workload.Recorded], all[workload.Recorded], hits[workload.Program], all[workload.Program]) + misses
	if h, n := hits[workload.Recorded]+hits[workload.Program], all[workload.Recorded]+all[workload.Program]; n < 15 || 3*h < n {
		t.Errorf("%d of %d hit", h, n)
	}
	doctest.Generated(t, *update, "../../docs/recordings.md", "<!-- hits: written by make docs -->\n", "<!-- end of hits -->\n", text)
}
