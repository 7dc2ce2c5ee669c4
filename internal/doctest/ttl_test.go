package doctest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/catalog"
)

const (
	ttlPage  = "docs/ttl.md"
	ttlBegin = "<!-- figures: written by make keep-ttl. -->\n"
	ttlEnd   = "<!-- end of figures -->\n"
)

// ttlTable returns the table of one size, the least bytes first.
func ttlTable(t *testing.T, r *answer.Run, n int) string {
	t.Helper()
	calls := func(workload string) (out []results.Calls) {
		for _, c := range r.Calls {
			if c.Workload == workload && c.N == n {
				out = append(out, c)
			}
		}
		slices.SortFunc(out, func(a, b results.Calls) int { return cmp.Compare(a.Bytes, b.Bytes) })
		return out
	}
	cell := r.CellsOf("ttl-cache")[0]
	for _, x := range r.CellsOf("ttl-cache") {
		if x.N == n {
			cell = x
		}
	}
	steady, storm := calls("ttl-cache"), calls("avalanche-slot")
	if len(steady) < 7 || len(storm) != len(steady) {
		t.Fatalf("n %d: %d and %d structures", n, len(steady), len(storm))
	}
	// The page says so, and that the other structures with IDs take more time than these two.
	best := []string{answer.Default, "hwheel"}
	if !slices.Contains(best, steady[0].Structure) || !slices.Contains(best, steady[1].Structure) {
		t.Errorf("n %d: %s and %s take the fewest bytes, want auto and hwheel", n, steady[0].Structure, steady[1].Structure)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n| %s entries | bytes | longest set | longest expiry | lag | longest expiry, at once | lag, at once | ns | times `auto` |\n|---|%s\n",
		show.Grouped(n), strings.Repeat("---:|", 8))
	for _, c := range steady {
		other := storm[slices.IndexFunc(storm, func(s results.Calls) bool { return s.Structure == c.Structure })]
		longest := func(c results.Calls, o results.Operation) string {
			call, _ := c.Of(o)
			return show.Duration(call.NS)
		}
		name := "`" + c.Structure + "`"
		if e, ok := catalog.Find(c.Structure); ok && !e.Exact() {
			name += " (late)"
		}
		if most := c.Max().NS; c.Structure == answer.Default && max(most, other.Max().NS) > 0.5e6 {
			t.Errorf("the longest call of %s takes %v ns among %d, and the page says far below a millisecond", c.Structure, most, n)
		}
		row := cell.Row(c.Structure)
		if id := !strings.HasPrefix(c.Structure, "intrusive-"); id && !slices.Contains(best, c.Structure) && cell.Ratio(row, cell.Row(answer.Default)).Center < 1 {
			t.Errorf("n %d: %s takes less time than auto", n, c.Structure)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", name, show.Figure(c.Bytes),
			longest(c, results.Schedule), longest(c, results.Pop), show.Duration(c.Lag), longest(other, results.Pop), show.Duration(other.Lag),
			show.Figure(cell.Cost(row).Center), show.Times(cell.Ratio(row, cell.Row(answer.Default)).Center))
	}
	return b.String()
}

// The tables of the page and the answers below them come from the kept run.
func TestTheTTLPageIsThatOfTheKeptRun(t *testing.T) {
	kept := keptRun(t, "docs/ttl.json.gz")
	if err := kept.Check(); err != nil || !kept.Complete {
		t.Fatalf("complete %t: %v", kept.Complete, err)
	}
	note := ""
	for i, c := range kept.Cells {
		if w, _ := workload.Find(c.Workload); w.Version() != c.Definition {
			note = fmt.Sprintf("The cells have definition %d of `%s`, whose fill had no entry that was overwritten or deleted; %d now. ", c.Definition, c.Workload, w.Version())
			kept.Cells[i].Definition = 0 // the answers below are those of the page
		}
	}
	r := answer.Of(kept, catalog.All())
	text := note + fmt.Sprintf("Measured by `make bench-ttl` on %s, %s, %s.\n", kept.Environment.CPU, kept.Created.Format("2 January 2006"), kept.Environment.Build())
	for _, n := range []int{1e6, 1e7} {
		text += ttlTable(t, r, n)
	}
	for _, n := range []float64{1e6, 1e7} {
		x, err := r.Adviser().Answer(answer.Question{
			N: n, Cancel: answer.Unknown, Reschedule: answer.Unknown, Matters: answer.Weights{answer.Memory: 4, answer.Pause: 2, answer.Throughput: 1},
		})
		if err != nil || strings.Contains(x.Far, "far from") || len(x.Candidates) > 3 {
			t.Errorf("%g entries: %v, %s, candidates %v", n, err, x.Far, x.Candidates)
		}
		text += "\n" + x.Sentence() + "\n"
	}
	Generated(t, *update, ttlPage, ttlBegin, ttlEnd, text)
}
