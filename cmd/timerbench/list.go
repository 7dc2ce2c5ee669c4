package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/scenario"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures/catalog"
)

func newList() *cobra.Command {
	what := []string{"structures", "workloads", "models"}
	var long bool
	cmd := &cobra.Command{
		Use:       "list [structures | workloads | models]",
		Short:     "List structures, workloads, and the models of scenario files",
		Example:   "  timerbench list\n  timerbench list workloads --long",
		ValidArgs: what,
		Args:      oneOf("list", what),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			lists := map[string]func(){
				"structures": func() { listStructures(out, long) },
				"workloads": func() {
					if long {
						listWorkloads(out, workload.All())
						return
					}
					nameWorkloads(out, workload.All())
				},
				"models": func() { listModels(out) },
			}
			for i, name := range what {
				if len(args) > 0 && args[0] != name {
					continue
				}
				if len(args) == 0 && i > 0 {
					fmt.Fprintln(out)
				}
				lists[name]()
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&long, "long", "l", false, "also costs, sources, and what workloads come to: wide")
	return cmd
}

func newTable(header ...any) table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	t.SetStyle(style)
	t.AppendHeader(header)
	return t
}

// listNames shows names with what they stand for.
func listNames(out io.Writer, what, about string, names, summaries []string) {
	t := newTable(what, about)
	for i := range names {
		t.AppendRow(table.Row{names[i], summaries[i]})
	}
	fmt.Fprintln(out, fitted(t, nil))
}

func listStructures(out io.Writer, long bool) {
	const about = "what it is and who uses it"
	t := newTable("structure", about, "schedule", "cancel", "pop", "ties", "late by", "source")
	var names, summaries []string
	for _, e := range catalog.All() {
		names, summaries = append(names, e.Name), append(summaries, e.Summary)
		t.AppendRow(table.Row{e.Name, e.Summary, e.Costs.Schedule, e.Costs.Cancel, e.Costs.Pop, e.Ties, lateBy(e), e.Source})
	}
	if !long {
		listNames(out, "structure", about, names, summaries)
		return
	}
	fmt.Fprintln(out, t.Render())
}

// lateBy says how late a structure fires at most, as it declares.
func lateBy(e catalog.Entry) string {
	if e.Exact() {
		return "never"
	}
	return e.Late
}

func nameWorkloads(out io.Writer, list []workload.Workload) {
	var names, summaries []string
	for _, w := range list {
		names, summaries = append(names, w.Name), append(summaries, w.Summary)
	}
	listNames(out, "workload", "what it does", names, summaries)
}

// listSize is the number of timers for workloads without a size of their own: that
// of the smallest profile.
const listSize = 1000

// listMost keeps the list quick where workloads have millions of timers.
const listMost = 500_000

// listWorkloads prints workloads with figures that are measured on their scripts.
func listWorkloads(out io.Writer, list []workload.Workload) {
	t := newTable("workload", "what it does", "n", "resident", "cancelled", "moves", "operations/s", "delays", "source")
	t.SetColumnConfigs([]table.ColumnConfig{
		{Name: "n", Align: text.AlignRight}, {Name: "resident", Align: text.AlignRight},
		{Name: "cancelled", Align: text.AlignRight}, {Name: "moves", Align: text.AlignRight}, {Name: "operations/s", Align: text.AlignRight},
	})
	for i, f := range workload.MeasureFigures(list, listSize, listMost) {
		w := list[i]
		n, rate := strconv.Itoa(f.N), "–"
		switch {
		case w.Resident == 0:
			n = "any: " + n
		case w.Resident > f.N:
			n += " of " + strconv.Itoa(w.Resident)
		}
		if f.Rate > 0 {
			rate = strconv.FormatFloat(f.Rate, 'f', decimals(f.Rate), 64)
		}
		t.AppendRow(table.Row{w.Name, w.Summary, n, strconv.FormatFloat(f.Resident, 'f', 0, 64),
			show.Percent(f.CancelShare), show.Percent(f.MoveShare), rate, strings.Join(workload.Delays(w.Model), ", "), w.Source})
	}
	fmt.Fprintln(out, t.Render())
	fmt.Fprintf(out, "Measured on the script of each, with %d timers where it has no size of its own; an operation schedules,\n"+
		"cancels, moves or fires one; – stands where the clock does not move. Cancelled: of the timers that end.\n"+
		"Moves: of all operations.\n", listSize)
}

// decimals shows small numbers with two significant digits, large ones whole.
func decimals(x float64) int {
	return max(0, 1-int(math.Floor(math.Log10(x))))
}

// listModels shows what scenario files can say.
func listModels(out io.Writer) {
	const about = "what it says (in brackets: may be left out)"
	t := newTable("model", "parameter", "type", about)
	for _, m := range workload.Models() {
		name := m.Kind().Name
		for _, k := range scenario.Keys(m) {
			doc := k.Doc
			if k.Optional {
				doc = "(" + doc + ")"
			}
			t.AppendRow(table.Row{name, k.Name, k.Type, doc})
			name = ""
		}
	}
	fmt.Fprintln(out, fitted(t, nil))
}
