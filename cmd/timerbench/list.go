package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/scenario"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

func newList() *cobra.Command {
	what := []string{"structures", "workloads", "models"}
	return &cobra.Command{
		Use:       "list [structures | workloads | models]",
		Short:     "List structures, workloads, and the models of scenario files",
		Example:   "  timerbench list\n  timerbench list workloads",
		ValidArgs: what,
		Args:      oneOf("list", what),
		RunE: func(cmd *cobra.Command, args []string) error {
			wants := func(what string) bool { return len(args) == 0 || slices.Contains(args, what) }
			out := cmd.OutOrStdout()
			if wants("structures") {
				listStructures(out)
			}
			if len(args) == 0 {
				fmt.Fprintln(out)
			}
			if wants("workloads") {
				listWorkloads(out, workload.All())
			}
			if len(args) == 0 {
				fmt.Fprintln(out)
			}
			if wants("models") {
				listModels(out)
			}
			return nil
		},
	}
}

func newTable(header ...any) table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	t.SetStyle(style)
	t.AppendHeader(header)
	return t
}

func listStructures(out io.Writer) {
	t := newTable("structure", "what it is and who uses it", "schedule", "cancel", "pop", "ties", "late by", "source")
	for _, e := range catalog.All() {
		late := "never"
		if !e.Exact() {
			late = fmt.Sprintf("at most %d ticks in 1000", e.MaxLate(1000))
		}
		t.AppendRow(table.Row{e.Name, e.Summary, e.Costs.Schedule, e.Costs.Cancel, e.Costs.Pop, e.Ties, late, e.Source})
	}
	fmt.Fprintln(out, t.Render())
}

// listSize is the number of timers with which workloads are measured that have no
// size of their own: as many as the smallest profile has.
const listSize = 1000

// listMost keeps the list quick where workloads have millions of timers.
const listMost = 500_000

// listWorkloads shows workloads by what they come to when their scripts are
// written.
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
			percent(f.CancelShare), percent(f.MoveShare), rate, strings.Join(workload.Delays(w.Model), ", "), w.Source})
	}
	fmt.Fprintln(out, t.Render())
	fmt.Fprintf(out, "Measured on the script of each, with %d timers where it has no size of its own; an operation schedules,\n"+
		"cancels, moves or fires one; – stands where the clock does not move. Cancelled: of the timers that end.\n"+
		"Moves: of all operations.\n", listSize)
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// decimals shows small numbers with two significant digits, large ones whole.
func decimals(x float64) int {
	return max(0, 1-int(math.Floor(math.Log10(x))))
}

// listModels shows what scenario files can say.
func listModels(out io.Writer) {
	t := newTable("model", "parameter", "type", "may be left out", "what it says")
	for _, kind := range workload.Models() {
		name := kind.Name
		for _, k := range scenario.Keys(kind) {
			optional := ""
			if k.Optional {
				optional = "yes"
			}
			t.AppendRow(table.Row{name, k.Name, k.Type, optional, k.Doc})
			name = ""
		}
	}
	fmt.Fprintln(out, t.Render())
}
