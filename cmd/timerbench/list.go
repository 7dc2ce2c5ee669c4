package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/structures/catalog"
)

func newList() *cobra.Command {
	return &cobra.Command{
		Use:       "list [structures | workloads]",
		Short:     "List structures and workloads",
		Example:   "  timerbench list\n  timerbench list workloads",
		ValidArgs: []string{"structures", "workloads"},
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
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
				listWorkloads(out)
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

func listWorkloads(out io.Writer) {
	t := newTable("workload", "what it does", "resident", "delays", "source")
	for _, w := range bench.Workloads() {
		resident := "any"
		if w.Resident > 0 {
			resident = strconv.Itoa(w.Resident)
		}
		t.AppendRow(table.Row{w.Name, w.Summary, resident, strings.Join(bench.Delays(w.Model), ", "), w.Source})
	}
	fmt.Fprintln(out, t.Render())
}
