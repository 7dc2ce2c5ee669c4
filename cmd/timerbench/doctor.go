package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/doctor"
	"github.com/timerbench/timerbench/bench/results"
)

func newDoctor() *cobra.Command {
	noise := 5 * time.Second
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say how fit this machine is for measuring",
		Long: `Say how fit this machine is for measuring, and what to do about it: what changes the
frequency, who else uses the processors, the clock, memory pages, limits, hardware
counters, and the noise between two instances of one structure.

A finding is ok, warn or unavailable. Warnings do not change the exit code: measuring
on such a machine is possible, with wider intervals.`,
		Example: "  timerbench doctor\n  timerbench doctor --noise 0   # without the A/A measurement",
		Args:    cobra.NoArgs,
		RunE: stoppable(func(ctx context.Context, cmd *cobra.Command, _ []string) error {
			if noise < 0 {
				return fmt.Errorf("--noise %s: want a duration of at least 0", noise)
			}
			findings := examine()
			if noise > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "measuring the noise for %s\n", noise)
				n, err := bench.MeasureNoise(ctx, noise)
				if err != nil {
					return err
				}
				findings = append(findings, doctor.NoiseFinding(n))
			}
			printFindings(cmd.OutOrStdout(), findings)
			return nil
		}),
	}
	cmd.Flags().DurationVar(&noise, "noise", noise, "duration of the A/A measurement; 0: none")
	return cmd
}

// examine makes the checks of this machine that take no time.
func examine() []results.Finding {
	clock := bench.MeasureClock()
	return doctor.Here(clock.ReadNS, clock.StepNS).Check()
}

// printMachine prints the header of a run: what is wrong with the machine, in a line.
func printMachine(out io.Writer) {
	fmt.Fprintf(out, "machine: %s; more: %s\n", doctor.Summary(examine()), asTyped("doctor"))
}

func printFindings(out io.Writer, findings []results.Finding) {
	t := newTable("check", "verdict", "finding", "what to do")
	warnings := 0
	for _, f := range findings {
		if f.Verdict == doctor.Warn {
			warnings++
		}
		t.AppendRow(table.Row{f.Check, f.Verdict, f.Value, f.Advice})
	}
	fmt.Fprintln(out, fitted(t, nil))
	fmt.Fprintf(out, "%d of %d checks warn.\n", warnings, len(findings))
}
