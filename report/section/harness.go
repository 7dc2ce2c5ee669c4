package section

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

func harness(v *View) Section {
	return Section{
		Title: "Can these numbers be trusted?",
		Lead:  v.MachineLead(),
		Tables: []Table{
			{Title: "Checks of the machine", Body: show.Tables(v.machineTable())},
			{Body: slices.Concat(show.Para(show.Strong("The floor"), " is a scheduler that does nothing. Its time is the cost of the harness, "+
				"which is part of every other row."), v.controlLead(), v.driftLead(), v.proofLead())},
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

func (v *View) controlLead() show.Text {
	c := v.Checked()
	out := fmt.Sprintf(" is a second instance of a structure, measured like any other row. The ratio of the two, paired by round, "+
		"should be 1. Of %d such A/A comparisons, %d differ; chance alone makes about %s differ. ",
		c.Controls, c.Differ, show.Figure(float64(c.Controls)*(1-stats.DefaultConfidence)))
	verdict := "The intervals of this run are wide enough."
	if c.Fails() {
		verdict = "That is more than chance explains: the intervals of this run are too narrow."
	}
	return show.Para(show.Strong("The control"), out+verdict)
}

// proofLead counts the rows that are proved. A control that joined late has no proof in the results.
func (v *View) proofLead() show.Text {
	rows, seeds := 0, 0
	for _, c := range v.Cells {
		rows += len(slices.DeleteFunc(slices.Clone(c.Rows), (*results.Row).JoinedLate))
		seeds += len(c.OtherSeeds)
	}
	out := fmt.Sprintf(" Each of the %s accounts for every timer: scheduled = fired + cancelled + pending. All exact structures of a cell "+
		"fired the timers of the script at their ticks: the checksum covers the tick and the value of each. A coarse structure has "+
		"its own checksum.", show.Count(rows, "row"))
	if seeds > 0 {
		out += fmt.Sprintf(" Another %s were proved under other seeds.", show.Count(seeds, "cell"))
	}
	return show.Para(show.Strong("The proof."), out, " ", show.Mono("timerbench verify"), " checks it again.")
}
