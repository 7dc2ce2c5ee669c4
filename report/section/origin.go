package section

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
)

func origin(v *View) Section {
	s := Section{
		Title: "How was this measured?",
		Lead: show.Para("Every structure got the same operations in the same order on the same resident timers. Trials were " +
			"interleaved in random order, and none was dropped. The 95 % intervals cover the variation between rounds, and a fixed " +
			"variance between instances. The unit is a lifecycle, a timer " +
			"that is scheduled and then fires or is cancelled, unless the workload has another unit."),
		Tables: []Table{
			{Body: show.Tables(v.originTable())},
			{Title: "The workloads", Body: show.Tables(v.workloadTable())},
			{Title: "The traces", Body: show.Tables(v.traceTable())},
			{Title: "What the programs of the traces could change", Body: v.patterns()},
		},
	}
	for _, w := range v.Workloads() {
		if text, ok := v.Parameters.Scenarios[w]; ok {
			s.Tables = append(s.Tables, Table{Title: "The scenario file of " + w, Body: show.Program("toml", text)})
		}
	}
	return s
}

func (v *View) originTable() *show.Table {
	e, q := v.Environment, v.Parameters
	made := ""
	if !v.Created.IsZero() {
		made = v.Created.UTC().Format(time.RFC3339)
	}
	above0 := func(value float64, write func(float64) string) string { return when(value > 0, write(value)) }
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
		{"Rounds of each structure in a cell", when(q.Budget == 0, fmt.Sprint(q.Trials))}, // otherwise each cell has its own number
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

func (v *View) workloadTable() *show.Table {
	t := newTable("lll", "Workload", "What it does", "Where it comes from")
	for _, w := range v.Workloads() {
		if known, ok := v.Known.Workload(w); ok {
			t.Add(w, known.Summary, known.Source)
		}
	}
	return t
}

func (v *View) traceTable() *show.Table {
	t := newTable("llllrrrr", "Trace", "Of", "File", "Recorded", "Operations", "Covers", "Pending on average",
		"Cancelled share")
	for _, w := range v.Workloads() {
		of, ok := v.Parameters.Traces[w]
		if !ok {
			continue
		}
		recorded := show.Unknown
		if !of.Recorded.IsZero() {
			recorded = of.Recorded.UTC().Format(time.RFC3339)
		}
		t.Add(w, of.Description, of.File, recorded, of.Operations, show.Number(1e9*of.Seconds, show.Duration(1e9*of.Seconds)), of.Resident,
			percent(of.CancelRate))
	}
	return t
}

// patterns lists the patterns in the traces that have a remedy. What they cost takes a measurement.
func (v *View) patterns() show.Text {
	t := newTable("llll", "Trace", "Place in the program", "Pattern", "Remedy")
	for _, w := range v.Workloads() {
		for _, p := range v.Parameters.Traces[w].Patterns {
			t.Add(w, cmp.Or(p.Place, show.Unknown), p.Pattern+": "+p.Evidence, p.Remedy)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return slices.Concat(show.Tables(t), show.Para("Most of these cost less than anybody notices. ", show.Mono("timerbench advise"),
		" measures what the timers of a trace cost."))
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
