// The facts of one structure. The catalog says what it promises, and the run says where it wins and loses: next to each other, so that a
// promise can be checked.

package section

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/entry"
)

// Facts returns the facts of a structure from the catalog and from a run, each with its name.
func Facts(e entry.Entry, r *answer.Run) *show.Table {
	ties := "in any order"
	if e.Ties == entry.FIFO {
		ties = "FIFO: in the order in which they were scheduled or rescheduled"
	}
	exactness := "exact: each timer fires at its deadline"
	if !e.Exact() {
		exactness = "coarse: never early, and late by " + e.Late
	}
	t := newTable("ll", "", e.Name)
	t.Add("What it is", e.Summary)
	t.Add("Idea", e.Source)
	t.Add("Package", e.Package)
	t.Add("Costs", fmt.Sprintf("schedule %s; cancel %s; pop %s", e.Costs.Schedule, e.Costs.Cancel, e.Costs.Pop))
	t.Add("Equal deadlines", ties)
	t.Add("Exactness", exactness)
	var largest results.Memory
	for _, m := range r.Memory {
		if m.Structure == e.Name && m.N > largest.N {
			largest = m
		}
	}
	t.Add("Memory", show.Joined("; ",
		show.When(e.MaxBytes > 0, fmt.Sprintf("at most %d bytes per timer in the chart of memory, including a value of 8 bytes; other deadlines may take more", e.MaxBytes)),
		"allocates "+show.When(!e.Allocates, "nothing ")+"in the steady state",
		show.When(largest.N > 0, fmt.Sprintf("measured with %s timers: %s bytes, and %s after timers were replaced",
			short(largest.N), show.Figure(largest.Bytes), show.Figure(largest.AgedBytes)))))
	if e.Limit > 0 {
		t.Add("Limit", "made for up to "+show.Grouped(e.Limit)+" timers")
	}
	if e.ThirdParty != "" {
		t.Add("Off the shelf", e.ThirdParty)
	}
	addStanding(t, e.Name, r)
	return t
}

// namedCells is how many cells a fact names (chosen).
const namedCells = 4

// addStanding adds where a structure wins and loses.
func addStanding(t *show.Table, name string, r *answer.Run) {
	var wins, out []string // cells
	var worse []*stats.Costs
	times := func(c *stats.Costs) float64 { return c.ToBest(c.Row(name)).Center }
	typical, all := answer.Mean(r.Cells, func(c *stats.Costs) stats.Estimate {
		cell := sized(c.Workload, c.N)
		if slices.Contains(c.LeftOut, name) {
			out = append(out, cell)
		}
		switch row := c.Row(name); {
		case !row.HasCost() || row.Role != results.RoleStructure:
			return stats.Estimate{}
		case !c.Ties(row):
			worse = append(worse, c)
			return c.ToBest(row)
		}
		wins = append(wins, cell)
		return stats.Estimate{Center: 1, Rounds: 1}
	})
	if all == 0 { // its timers are fields of the caller's structs, or it has no costs
		says := "these results have no cost of this structure"
		if times, n := answer.Mean(r.Cells, func(c *stats.Costs) stats.Estimate { return c.Ratio(c.Row(name), c.Row(answer.Default)) }); n > 0 {
			says = fmt.Sprintf("in no ranking, because its timers are fields of your structs: %s times as long as %s (geometric mean over %s)",
				show.Times(times), answer.Default, show.Count(n, "cell"))
		}
		t.Add("Wins and loses", says)
		return
	}
	t.Add("Wins", fmt.Sprintf("fastest, or tied with the fastest, in %d of %s", len(wins), show.Count(all, "cell"))+show.When(len(wins) > 0, ": "+someCells(wins)))
	slices.SortStableFunc(worse, func(a, b *stats.Costs) int { return cmp.Compare(times(b), times(a)) })
	if len(worse) > 0 {
		worst := mapped(worse[:min(namedCells, len(worse))], func(c *stats.Costs) string {
			return sized(c.Workload, c.N) + " (" + show.Times(times(c)) + " × the fastest)"
		})
		t.Add("Loses", "most in "+strings.Join(worst, "; "))
	}
	if len(out) > 0 {
		t.Add("Left out", "too slow with fewer timers, so not measured in "+someCells(out))
	}
	t.Add("Typical", show.Times(typical)+" × the fastest: the geometric mean over the cells, where a tie counts as 1")
}

func someCells(cells []string) string {
	named := slices.Clone(cells[:min(len(cells), namedCells)])
	if more := len(cells) - namedCells; more > 0 {
		named = append(named, fmt.Sprintf("%d more", more))
	}
	return strings.Join(named, "; ")
}
