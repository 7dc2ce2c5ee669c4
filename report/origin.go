package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/timerbench/timerbench/internal/show"
)

// origin says how the results were made.
func origin(v *view) section {
	s := section{
		title: "How this was made",
		tables: []table{
			{body: v.originTable()},
			{title: "The workloads", body: v.workloadTable()},
			{title: "The traces", body: v.traceTable()},
		},
	}
	for _, w := range v.workloads() {
		if text, ok := v.r.Parameters.Scenarios[w]; ok {
			s.tables = append(s.tables, table{title: "The scenario file of " + w, body: fenced("toml", text)})
		}
	}
	s.lead = "Every structure got the same operations in the same order on the same resident timers. Trials were interleaved in random order; " +
		"none was dropped. The 95 % confidence intervals of medians hold the variation between instances of a structure; the overall mean is all time " +
		"over all units. The unit is a lifecycle, a timer scheduled and done with (fired or cancelled), unless a workload says otherwise."
	return s
}

// made says when and on what the results were made, and what of the machine widens them: a reader
// needs it beside the first figure.
func (v *view) made() string {
	e := v.r.Environment
	var parts []string
	for _, p := range []string{e.CPU, strings.Trim(e.OS+"/"+e.Arch, "/"), e.Go} {
		if p != "" {
			parts = append(parts, literal(p))
		}
	}
	if e.Cores > 0 {
		parts = append(parts, plural(e.Cores, "core"))
	}
	out := strings.Join(parts, ", ")
	if !v.r.Created.IsZero() {
		out = strings.TrimSpace("Measured on " + v.r.Created.UTC().Format("2 January 2006") + map[bool]string{true: ": "}[out != ""] + out)
	}
	if out != "" {
		out += ". "
	}
	return strings.TrimSpace(out + v.machineLead())
}

// originTable shows the environment and the parameters of the run.
func (v *view) originTable() string {
	e, q := v.r.Environment, v.r.Parameters
	var rows [][]string
	add := func(what, value string) {
		if value != "" && value != "0" {
			rows = append(rows, []string{what, literal(value)})
		}
	}
	if !v.r.Created.IsZero() {
		add("Made", v.r.Created.UTC().Format(time.RFC3339))
	}
	add("Go", strings.TrimSpace(e.Go+" "+strings.Trim(e.OS+"/"+e.Arch, "/")))
	add("CPU", e.CPU)
	add("Cores", fmt.Sprint(e.Cores))
	add("GOMAXPROCS", fmt.Sprint(e.GOMAXPROCS))
	add("Version of timerbench", e.Version)
	add("Commit of timerbench", e.Revision)
	if e.ClockNS > 0 {
		add("Cost of reading the clock", show.Duration(e.ClockNS))
	}
	if e.ClockStep > 0 {
		add("Smallest step of the clock", show.Duration(e.ClockStep))
	}
	add("Profile", q.Profile)
	add("Seed", fmt.Sprint(q.Seed))
	add("Trials of each kind per structure and cell", fmt.Sprint(q.Trials))
	add("Structures", strings.Join(q.Structures, ", "))
	add("Workloads", strings.Join(q.Workloads, ", "))
	var sizes []string
	for _, n := range slices.Sorted(slices.Values(q.N)) {
		sizes = append(sizes, show.Short(float64(n)))
	}
	add("N (resident timers)", strings.Join(sizes, ", "))
	return markdownTable("ll", []string{"What", "Value"}, rows)
}

// workloadTable says what the workloads are and where they come from.
func (v *view) workloadTable() string {
	var rows [][]string
	for _, w := range v.workloads() {
		if known, ok := v.known.workload(w); ok {
			rows = append(rows, []string{literal(w), literal(known.Summary), literal(known.Source)})
		}
	}
	return markdownTable("lll", []string{"Workload", "What it does", "Where it comes from"}, rows)
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
		rows = append(rows, []string{literal(w), literal(t.Description), literal(t.File), recorded, show.Grouped(t.Operations),
			show.Duration(1e9 * t.Seconds), show.Figure(t.Resident), show.Percent(t.CancelRate)})
	}
	return markdownTable("llllrrrr", []string{"Trace", "Of", "File", "Recorded", "Operations", "Covers", "Pending on average", "Cancelled share"}, rows)
}
