// The commands that list what can be measured: the structures, workloads and models of this build, and scenario files. The names are
// arguments of other commands, such as run.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/bench/workload/scenario"
	"github.com/timerbench/timerbench/internal/show"
)

func newList() *cobra.Command {
	lists := []string{"structures", "workloads", "models"}
	var long bool
	cmd := &cobra.Command{
		Use:       "list [structures | workloads | models]",
		Short:     "List structures, workloads, and the models of scenario files",
		Example:   "  timerbench list\n  timerbench list workloads --long",
		ValidArgs: lists,
		Args:      oneOf("list", lists),
		RunE: func(cmd *cobra.Command, args []string) error {
			for i, name := range lists {
				if len(args) > 0 && args[0] != name {
					continue
				}
				if len(args) == 0 && i > 0 {
					fmt.Fprintln(cmd.OutOrStdout())
				}
				list(cmd.OutOrStdout(), name, long)
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&long, "long", "l", false, "also list costs, sources, and the timers and delays of workloads (wide)")
	return cmd
}

func list(out io.Writer, name string, long bool) {
	t := show.Table{Align: "l"}
	switch name {
	case "structures":
		t.Header = []string{"structure", "what it is and who uses it"}
		if long {
			t.Header = append(t.Header, "schedule", "cancel", "pop", "ties", "late by", "source")
		}
		for _, e := range allStructures() {
			row := []any{e.Name, e.Summary, e.Costs.Schedule, e.Costs.Cancel, e.Costs.Pop, e.Ties.String(), cmp.Or(e.Late, "never"), e.Source}
			t.Add(row[:len(t.Header)]...)
		}
	case "workloads":
		t = workloadTable(workload.All(), long)
	default: // models
		t.Header = []string{"model", "scenario print shows the parameters of"}
		for _, kind := range workload.Kinds() {
			of := slices.DeleteFunc(slices.Clone(workload.All()), func(w workload.Workload) bool { return w.Kind().Name != kind.Name })
			t.Add(kind.Name, strings.Join(names(of, nameOfWorkload), ", "))
		}
		long = false
	}
	if long {
		fmt.Fprintln(out, t.Wide())
	} else {
		fmt.Fprintln(out, t.Terminal())
	}
}

// workloadTable lists workloads. The long table also has their timers, their delays and their sources.
func workloadTable(list []workload.Workload, long bool) show.Table {
	t := show.Table{Align: "ll", Header: []string{"workload", "what it does"}}
	if long {
		t.Align, t.Header = "llrl", append(t.Header, "timers", "delays", "source")
	}
	for _, w := range list {
		n := "any number"
		if w.Resident > 0 {
			n = show.Grouped(w.Resident)
		}
		row := []any{w.Name, w.Summary, n, strings.Join(workload.Delays(w.Model), ", "), w.Source}
		t.Add(row[:len(t.Header)]...)
	}
	return t
}

func newScenario() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scenario",
		Short: "Print a built-in workload as a file, or check your own file",
		Long: `A scenario file describes a workload in TOML: which timers arrive, with which
delays, and which are cancelled or moved. Run it with:
timerbench run --scenario FILE`,
		Example: `  timerbench scenario print kafka-purgatory >mine.toml
  timerbench scenario check mine.toml`,
	}
	return group(cmd, &cobra.Command{
		Use:     "print WORKLOAD",
		Short:   "Print a built-in workload as a scenario file",
		Example: "  timerbench scenario print kafka-purgatory >mine.toml",
		Args:    argsFrom(1, 1, "the name of a workload, see "+asTyped("list", "workloads")),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := exactly("workload", workload.All(), nameOfWorkload, args[0])
			if err != nil {
				return err
			}
			text, err := scenario.Print(w)
			if err == nil {
				_, err = cmd.OutOrStdout().Write(text)
			}
			return err
		},
	}, &cobra.Command{
		Use:     "check FILE...",
		Short:   "Check scenario files, and show the number of their timers",
		Example: "  timerbench scenario check scenarios/*.toml",
		Args:    argsFrom(1, -1, "scenario files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := scenario.Load(args...)
			if !errors.Is(err, fs.ErrNotExist) { // a file with faults is a finding
				begin(cmd)
			}
			if err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), workloadTable(list, true).Wide())
			}
			return err
		},
	})
}
