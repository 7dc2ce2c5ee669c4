package section

import (
	"fmt"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

func harness(v *View) Section {
	return Section{
		Title: "Can these numbers be trusted?",
		Lead:  v.MachineLead(),
		Tables: []Table{
			{Title: "Checks of the machine", Body: show.Tables(v.machineTable())},
			{
				Lead: show.Para(show.Strong("The floor"), " is a scheduler that does nothing. Its time is the cost of the harness, which is part of every "+
					"other row."),
				Title: "The floor of each cell", Body: show.Tables(v.floorTable()),
			},
			{Lead: v.controlLead(), Title: "The control of each cell", Body: show.Tables(v.controlTable())},
			{Lead: v.driftLead(), Title: "Cells whose cost changed steadily", Body: v.driftTable()},
			{Title: "Rounds of each structure, and why it stopped", Body: show.Tables(v.roundsTable())},
			{
				Lead: show.Para(show.Strong("The proof."), " Each replay must account for every timer: scheduled = fired + cancelled + pending. Each exact "+
					"structure must fire the timers of the script at their ticks: the checksum covers the tick and the value of each. "+
					"A coarse structure has its own checksum."),
				Title: "The proof of each cell", Body: show.Tables(v.proofTable()),
			},
			{Title: "The proof under other seeds, untimed", Body: show.Tables(v.seedTable())},
		},
	}
}

// MachineLead returns the warnings about the machine.
func (v *View) MachineLead() show.Text {
	findings := v.Environment.Machine
	if len(findings) == 0 {
		return show.Para(show.Strong("The machine"), " was not examined. ", show.Mono("timerbench doctor"), " checks whether a machine is fit for measuring.")
	}
	var bad []string
	for _, f := range findings {
		if f.Verdict == "warn" {
			bad = append(bad, f.Check+" ("+f.Value+")")
		}
	}
	if len(bad) == 0 {
		return show.Para(show.Strong("The machine"), fmt.Sprintf(" passed all %d checks before the run.", len(findings)))
	}
	return show.Para(show.Strong("The machine"), fmt.Sprintf(" was checked before the run. Of %d checks, %d warn: %s.",
		len(findings), len(bad), strings.Join(bad, "; ")))
}

func (v *View) machineTable() *show.Table {
	t := newTable("llll", "Check", "Found", "Verdict", "What to do")
	for _, f := range v.Environment.Machine {
		t.Add(f.Check, f.Value, f.Verdict, unless(f.Advice))
	}
	return t
}

func (v *View) floorTable() *show.Table {
	t := newTable("lrlr", "Workload", "N", "Floor", "ns", "95 % CI", "Overall mean ns", "Share of the fastest")
	for _, c := range v.Cells {
		for _, row := range c.Rows {
			if s := c.Cost(row); row.Role == results.RoleFloor && s.OK() {
				var share any
				if r := c.ToBest(row); r.Pairs > 0 {
					share = percent(r.Center)
				}
				addCell(t, c, row.Structure, s.Center, interval(s), s.Mean, share)
			}
		}
	}
	return t
}

func (v *View) controlLead() show.Text {
	c := v.Checked()
	out := fmt.Sprintf(" is a second instance of a structure, measured like any other row. The ratio of the two, paired by round, "+
		"should be 1. Of %d such A/A comparisons, %d differ; chance alone makes about %s differ. ",
		c.Controls, c.Differ, show.Figure(float64(c.Controls)*(1-stats.DefaultConfidence)))
	if c.Fails() {
		return show.Para(show.Strong("The control"), out+"That is more than chance explains: the intervals of this run are too narrow.")
	}
	return show.Para(show.Strong("The control"), out+"The intervals of this run are wide enough.")
}

func (v *View) controlTable() *show.Table {
	t := newTable("lrlrrl", "Workload", "N", "Control", "Control / structure", "95 % CI", "Verdict")
	for _, c := range v.Controls() {
		r := c.Ratio
		var ci any
		verdict := show.Unknown
		if r.Bounded() {
			ci, verdict = show.Number(r.Lo, fmt.Sprintf("%.3f to %.3f", r.Lo, r.Hi)), "no difference"
		}
		if r.Differs() {
			verdict = "differs"
		}
		addCell(t, c.Costs, c.Row.Structure, decimals(r.Center, 3), ci, verdict)
	}
	return t
}

// roundsTable shows the rounds of each structure in each cell and why it stopped. It is nil
// without a race: if no row was stopped early.
func (v *View) roundsTable() *show.Table {
	t := newTable("lrlllll", "Workload", "N", "Settled", "Out of time", "Beaten", "Done",
		"Left out: too slow at a smaller size")
	raced := false
	for _, c := range v.Cells {
		stopped := make(map[results.Stopped][]string)
		for _, row := range c.Rows {
			raced = raced || row.Stopped != results.StoppedDone
			if row.Role == results.RoleStructure {
				rounds := fmt.Sprintf("%s %d", row.Structure, len(c.Samples(row)))
				stopped[row.Stopped] = append(stopped[row.Stopped], rounds)
			}
		}
		var line []any
		for _, why := range []results.Stopped{
			results.StoppedSettled, results.StoppedBudget, results.StoppedBeaten, results.StoppedDone,
		} {
			line = append(line, unless(strings.Join(stopped[why], ", ")))
		}
		addCell(t, c, append(line, unless(strings.Join(c.LeftOut, ", ")))...)
	}
	if !raced {
		return nil
	}
	return t
}

// proofTable shows the proof of each cell, on which most rows agree. A coarse structure fires later
// and has its own checksum.
func (v *View) proofTable() *show.Table {
	t := newTable("lrrrrrrrlr", "Workload", "N", "Mean resident", "Cancelled share", "Scheduled", "Fired",
		"Cancelled", "Pending", "Checksum", "Rows that agree")
	for _, c := range v.Cells {
		votes := make(map[script.Proof]int)
		var p script.Proof
		for _, r := range c.Rows {
			votes[r.Proof]++
			if votes[r.Proof] > votes[p] {
				p = r.Proof
			}
		}
		if len(votes) == 0 {
			continue
		}
		addCell(t, c, c.Resident, percent(c.CancelRate), p.Scheduled, p.Fired, p.Cancelled,
			p.Pending, checksum(p), agree(votes[p], len(c.Rows)))
	}
	return t
}

func checksum(p script.Proof) show.Cell {
	return show.Words(fmt.Sprintf("%016x", p.Checksum)).In(show.Code)
}

func agree(n, all int) show.Cell { return show.Number(float64(n), fmt.Sprintf("%d of %d", n, all)) }

func (v *View) seedTable() *show.Table {
	t := newTable("lrrrrrrlr", "Workload", "N", "Seed", "Scheduled", "Fired", "Cancelled", "Pending", "Checksum",
		"Rows that agree")
	for _, c := range v.Cells {
		for _, s := range c.OtherSeeds {
			p := s.Proof
			addCell(t, c, show.Number(float64(s.Seed), fmt.Sprint(s.Seed)), p.Scheduled, p.Fired, p.Cancelled, p.Pending,
				checksum(p), agree(s.Agree, s.Rows))
		}
	}
	return t
}
