package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
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
// missing. The page says whether the winner of each question holds on all machines, and by how much the
// costs change. It has no charts; each run has a page of its own. WriteMachines returns the first
// paragraphs of the page.
func WriteMachines(dir string, runs []results.Named, structures []entry.Entry) (lead string, err error) {
	machines := make([]machine, len(runs))
	for i, r := range runs {
		view := answer.Of(r.Run, structures)
		machines[i] = machine{r, view, string(rune('A' + i%26))}
	}
	p := machinesPage(machines)
	return p.Front.Lead.String(), p.write(dir, func() error { return nil })
}

// machine is the results of a machine, which tables name by a letter.
type machine struct {
	results.Named
	view   *answer.Run
	letter string
}

// compared is one cell with what all machines have there.
type compared struct {
	question string
	cells    []*stats.Costs // by machine
	named    []string
	agreement
	elsewhere multiple // named structure of one machine with the largest multiple on another machine

	why, cause string // why the machines disagree, if nothing holds; caches, core or unknown
}

// multiple is a structure with its cost as a multiple of that of the fastest, without the loop.
type multiple struct {
	name  string
	times float64
}

// agreement is what several machines have in common.
type agreement struct {
	holds  string   // structure that all machines name, or else one that ties with the fastest on all; empty: none
	same   bool     // all machines name it
	steady multiple // structure with the smallest worst multiple over the machines
}

func machinesPage(machines []machine) *page {
	p := &page{Title: "Timer structures on several machines"}
	list := &show.Table{Align: "l", Header: []string{"", "Machine", "System", "Caches", "Made", "timerbench", "Results"}}
	for _, m := range machines {
		e := m.Environment
		list.Add(m.letter, fmt.Sprintf("%s, %s", cmp.Or(e.CPU, "unknown"), show.Count(e.Cores, "core")),
			strings.Join(strings.Fields(strings.Trim(e.OS+"/"+e.Arch, "/")+" "+e.ArchLevel+" "+e.Go), ", "),
			section.CachesOf(e), m.Created.UTC().Format("2 January 2006"), cmp.Or(e.Build(), show.Unknown), m.Name)
	}
	var cells []compared
	redefined := 0
	for _, c := range machines[0].view.Cells {
		x, newest := compared{question: fmt.Sprintf("%s, %s timers", c.Workload, show.Grouped(c.N))}, 0
		for _, m := range machines {
			if same := m.Cell(c.Workload, c.N); same != nil {
				newest = max(newest, same.Definition)
			}
		}
		for _, m := range machines {
			for _, same := range m.view.CellsOf(c.Workload) {
				switch {
				case same.N != c.N || len(same.Exact) == 0:
				case same.Definition < newest:
					redefined++
				default:
					x.cells, x.named = append(x.cells, same), append(x.named, same.Named().Structure)
				}
			}
		}
		if len(x.cells) == len(machines) {
			x.agreement = common(x.cells)
			for _, name := range x.named {
				for _, of := range x.cells {
					if times := of.Deciding(of.Row(name), of.Fastest()).Center; times > x.elsewhere.times {
						x.elsewhere = multiple{name, times}
					}
				}
			}
			if x.holds == "" {
				x.explain(c.N, machines)
			}
			cells = append(cells, x)
		}
	}
	p.Front.Lead = show.Para(sumUp(len(machines), cells) + causes(cells, machines))
	if redefined > 0 {
		p.Front.Lead = append(p.Front.Lead, show.Para(fmt.Sprintf("%s left out: another machine measured a newer definition of the workload.",
			show.Count(redefined, "cell")))...)
	}
	if len(cells) == 0 {
		p.Front.Lead = show.Para("These results have no cell in common.")
	}
	p.Front.Tables = []section.Table{{Body: show.Tables(list), Main: true}}
	how := answer.Default + " is named unless the interval of its ratio to another exact structure lies above 1.10, without the loop. Holds: all machines " +
		"name the structure. A question mark means that it ties with the fastest on all. Elsewhere: the largest cost of a structure that one " +
		"machine names on another machine, as a multiple of the fastest there. For all: the structure with the smallest " +
		"worst multiple. Why: where nothing holds, it is the caches if machines agree that hold the timers in the same " +
		"cache, else the core, which is the rest of the processor. It is unknown if machines with known caches agree."
	if len(cells) > 0 {
		p.Sections = []section.Section{{
			Title: "Does the structure to take hold on all machines?", Lead: show.Para(how),
			Tables: []section.Table{{Body: show.Tables(machinesTable(machines, cells)), Main: true}},
		}}
	}
	return p
}

// explain says why the machines disagree on a cell of n timers. It is their caches if machines that hold the timers in
// the same cache agree, else the core. It is unknown if the machines with known caches agree.
func (c *compared) explain(n int, machines []machine) {
	bytes := 0 // of a timer of the largest named structure
	for _, name := range c.named {
		e, _ := machines[0].view.Entry(name)
		bytes = max(bytes, cmp.Or(e.MaxBytes, 64))
	}
	in, cells := make(map[string][]string), make(map[string][]*stats.Costs) // by cache
	var known []*stats.Costs
	for i, m := range machines {
		e, at := m.Environment, "memory"
		switch all := n * bytes; {
		case e.L1Data == 0:
			at = "an unknown cache"
		case e.L1Data >= all:
			at = "L1"
		case e.L2 >= all:
			at = "L2"
		case e.L3 >= all:
			at = "L3"
		}
		in[at] = append(in[at], m.letter)
		if e.L1Data > 0 {
			known, cells[at] = append(known, c.cells[i]), append(cells[at], c.cells[i])
		}
	}
	c.cause = "caches"
	for _, same := range cells {
		if len(cells) == 1 || common(same).holds == "" {
			c.cause = "core"
		}
	}
	if len(known) == 0 || common(known).holds != "" {
		c.cause = "unknown"
	}
	var places []string
	for _, at := range slices.Sorted(maps.Keys(in)) {
		places = append(places, at+" of "+strings.Join(in[at], " "))
	}
	c.why = fmt.Sprintf("%s: %s in %s", c.cause, show.Bytes(float64(n*bytes)), strings.Join(places, ", "))
}

// causes counts the causes of disagreement. Runs of several revisions may also differ by their code.
func causes(cells []compared, machines []machine) string {
	causes, revisions, out := make(map[string]int), make(map[string]bool), ""
	for _, c := range cells {
		causes[c.cause]++
	}
	for _, m := range machines {
		revisions[m.Environment.Revision] = true
	}
	if len(cells) > causes[""] {
		out = fmt.Sprintf(" Where no winner holds, the cause is the caches in %s, the core in %d, and unknown caches in %d.",
			show.Count(causes["caches"], "cell"), causes["core"], causes["unknown"])
	}
	if len(revisions) > 1 {
		out += fmt.Sprintf(" The runs are of %d revisions of timerbench, so a difference can also come from the code.", len(revisions))
	}
	return out
}

func common(cells []*stats.Costs) agreement {
	out := agreement{steady: multiple{times: math.Inf(1)}, same: true}
	first := cells[0].Named().Structure
	for _, c := range cells {
		out.same = out.same && c.Named().Structure == first
	}
	if out.same {
		out.holds = first
	}
	for _, x := range cells[0].Exact {
		most, ties := 0.0, true
		for _, c := range cells {
			row := c.Row(x.Structure)
			times := math.Inf(1)
			if of := c.Deciding(row, c.Fastest()); of.OK() {
				times = of.Center
			}
			most, ties = max(most, times), ties && c.Ties(row)
		}
		if most < out.steady.times {
			out.steady = multiple{x.Structure, most}
		}
		if ties && out.holds == "" {
			out.holds = x.Structure
		}
	}
	return out
}

func sumUp(machines int, list []compared) string {
	if len(list) == 0 {
		return ""
	}
	same, tied, worst := 0, 0, compared{}
	for _, c := range list {
		switch {
		case c.same:
			same++
		case c.holds != "":
			tied++
		}
		if c.elsewhere.times > worst.elsewhere.times {
			worst = c
		}
	}
	out := fmt.Sprintf("In %d of %s all %d machines name the same structure. In %d more one structure ties with the fastest on all.",
		same, show.Count(len(list), "cell"), machines, tied)
	if worst.elsewhere.times > 1 {
		out += fmt.Sprintf(" At worst the structure that one machine names takes %s times as long as the fastest of another: %s, %s.",
			show.Times(worst.elsewhere.times), worst.elsewhere.name, worst.question)
	}
	return out
}

func machinesTable(machines []machine, list []compared) *show.Table {
	t := &show.Table{Align: "l", Header: []string{"Cell"}}
	for _, m := range machines {
		t.Header = append(t.Header, "Take on "+m.letter)
	}
	t.Header = append(t.Header, "Holds", "Elsewhere", "For all", "Why")
	for _, c := range list {
		line := []any{c.question}
		for i, name := range c.named {
			ns := c.cells[i].Cost(c.cells[i].Row(name)).Center
			line = append(line, show.Number(ns, fmt.Sprintf("%s %s ns", name, show.Figure(ns))))
		}
		holds := cmp.Or(c.holds, "none")
		if c.holds != "" && !c.same {
			holds += "?"
		}
		t.Add(append(line, holds, c.elsewhere.cell(), c.steady.cell(), c.why)...)
	}
	return t
}

// cell writes the multiple in a table, if it is known.
func (m multiple) cell() any {
	if m.times <= 1 || math.IsInf(m.times, 1) {
		return nil
	}
	return show.Number(m.times, fmt.Sprintf("%s %s ×", m.name, show.Times(m.times)))
}
