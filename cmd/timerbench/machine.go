package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/internal/show"
)

func newDoctor() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Report what makes times on this machine unreliable",
		Long: `Report what makes times on this machine unreliable, and what to do about it:
load, frequency, virtual machine, memory and limits.

A finding is ok, warn or unavailable. Warnings do not change the exit code:
measuring on such a machine is possible, with wider intervals.`,
		Example: "  timerbench doctor",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t := show.Table{Align: "l", Header: []string{"check", "verdict", "finding", "what to do"}}
			findings, warnings := bench.ThisSystem().Check(), 0
			for _, f := range findings {
				if f.Verdict == bench.FindingWarn {
					warnings++
				}
				t.Add(f.Check, f.Verdict, f.Value, f.Advice)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n%d of %d checks warn.\n", t.Terminal(), warnings, len(findings))
			return nil
		},
	}
}

// printMachine prints the warnings of the machine in one line.
func printMachine(out io.Writer) {
	fmt.Fprintf(out, "machine: %s; more: %s\n", bench.FindingsSummary(bench.ThisSystem().Check()), asTyped("doctor"))
}
