// Why a reader may believe the figures, what limits them, and how to measure again. What limits all runs stands in docs/limits.md; here is
// what this run lacks.

package section

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/entry"
)

func validity(v *View) Section {
	s := Section{Title: "What limits these results?"}
	if len(v.Measured(v.Cells...)) == 0 {
		return s
	}
	layouts := "The program was linked once, so the intervals do not cover other orders of its functions."
	if n := v.Parameters.Layouts; n > 1 {
		layouts = fmt.Sprintf("The run was repeated in %d layouts of the program, and the intervals cover the variation between them.", n)
	}
	out, passed := make(map[results.LeftOutReason]int), newTable("lrrrrr", "Workload", "N", "Dead entries come due", "Timers fire", "Median delays pass", "Operations before, per timer")
	var apart, unsteady []string
	for _, c := range v.Cells {
		if len(c.LeftOut) > 0 {
			out[c.LeftOutFor]++
		}
		if p := c.Passed; p != nil {
			due := percent(p.Share())
			if p.Made == 0 {
				due = show.Words(show.Unknown)
			}
			addUnit(passed, c, due, show.Number(float64(p.Fired), show.Grouped(p.Fired)), p.Delays, float64(p.WarmUp)/float64(c.N))
		}
		if warning := c.Unsteady(); warning != "" {
			unsteady = append(unsteady, sized(c.Workload, c.N)+" ("+warning+")")
		}
		if c.Apart {
			apart = append(apart, sized(c.Workload, c.N))
		}
	}
	missing, slow, few := v.NotMeasured, out[results.LeftOutSlow], out[results.LeftOutFew]
	var threats [][]show.Span
	for _, threat := range []struct {
		is          bool
		where, text string
	}{
		{true, show.Joined(", ", "One machine", v.Environment.CPU) + ".", "Ratios differ between processors, above all with the sizes of their caches. " +
			"docs/limits.md lists what limits all runs."},
		{true, "The code layout.", layouts + " Layout alone moves costs of a few nanoseconds by several percent."},
		{len(apart) > 0, "Not interleaved.", "The memory did not hold all structures of these cells together, so the run measured one structure after the other: " +
			strings.Join(apart, "; ") + "."},
		{len(unsteady) > 0, "Not in a steady state.", "A cancel or a move leaves a dead entry in structures that put " +
			"off the work until the old deadline. In these cells fewer old deadlines pass than are left, so the costs lack a part of that work: " +
			strings.Join(unsteady, "; ") + "."},
		{slow > 0, "Left out.", fmt.Sprintf("Structures that took at least twice the best time with fewer timers were left out of %s.", show.Count(slow, "cell"))},
		{few > 0, "Nine structures.", fmt.Sprintf("In %s the run measured %s, "+
			"%s and the fastest with fewer timers, nine at most. make bench-full measures all.", show.Count(few, "cell"), strings.Join(entry.Classics[:], ", "), answer.Default)},
		{len(missing) > 0, "Not measured.", fmt.Sprintf("The time of the run was too short for %s: %s.", show.Count(len(missing), "step"), strings.Join(missing, "; "))},
	} {
		if threat.is {
			threats = append(threats, show.Line(show.Strong(threat.where), " "+threat.text))
		}
	}
	s.Tables = []Table{{Body: show.Bullets(threats...)}, {Title: "How time passes in each cell", Body: show.Tables(passed), Lead: show.Para(
		"Dead entries come due: the old deadlines of cancelled and moved timers that pass while a cell is measured, as a share of those that are left. " +
			"Work that is put off until then is paid from 90 % on. The scripts say so, so it is the same for all structures.")}}
	return s
}

func harness(v *View) Section {
	machine, rows := newTable("llll", "Check", "Found", "Verdict", "What to do"), 0
	for _, f := range v.Environment.Machine {
		machine.Add(f.Check, f.Value, f.Verdict, unless(f.Advice))
	}
	for _, c := range v.Cells {
		rows += len(c.Rows)
	}
	c, verdict := v.Checked(), "The intervals of this run are wide enough."
	if c.Fails() {
		verdict = "That is more than chance explains: the intervals of this run are too narrow."
	}
	return Section{
		Title: "Can these numbers be trusted?",
		Lead:  v.MachineLead(),
		Tables: []Table{{Title: "Checks of the machine", Body: show.Tables(machine)}, {Body: slices.Concat(
			show.Para(show.Strong("The floor"), " is a scheduler that does nothing. Its time is the cost of the harness, which is part of every other row."),
			show.Para(show.Strong("The control"), fmt.Sprintf(" is a second instance of a structure, measured like any other row. The ratio of the two, paired by round, "+
				"should be 1. Of %d such A/A comparisons, %d differ; chance alone makes about %s differ. ", c.Controls, c.Differ,
				show.Figure(float64(c.Controls)*(1-stats.Confidence)))+verdict),
			show.Para(show.Strong("The proof."), fmt.Sprintf(" Each of the %s accounts for every timer: scheduled = fired + cancelled + pending. All exact structures of a cell "+
				"fired the timers of the script at their ticks: the checksum covers the tick and the value of each. A coarse structure has "+
				"its own checksum. ", show.Count(rows, "row")), show.Mono("timerbench verify"), " checks it again."))}},
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

func origin(v *View) Section {
	workloads := newTable("lll", "Workload", "What it does", "Where it comes from")
	traces := newTable("llllrrrr", "Trace", "Of", "File", "Recorded", "Operations", "Covers", "Pending on average", "Cancelled share")
	var scenarios []Table
	for _, w := range v.Workloads() {
		if known, ok := v.Known.Workload(w); ok {
			workloads.Add(w, known.Summary, known.Source)
		}
		if of, ok := v.Parameters.Traces[w]; ok {
			recorded := show.Unknown
			if !of.Recorded.IsZero() {
				recorded = of.Recorded.UTC().Format(time.RFC3339)
			}
			traces.Add(w, of.Description, of.File, recorded, of.Operations, show.Number(1e9*of.Seconds, show.Duration(1e9*of.Seconds)), of.Resident,
				percent(of.CancelRate))
		}
		if text, ok := v.Parameters.Scenarios[w]; ok {
			scenarios = append(scenarios, Table{Title: "The scenario file of " + w, Body: show.Program("toml", text)})
		}
	}
	return Section{
		Title: "How was this measured?",
		Lead: show.Para("Every structure got the same operations in the same order on the same resident timers. Trials were " +
			"interleaved in random order, and none was dropped. The 95 % intervals cover the variation between rounds, and a fixed " +
			"variance between instances. The unit is a lifecycle, a timer " +
			"that is scheduled and then fires or is cancelled, unless the workload has another unit."),
		Tables: append([]Table{
			{Body: show.Tables(v.originTable())}, {Title: "The workloads", Body: show.Tables(workloads)}, {Title: "The traces", Body: show.Tables(traces)},
		}, scenarios...),
	}
}

func (v *View) originTable() *show.Table {
	e, q := v.Environment, v.Parameters
	made := ""
	if !v.Created.IsZero() {
		made = v.Created.UTC().Format(time.RFC3339)
	}
	above0 := func(value float64, write func(float64) string) string { return show.When(value > 0, write(value)) }
	t := newTable("ll", "What", "Value")
	for _, of := range [][2]string{
		{"Made", made},
		{"Go", strings.TrimSpace(e.Go + " " + strings.Trim(e.OS+"/"+e.Arch, "/"))},
		{"Instructions of the build", e.ArchLevel},
		{"Kernel", e.Kernel},
		{"CPU", e.CPU},
		{"Cores", fmt.Sprint(e.Cores)},
		{"Caches of a core", CachesOf(e)},
		{"Memory", above0(float64(e.Memory), show.Bytes)},
		{"GOMAXPROCS", fmt.Sprint(e.GOMAXPROCS)},
		{"Version of timerbench", e.Version},
		{"Commit of timerbench", e.Revision},
		{"Cost of reading the clock", above0(e.ClockNS, show.Duration)},
		{"Smallest step of the clock", above0(e.ClockStep, show.Duration)},
		{"Profile", q.Profile},
		{"Seed", fmt.Sprint(q.Seed)},
		{"Time of the run", above0(1e9*q.Budget, show.Duration)},
		{"Rounds of each structure in a cell", show.When(q.Budget == 0, fmt.Sprint(q.Trials))}, // otherwise each cell has its own number
		{"Structures", strings.Join(q.Structures, ", ")},
		{"Workloads", strings.Join(q.Workloads, ", ")},
		{"N (resident timers)", strings.Join(mapped(slices.Sorted(slices.Values(q.N)), short), ", ")},
	} {
		if of[1] != "" && of[1] != "0" {
			t.Add(of[0], of[1])
		}
	}
	return t
}

// CachesOf writes the sizes of the three caches.
func CachesOf(e results.Environment) string {
	var out []string
	for _, bytes := range []int{e.L1Data, e.L2, e.L3} {
		if bytes > 0 {
			out = append(out, show.Bytes(float64(bytes)))
		}
	}
	return strings.Join(out, ", ")
}

func reproduce(v *View) Section {
	s := Section{Title: "How can I reproduce these results?"}
	if v.Command == "" {
		return s
	}
	revision, changed := strings.CutSuffix(v.Environment.Revision, "+dirty")
	lead := "Run this in a clone of timerbench, on a machine like the one below. The same seed makes the same " +
		"operations on any machine; times and ratios differ."
	var lines []string
	if revision != "" {
		lines = append(lines, "git checkout "+revision)
		if changed {
			lead += " The run contained uncommitted changes."
		}
	}
	lines = append(lines, "make build", "bin/"+v.Command, "bin/timerbench report")
	s.Lead, s.Tables = show.Para(lead), []Table{{Body: show.Program("sh", strings.Join(lines, "\n"))}}
	return s
}
