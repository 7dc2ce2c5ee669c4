package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/section"
	"github.com/timerbench/timerbench/structures/entry"
)

// Summary returns a table with a line for each cell: the fastest structures, and the cost of the others
// relative to them. The last line counts how often each structure was the fastest. Summary returns the
// empty string without a measured cell.
func Summary(r *results.Run, structures []entry.Entry) string {
	ranked := answer.Of(r.Among(results.RoleExternal), structures)
	t := show.Table{Align: "lrrrllrl",
		Header: []string{"workload", "n", "ns", "±", "per", "fastest", "unclear", "next", "slowest"}}
	wins, unsteady := make(map[string]int), ""
	for _, c := range ranked.Cells {
		if len(c.Ranked) == 0 {
			continue
		}
		best, tied := c.Cost(c.Ranked[0]), results.Names(c.In(stats.Tie))
		spread, unclear, next, slowest := show.Spread(best.Center, best.Lo, best.Hi), show.Unknown, show.Unknown, show.Unknown
		if n := len(c.In(stats.Unclear)); n > 0 {
			unclear = fmt.Sprint(n)
		}
		if worse := c.In(stats.Worse); len(worse) > 0 {
			to := c.ToBest(worse[0])
			next = nextOf(c, worse[0]) + " ±" + show.Spread(to.Center, to.Lo, to.Hi)
			if len(worse) > 1 {
				slowest = nextOf(c, worse[len(worse)-1])
			}
		}
		for _, name := range tied {
			wins[name]++
		}
		const named = 2 // chosen
		fastest := strings.Join(tied[:min(named, len(tied))], ", ")
		if more := len(tied) - named; more > 0 {
			fastest += fmt.Sprintf(" and %d more", more)
		}
		if warning := c.Unsteady(); warning != "" {
			unsteady += fmt.Sprintf("%s, n %d: %s\n", c.Workload, c.N, warning)
		}
		t.Add(c.Workload, show.Grouped(c.N), show.Figure(best.Center), spread, string(c.Unit), fastest, unclear, next, slowest)
	}
	if len(t.Rows) == 0 {
		return ""
	}
	most := slices.SortedFunc(maps.Keys(wins), func(a, b string) int {
		return cmp.Or(wins[b]-wins[a], strings.Compare(a, b))
	})
	var standings []string
	for _, name := range most[:min(3, len(most))] {
		standings = append(standings, fmt.Sprintf("%s %d", name, wins[name]))
	}
	return programs(ranked) + fmt.Sprintf("%s\nns: time of the fastest, ± its 95 %% interval. Fastest: more than one is a tie, within 5 %%.\n"+
		"Unclear: how many more may be the fastest. Next, slowest: times the fastest's, paired by round.\n"+
		"Fastest or tied with it, of %s: %s.\n%s", t.Terminal(), show.Count(len(t.Rows), "cell"), strings.Join(standings, ", "), unsteady)
}

// programs is a line for each cell and program of another language; it is empty without one.
func programs(r *answer.Run) string {
	t := show.Table{Align: "lrlrr", Header: []string{"workload", "n", "program", "ns", "times the fastest"}}
	for _, c := range r.Cells {
		for _, row := range c.Rows {
			p := r.Program(row.Structure)
			if p == nil || !row.HasCost() || len(c.Ranked) == 0 {
				continue
			}
			t.Add(c.Workload, show.Grouped(c.N), p.Name, show.Figure(c.Cost(row).Center), section.TimesOf(c.ToBest(row)))
		}
	}
	if len(t.Rows) == 0 {
		return ""
	}
	return t.Terminal() + "\n"
}

func nextOf(c *stats.Costs, r *results.Row) string {
	return r.Structure + " " + show.Times(c.ToBest(r).Center) + "x"
}
