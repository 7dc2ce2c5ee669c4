package report

import (
	"fmt"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

// markdownTable lays out texts under headers. Align holds an l or an
// r, for numbers, for each column; its last letter goes for all that follow.
func markdownTable(align string, header []string, rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	t := table.NewWriter()
	t.Style().Format.Header = text.FormatDefault
	line := func(cells []string) table.Row {
		out := make(table.Row, len(cells))
		for i, c := range cells {
			out[i] = c
		}
		return out
	}
	t.AppendHeader(line(header))
	var columns []table.ColumnConfig
	for i := range header {
		side := text.AlignRight
		if align[min(i, len(align)-1)] == 'l' {
			side = text.AlignLeft
		}
		columns = append(columns, table.ColumnConfig{Number: i + 1, Align: side, AlignHeader: side})
	}
	t.SetColumnConfigs(columns)
	for _, r := range rows {
		t.AppendRow(line(r))
	}
	return t.RenderMarkdown() + "\n"
}

// interval writes the 95 % confidence interval.
func (s stat) interval() string {
	if !s.bounded() {
		return "–"
	}
	return digits3(s.lo) + " to " + digits3(s.hi)
}

// costTable shows one cell: every contender's cost, and what it is to the best.
func (v *view) costTable(c results.Cell) string {
	r := rank(c)
	floor, timers := v.costOf(c, results.RoleFloor), v.costOf(c, results.RoleBaseline)
	header := []string{"Structure", "Median ns", "95 % CI", "Overall mean ns", "× fastest", "× floor"}
	if timers.ok() {
		header = append(header, "× Go's timers")
	}
	var rows [][]string
	for _, who := range v.rows {
		row, ok := rowOf(c, who.name)
		s := cost(row)
		if !ok || !s.ok() {
			continue
		}
		times := "–"
		if len(r.stats) > 0 && who.role != results.RoleFloor {
			times = s.over(r.stats[0])
		}
		line := []string{v.label(who, slices.Contains(r.names[:r.ties], who.name)),
			digits3(s.median), s.interval(), digits3(s.mean), times, s.over(floor)}
		if timers.ok() {
			line = append(line, s.over(timers))
		}
		rows = append(rows, append(line, fmt.Sprint(s.trials)))
	}
	return markdownTable("lr", append(header, "Trials"), rows)
}

// costOf is the cost of the contender in a role; it is not ok where none took part.
func (v *view) costOf(c results.Cell, role results.Role) stat {
	for _, who := range v.rows {
		if row, ok := rowOf(c, who.name); ok && who.role == role {
			return cost(row)
		}
	}
	return stat{}
}

// over writes a median as a multiple of another one.
func (s stat) over(other stat) string {
	if !other.ok() {
		return "–"
	}
	return ratio(s.median / other.median)
}

// label is the name of a contender in a table: the best in bold, and what is no
// structure in italics with its role.
func (v *view) label(who contender, best bool) string {
	switch {
	case best:
		return "**" + literal(who.name) + "**"
	case who.role == results.RoleFloor:
		return "_" + literal(who.name) + "_ (floor)"
	case who.role == results.RoleControl:
		return "_" + literal(who.name) + "_ (control)"
	case who.role == results.RoleBaseline:
		return "_" + literal(who.name) + "_ (baseline)"
	}
	return literal(who.name)
}

// answerTable names the fastest of each workload at its largest N.
func (v *view) answerTable() string {
	var rows [][]string
	for _, w := range v.workloads() {
		c, ok := v.largest(w)
		r := rank(c)
		if !ok || len(r.names) == 0 {
			continue
		}
		next, last := "–", "–"
		if r.ties < len(r.names) {
			next = r.times(r.ties)
		}
		if n := len(r.names) - 1; n > r.ties {
			last = r.times(n)
		}
		best := r.stats[0]
		rows = append(rows, []string{literal(w + perUnit(c)), short(float64(c.N)), literal(andList(r.names[:r.ties])),
			digits3(best.median), best.interval(), best.over(v.costOf(c, results.RoleFloor)), best.over(v.costOf(c, results.RoleBaseline)), next, last})
	}
	return markdownTable("lrlrrrrll", []string{"Workload", "N", "Fastest (more than one: a tie)", "ns", "95 % CI", "× floor", "× Go's timers", "Next", "Slowest"}, rows)
}

// times names the structure at a rank and its cost to the best.
func (r ranking) times(i int) string {
	return fmt.Sprintf("%s %s\u00a0×", literal(r.names[i]), r.stats[i].over(r.stats[0]))
}

// ratioTable is the overview in numbers, at every N.
func (v *view) ratioTable() string {
	rows := v.present(func(who contender) bool { return who.role == results.RoleStructure || who.role == results.RoleBaseline })
	header := []string{"Workload", "N"}
	for _, who := range rows {
		header = append(header, literal(who.shown()))
	}
	var lines [][]string
	for _, w := range v.workloads() {
		for _, c := range v.cells(w) {
			r := rank(c)
			if len(r.names) == 0 {
				continue
			}
			line := []string{literal(w), short(float64(c.N))}
			for _, who := range rows {
				row, _ := rowOf(c, who.name)
				text := "–"
				if s := cost(row); s.ok() {
					text = s.over(r.stats[0])
				}
				if slices.Contains(r.names[:r.ties], who.name) {
					text = "**" + text + "**"
				}
				line = append(line, text)
			}
			lines = append(lines, line)
		}
	}
	return markdownTable("lr", header, lines)
}

// latencyTable shows the percentiles of one cell.
func (v *view) latencyTable(c results.Cell) string {
	var rows [][]string
	for _, kind := range kindsOf(c) {
		for _, who := range v.latencyRows(c) {
			row, _ := rowOf(c, who.name)
			l, ok := latencyOf(row, kind)
			if !ok {
				continue
			}
			cells := []string{literal(kind.String()), v.label(who, false), count(l.Samples), digits3(l.Mean)}
			for _, p := range percentiles {
				cell := "–"
				if ns, ok := p.of(l); ok {
					cell = digits3(ns)
				}
				cells = append(cells, cell)
			}
			rows = append(rows, cells)
		}
	}
	return markdownTable("llr", []string{"Kind", "Structure", "Samples", "Mean ns", "Median", "90 %", "99 %", "99.9 %", "Max"}, rows)
}

// kindTable shows what an operation of each kind costs on average in one cell.
func (v *view) kindTable(c results.Cell) string {
	found := foundKinds(func(found func(script.Kind)) {
		for _, r := range c.Rows {
			for _, t := range r.ByKind {
				for _, k := range t.Kinds {
					if k.Count > 0 {
						found(k.Kind)
					}
				}
			}
		}
	})
	header := []string{"Structure"}
	for _, k := range found {
		header = append(header, literal(k.String())+" ns", "95 % CI")
	}
	var rows [][]string
	for _, who := range v.rows {
		row, _ := rowOf(c, who.name)
		if len(row.ByKind) == 0 {
			continue
		}
		line := []string{v.label(who, false)}
		for _, k := range found {
			s := kindCost(row, k)
			if !s.ok() {
				line = append(line, "–", "–")
				continue
			}
			line = append(line, digits3(s.median), s.interval())
		}
		rows = append(rows, line)
	}
	if len(found) == 0 {
		return ""
	}
	return markdownTable("lr", header, rows)
}

// idleTable shows the wake-ups of one scene by cause, and the work behind them.
func (v *view) idleTable(s scene) string {
	var rows [][]string
	for _, d := range v.drivers() {
		for _, who := range v.idleRows() {
			i, ok := v.idle(s, d, who.name)
			if !ok {
				continue
			}
			rows = append(rows, []string{literal(string(d)), literal(who.name), count(i.Ticks), count(i.Wakeups), count(i.Fired), count(i.Total()),
				count(i.Empty), count(i.Moved), count(i.Dropped),
				count(i.Work.SlotsVisited), count(i.Work.EmptySlots), count(i.Work.Moved), count(i.Work.Dropped), count(i.Work.Comparisons)})
		}
	}
	return markdownTable("llr", []string{"Driver", "Structure", "Ticks", "Wake-ups", "Fired", "Idle wake-ups", "empty", "only moved", "only dropped",
		"Slots visited", "of these empty", "Timers moved", "Stale dropped", "Comparisons"}, rows)
}

// memoryTable shows footprint and allocations at the largest N of each workload.
func (v *view) memoryTable() string {
	var rows [][]string
	for _, w := range v.workloads() {
		c, ok := v.largest(w)
		if !ok {
			continue
		}
		for _, who := range v.rows {
			row, ok := rowOf(c, who.name)
			objects, allocated, timed := allocations(row)
			if !ok || (!timed && row.BytesPerTimer <= 0) {
				continue
			}
			footprint, perObjects, perBytes := "not measured", "–", "–"
			if row.BytesPerTimer > 0 {
				footprint = digits3(row.BytesPerTimer)
			}
			if timed {
				perObjects, perBytes = digits3(objects), digits3(allocated)
			}
			collect := "–"
			if row.BytesPerTimer > 0 {
				collect = digits3(row.CollectNS / 1e6)
			}
			rows = append(rows, []string{literal(w), short(float64(c.N)), v.label(who, false), footprint, collect, perObjects, perBytes})
		}
	}
	return markdownTable("lrlr", []string{"Workload", "N", "Structure", "Bytes per resident timer", "ms it adds to a full garbage collection", "Allocations per unit of work", "Bytes allocated per unit of work"}, rows)
}

// controlTable shows each A/A control against the structure that it repeats.
func (v *view) controlTable() string {
	var rows [][]string
	for _, w := range v.workloads() {
		for _, c := range v.cells(w) {
			for _, row := range c.Rows {
				of, ok := rowOf(c, row.Of)
				if row.Role != results.RoleControl || !ok {
					continue
				}
				s := paired(row, of)
				if !s.ok() {
					continue
				}
				verdict := "–"
				if s.bounded() {
					verdict = "differs: read smaller differences of this cell as noise"
					if s.lo <= 1 && 1 <= s.hi {
						verdict = "no difference"
					}
				}
				ci := "–"
				if s.bounded() {
					ci = ratio3(s.lo) + " to " + ratio3(s.hi)
				}
				rows = append(rows, []string{literal(w), short(float64(c.N)), literal(row.Structure), ratio3(s.median), ci, verdict})
			}
		}
	}
	return markdownTable("lrlrrl", []string{"Workload", "N", "Control", "Control / structure", "95 % CI", "Verdict"}, rows)
}

func ratio3(v float64) string { return fmt.Sprintf("%.3f", v) }

// floorTable shows what the harness itself costs, and its share of the fastest.
func (v *view) floorTable() string {
	var rows [][]string
	for _, w := range v.workloads() {
		for _, c := range v.cells(w) {
			r := rank(c)
			for _, row := range c.Rows {
				s := cost(row)
				if row.Role != results.RoleFloor || !s.ok() {
					continue
				}
				share := "–"
				if len(r.stats) > 0 {
					share = percent(s.median / r.stats[0].median)
				}
				rows = append(rows, []string{literal(w), short(float64(c.N)), literal(row.Structure), digits3(s.median), s.interval(), digits3(s.mean), share})
			}
		}
	}
	return markdownTable("lrlr", []string{"Workload", "N", "Floor", "Median ns", "95 % CI", "Overall mean ns", "Share of the fastest"}, rows)
}

// proofTable shows what each cell's replays agreed on.
func (v *view) proofTable() string {
	var rows [][]string
	for _, w := range v.workloads() {
		for _, c := range v.cells(w) {
			if len(c.Rows) == 0 {
				continue
			}
			p, agree := commonProof(c)
			sum := "holds"
			if p.Scheduled != p.Fired+p.Cancelled+p.Pending {
				sum = "**does not hold**"
			}
			rows = append(rows, []string{literal(w), short(float64(c.N)), digits3(c.Resident), percent(c.CancelRate),
				count(p.Scheduled), count(p.Fired), count(p.Cancelled), count(p.Pending), sum,
				fmt.Sprintf("`%016x`", p.Checksum), fmt.Sprintf("%d of %d", agree, len(c.Rows))})
		}
	}
	return markdownTable("lrrrrrrrllr", []string{"Workload", "N", "Mean resident", "Cancelled share", "Scheduled", "Fired", "Cancelled", "Pending", "Sum", "Checksum", "Rows that agree"}, rows)
}

// traceTable shows what the traces among the workloads are.
func (v *view) traceTable() string {
	var rows [][]string
	for _, w := range v.workloads() {
		t, ok := v.r.Parameters.Traces[w]
		if !ok {
			continue
		}
		recorded := "–"
		if !t.Recorded.IsZero() {
			recorded = t.Recorded.UTC().Format(time.RFC3339)
		}
		rows = append(rows, []string{literal(w), literal(t.Description), literal(t.File), recorded, count(t.Operations),
			duration(1e9 * t.Seconds), digits3(t.Resident), percent(t.CancelRate)})
	}
	return markdownTable("llllrrrr", []string{"Trace", "Of", "File", "Recorded", "Operations", "Covers", "Pending on average", "Cancelled share"}, rows)
}

// seedTable shows what replays under other seeds agreed on.
func (v *view) seedTable() string {
	var rows [][]string
	for _, w := range v.workloads() {
		for _, c := range v.cells(w) {
			for _, s := range c.OtherSeeds {
				p := s.Proof
				rows = append(rows, []string{literal(w), short(float64(c.N)), fmt.Sprint(s.Seed),
					count(p.Scheduled), count(p.Fired), count(p.Cancelled), count(p.Pending),
					fmt.Sprintf("`%016x`", p.Checksum), fmt.Sprintf("%d of %d", s.Agree, s.Rows)})
			}
		}
	}
	return markdownTable("lrrrrrrlr", []string{"Workload", "N", "Seed", "Scheduled", "Fired", "Cancelled", "Pending", "Checksum", "Rows that agree"}, rows)
}

// commonProof is the proof that most rows of a cell hold, and how many do: a
// coarse structure may rightly fire later and so have a checksum of its own.
func commonProof(c results.Cell) (common script.Proof, agree int) {
	votes := make(map[script.Proof]int)
	for _, r := range c.Rows {
		votes[r.Proof]++
		if n := votes[r.Proof]; n > agree {
			common, agree = r.Proof, n
		}
	}
	return common, agree
}
