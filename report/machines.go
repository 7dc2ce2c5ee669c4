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

// WriteMachines writes the page of runs of several machines to the folder dir, which it creates if it is
// missing. The page is one table: it says whether the structure to take holds on all machines, and what it costs elsewhere.
// It has no charts; each run has a page of its own. WriteMachines returns the first paragraphs of the page.
func WriteMachines(dir string, runs []results.Named, structures []entry.Entry) (lead string, err error) {
	p := machinesPage(runs, structures)
	return p.Front.Lead.String(), p.write(dir, func() error { return nil })
}

// elsewhere is a structure that one machine names, with its largest multiple of the fastest on another machine.
type elsewhere struct {
	name, in string // the cell
	times    float64
}

func (e elsewhere) cell() any {
	if e.times <= 1 {
		return nil
	}
	return show.Number(e.times, fmt.Sprintf("%s %s ×", e.name, show.Times(e.times)))
}

func machinesPage(runs []results.Named, structures []entry.Entry) *page {
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
		cells, left := everywhere(views, of)
		redefined += left
		if len(cells) < len(runs) {
			continue
		}
		x := elsewhere{in: fmt.Sprintf("%s, %s timers", of.Workload, show.Grouped(of.N))}
		line, named := []any{x.in}, []string(nil)
		for _, c := range cells {
			take := c.Named()
			line = append(line, show.Number(c.Cost(take).Center, fmt.Sprintf("%s %s ns", take.Structure, show.Figure(c.Cost(take).Center))))
			named = append(named, take.Structure)
			for _, other := range cells {
				if times := other.Deciding(other.Row(take.Structure), other.Fastest()).Center; times > x.times {
					x.name, x.times = take.Structure, times
				}
			}
		}
		holds := named[0]
		if len(slices.Compact(slices.Sorted(slices.Values(named)))) == 1 {
			same++
		} else if holds = tiesEverywhere(cells); holds != "" {
			tied++
			holds += "?"
		}
		if table.Add(append(line, cmp.Or(holds, "none"), x.cell())...); x.times > worst.times {
			worst = x
		}
	}
	p := &page{Title: "Timer structures on several machines"}
	p.Front.Tables = []section.Table{{Body: show.Bullets(list...), Main: true}}
	if len(table.Rows) == 0 {
		p.Front.Lead = show.Para("These results have no cell in common.")
		return p
	}
	out := fmt.Sprintf("In %d of %s all %d machines name the same structure. In %d more one structure ties with the fastest on all.",
		same, show.Count(len(table.Rows), "cell"), len(runs), tied)
	if worst.times > 1 {
		out += fmt.Sprintf(" At worst the structure that one machine names takes %s times as long as the fastest of another: %s, %s.",
			show.Times(worst.times), worst.name, worst.in)
	}
	if len(revisions) > 1 {
		out += fmt.Sprintf(" The runs are of %d revisions of timerbench, so a difference can also come from the code.", len(revisions))
	}
	if p.Front.Lead = show.Para(out); redefined > 0 {
		p.Front.Lead = append(p.Front.Lead, show.Para(fmt.Sprintf("%s left out: another machine measured a newer definition of the workload.",
			show.Count(redefined, "cell")))...)
	}
	p.Sections = []section.Section{{
		Title: "Does the structure to take hold on all machines?",
		Lead: show.Para(answer.Default + " is named unless the interval of its ratio to another exact structure lies above 1.10, without the loop. Holds: all " +
			"machines name the structure. A question mark means that it ties with the fastest on all. Elsewhere: the largest cost of a structure " +
			"that one machine names on another machine, as a multiple of the fastest there."),
		Tables: []section.Table{{Body: show.Tables(table), Main: true}},
	}}
	return p
}

// everywhere returns the cells of the runs with the workload and the size of a cell, in its newest definition, and how many have an
// older one.
func everywhere(runs []*answer.Run, of *stats.Costs) (cells []*stats.Costs, older int) {
	newest := 0
	for _, r := range runs {
		for _, c := range r.CellsOf(of.Workload) {
			if c.N == of.N {
				cells, newest = append(cells, c), max(newest, c.Definition)
			}
		}
	}
	cells = slices.DeleteFunc(cells, func(c *stats.Costs) bool { return len(c.Exact) == 0 })
	all := len(cells)
	cells = slices.DeleteFunc(cells, func(c *stats.Costs) bool { return c.Definition < newest })
	return cells, all - len(cells)
}

// tiesEverywhere returns the first structure that ties with the fastest in all cells; empty: there is none.
func tiesEverywhere(cells []*stats.Costs) string {
	for _, x := range cells[0].Exact {
		if !slices.ContainsFunc(cells, func(c *stats.Costs) bool { return !c.Ties(c.Row(x.Structure)) }) {
			return x.Structure
		}
	}
	return ""
}
