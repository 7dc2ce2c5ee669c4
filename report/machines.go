// Does the structure to take hold on all machines, and what does it cost elsewhere? One table says so, without charts: each run has a page
// of its own.

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/section"
	"github.com/timerbench/timerbench/structures/entry"
)

// elsewhere is a structure that one machine names, with its largest multiple of the fastest on another machine.
type elsewhere struct {
	name, in string // the cell
	times    float64
}

// Machines compares runs of several machines: what they say in common, the machines, and a row for each cell that all of them measured.
func Machines(runs []results.Named, structures []entry.Entry) show.Text {
	views, revisions := make([]*answer.Run, len(runs)), make(map[string]bool)
	table := &show.Table{Align: "l", Header: []string{"Cell"}}
	var list [][]show.Span
	for i, r := range runs {
		views[i] = answer.Of(r.Run, structures)
		letter, e := string(rune('A'+i%26)), r.Environment
		revisions[e.Revision] = true
		table.Header = append(table.Header, "Take on "+letter)
		list = append(list, show.Line(show.Strong(letter), ": "+show.Joined(", ", cmp.Or(e.CPU, "unknown"), show.Count(e.Cores, "core"),
			strings.Trim(e.OS+"/"+e.Arch, "/"), e.ArchLevel, e.Go, section.CachesOf(e), r.Created.UTC().Format("2 January 2006"), e.Build(), r.Name)))
	}
	table.Header = append(table.Header, "Holds", "Elsewhere")
	same, tied, redefined, worst := 0, 0, 0, elsewhere{}
	for _, of := range views[0].Cells {
		cells, older := everywhere(views, of)
		if redefined += older; len(cells) < len(runs) {
			continue
		}
		x := elsewhere{in: fmt.Sprintf("%s, %s timers", of.Workload, show.Grouped(of.N))}
		line, named := []any{x.in}, make(map[string]bool)
		for _, c := range cells {
			take := c.Named()
			line = append(line, show.Number(c.Cost(take).Center, fmt.Sprintf("%s %s ns", take.Structure, show.Figure(c.Cost(take).Center))))
			named[take.Structure] = true
			for _, other := range cells {
				if times := other.Deciding(other.Row(take.Structure), other.Fastest()).Center; times > x.times {
					x.name, x.times = take.Structure, times
				}
			}
		}
		holds, times := cells[0].Named().Structure, any(nil)
		if len(named) == 1 {
			same++
		} else if holds = tiesEverywhere(cells); holds != "none" {
			tied++
		}
		if x.times > 1 {
			times = show.Number(x.times, fmt.Sprintf("%s %s ×", x.name, show.Times(x.times)))
		}
		if table.Add(append(line, holds, times)...); x.times > worst.times {
			worst = x
		}
	}
	if len(table.Rows) == 0 {
		return append(show.Para("These results have no cell in common."), show.Bullets(list...)...)
	}
	out := fmt.Sprintf("In %d of %s all %d machines name the same structure. In %d more one structure ties with the fastest on all.",
		same, show.Count(len(table.Rows), "cell"), len(runs), tied)
	if worst.times > 1 {
		out += fmt.Sprintf(" At worst, without the loop, the structure that one machine names takes %s times as long as the fastest of another: %s, %s.",
			show.Times(worst.times), worst.name, worst.in)
	}
	if len(revisions) > 1 {
		out += fmt.Sprintf(" The runs are of %d revisions of timerbench, so differences can come from the code.", len(revisions))
	}
	older := ""
	if redefined > 0 {
		older = show.Count(redefined, "cell") + " left out: another machine measured a newer definition of the workload."
	}
	return slices.Concat(show.Para(out), show.Para(older), show.Bullets(list...), show.Para(answer.Default+" is named unless the interval of its ratio to another exact structure "+
		"lies above 1.10. Holds: all machines name the structure. A question mark means that it ties with the fastest on all. "+
		"Elsewhere: the largest ratio of a structure that one machine names to the fastest on another. All ratios are without the loop."), show.Tables(table))
}

// everywhere returns the cells of the runs with the workload and the size of a cell, in its newest definition, and how many have an
// older one.
func everywhere(runs []*answer.Run, of *stats.Costs) (cells []*stats.Costs, older int) {
	newest := 0
	for _, r := range runs {
		for _, c := range r.CellsOf(of.Workload) {
			if c.N == of.N && len(c.Exact) > 0 {
				cells, newest = append(cells, c), max(newest, c.Definition)
			}
		}
	}
	all := len(cells)
	cells = slices.DeleteFunc(cells, func(c *stats.Costs) bool { return c.Definition < newest })
	return cells, all - len(cells)
}

// tiesEverywhere returns the first structure that ties with the fastest in all cells, with a question mark, or none.
func tiesEverywhere(cells []*stats.Costs) string {
	for _, x := range cells[0].Exact {
		if !slices.ContainsFunc(cells, func(c *stats.Costs) bool { return !c.Ties(c.Row(x.Structure)) }) {
			return x.Structure + "?"
		}
	}
	return "none"
}
