package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/timerbench/timerbench/bench/results"
)

// page is what a report says, in order. It is written out as Markdown and as
// HTML.
func (v *view) page(c charts) *page {
	p := &page{chapters: []chapter{{}}}
	if !v.r.Complete {
		p.line("> **This run was interrupted.** What is here was measured and proved in full; the rest is missing.")
	}
	if v.fewTrials() {
		p.line("> **Too few trials for intervals.** A 95 % confidence interval of a median needs at least 6 trials. " +
			"Where there were fewer, no difference on this page is proved and no tie is named.")
	}
	p.answer(v, c)
	p.section("How does the cost of a timer grow with their number?", c.scale, v.costTables(synthetic))
	p.breakEven(v)
	p.section("Does it matter how deadlines are spread?", c.grid, v.costTables(grid))
	p.section("What does a timer cost in real programs?", c.realistic, v.costTables(realistic))
	p.latency(v, c)
	p.kinds(v)
	p.idle(v, c)
	p.lateness(v)
	p.memory(v, c)
	p.harness(v)
	p.made(v)
	p.missing(c)
	return p
}

// fewTrials reports whether some row has a cost but no interval.
func (v *view) fewTrials() bool {
	return slices.ContainsFunc(v.r.Cells, func(c results.Cell) bool {
		return slices.ContainsFunc(c.Rows, func(r results.Row) bool {
			s := cost(r)
			return s.ok() && !s.bounded()
		})
	})
}

// titled is a table with what it is about.
type titled struct{ title, body string }

// costTables are the tables of all cells of a class.
func (v *view) costTables(c class) []titled {
	var out []titled
	for _, w := range v.ofClass(c) {
		for _, cell := range v.cells(w) {
			if body := v.costTable(cell); body != "" {
				out = append(out, titled{cellTitle(cell) + ": cost", body})
			}
		}
	}
	return out
}

// section shows a chart followed by its numbers.
func (p *page) section(title string, f *figure, tables []titled) {
	if f == nil {
		return
	}
	p.heading(title)
	p.picture(f)
	for _, t := range tables {
		p.folded(t.title, t.body)
	}
}

func (p *page) answer(v *view, c charts) {
	table := v.answerTable()
	if table == "" {
		p.line("No workload has a measured cost in these results.")
		return
	}
	p.heading("Which one should I use?")
	if c.overview != nil {
		p.picture(c.overview)
	}
	p.line("The fastest structures of each workload at its largest N. Structures are named together, in order of their medians, " +
		"where their 95 % confidence intervals overlap that of the first: these are ties. × floor: what it takes beside the harness alone, which every number includes; × Go's timers: beside time.AfterFunc, where that can take part.")
	p.table(table)
	p.folded("Every cell as a multiple of its fastest structure (bold: the fastest, or tied with it)", v.ratioTable())
}

func (p *page) latency(v *view, c charts) {
	if len(c.latency) == 0 {
		return
	}
	p.heading("How long does one call take, and how long at worst?")
	p.linef("Single calls, each stamped with the clock before and after, all trials together. "+
		"Each sample holds one reading of the clock, %s at the median; differences far below that are not visible here, "+
		"see the cost by kind of operation for them. The tables show each workload at its largest N; the results file holds all sizes.", duration(v.r.Environment.ClockNS))
	for _, f := range c.latency {
		p.picture(f)
	}
	for _, w := range v.workloads() {
		if cell, ok := v.largestWith(w, hasLatency); ok {
			p.folded(cellTitle(cell)+": latency", v.latencyTable(cell))
		}
	}
}

func (p *page) kinds(v *view) {
	var tables []titled
	for _, w := range v.workloads() {
		if cell, ok := v.largestWith(w, hasKinds); ok {
			tables = append(tables, titled{cellTitle(cell) + ": time per call", v.kindTable(cell)})
		}
	}
	if len(tables) == 0 {
		return
	}
	p.heading("What does each kind of operation cost?")
	p.line("The clock is read once for each run of operations of one kind, and its cost is taken off. " +
		"Time per call, median of the trials. The wake-up that ends a run of fires counts as part of fire. " +
		"Each workload at its largest N; the results file holds all sizes.")
	for _, t := range tables {
		p.folded(t.title, t.body)
	}
}

func (p *page) idle(v *view, c charts) {
	if c.idle == nil {
		return
	}
	p.heading("How often does a structure wake up for nothing?")
	p.picture(c.idle)
	p.line("Exact counts from a pass that is not timed. A _ticking_ driver wakes at every tick, a _tickless_ one at the tick that `Next` names. " +
		"An idle wake-up fires nothing: it was _empty_ (nothing was done), _only moved_ timers (cascades, rounds still to go) or " +
		"_only dropped_ stale entries of cancelled timers.")
	for _, s := range v.scenes() {
		p.folded(s.String()+": wake-ups and work", v.idleTable(s))
	}
}

func (p *page) memory(v *view, c charts) {
	table := v.memoryTable()
	if table == "" {
		return
	}
	p.heading("How much memory does a timer take?")
	if c.memory != nil {
		p.picture(c.memory)
	}
	p.folded("Memory and allocations at the largest N of each workload", table)
}

func (p *page) harness(v *view) {
	floor, control, proof := v.floorTable(), v.controlTable(), v.proofTable()
	if floor+control+proof == "" {
		return
	}
	p.heading("Can these numbers be trusted?")
	if floor != "" {
		p.line("**The floor** is a scheduler that does nothing. Its time is what the harness itself costs: " +
			"it is part of every other row, and is not taken off.")
		p.folded("The floor in every cell", floor)
	}
	if control != "" {
		p.line("**The control** is a second instance of a structure, measured like any other row. Its ratio to the structure that it repeats, " +
			"paired by round, should be 1; what it differs by is what the noise can do. By chance alone, one cell in twenty shows a difference.")
		p.folded("The control in every cell", control)
	}
	if proof != "" {
		p.line("**The proof.** Every replay had to account for each timer (scheduled = fired + cancelled + pending), and every exact structure " +
			"had to fire the same timers at the same ticks as the script or the trace says: the checksum is over tick and value of each. " +
			"A structure that rounds deadlines has a checksum of its own.")
		p.folded("What the replays agreed on", proof)
		p.folded("What they agreed on under other seeds, untimed", v.seedTable())
	}
}

func (p *page) made(v *view) {
	e, q := v.r.Environment, v.r.Parameters
	p.heading("How this was made")
	var rows [][]string
	add := func(what, value string) {
		if value != "" && value != "0" {
			rows = append(rows, []string{what, literal(value)})
		}
	}
	if !v.r.Created.IsZero() {
		add("Made", v.r.Created.UTC().Format(time.RFC3339))
	}
	add("Go", strings.TrimSpace(e.Go+" "+e.OS+"/"+e.Arch))
	add("CPU", e.CPU)
	add("Cores", fmt.Sprint(e.Cores))
	add("GOMAXPROCS", fmt.Sprint(e.GOMAXPROCS))
	add("Version of timerbench", e.Version)
	add("Commit of timerbench", e.Revision)
	if e.ClockNS > 0 {
		add("Cost of reading the clock", duration(e.ClockNS))
	}
	if e.ClockStep > 0 {
		add("Smallest step of the clock", duration(e.ClockStep))
	}
	add("Profile", q.Profile)
	add("Seed", fmt.Sprint(q.Seed))
	add("Trials of each kind per structure and cell", fmt.Sprint(q.Trials))
	add("Structures", strings.Join(q.Structures, ", "))
	add("Workloads", strings.Join(q.Workloads, ", "))
	var sizes []string
	for _, n := range q.N {
		sizes = append(sizes, short(float64(n)))
	}
	add("N (resident timers)", strings.Join(sizes, ", "))
	p.table(markdownTable("ll", []string{"What", "Value"}, rows))

	rows = nil
	for _, w := range v.workloads() {
		if known, ok := v.known.workload(w); ok {
			rows = append(rows, []string{literal(w), literal(known.Summary), literal(known.Source)})
		}
	}
	p.folded("The workloads", markdownTable("lll", []string{"Workload", "What it does", "Where it comes from"}, rows))
	p.folded("The traces", v.traceTable())
	for _, w := range v.workloads() {
		if text, ok := v.r.Parameters.Scenarios[w]; ok {
			p.folded("The scenario file of "+w, fenced("toml", text))
		}
	}
	p.line("Every structure got the same operations in the same order on the same resident timers. Trials were interleaved in random order; " +
		"none was dropped. Medians with 95 % confidence intervals assume nothing about how times are distributed; the overall mean is all time " +
		"over all units. The unit is a lifecycle, a timer scheduled and done with (fired or cancelled), unless a workload says otherwise.")
}

// missing names the charts for which the results hold no data.
func (p *page) missing(c charts) {
	var left []string
	for _, m := range []struct {
		name string
		have bool
	}{
		{"the overview", c.overview != nil}, {"cost against N", c.scale != nil},
		{"the grid of distributions", c.grid != nil}, {"realistic workloads", c.realistic != nil},
		{"latency", len(c.latency) > 0}, {"idle wake-ups", c.idle != nil}, {"memory", c.memory != nil},
	} {
		if !m.have {
			left = append(left, m.name)
		}
	}
	if len(left) > 0 {
		p.linef("Left out, because the results hold no data for them: %s.", strings.Join(left, ", "))
	}
}
