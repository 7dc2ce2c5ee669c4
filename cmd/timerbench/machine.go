package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/analysis"
	"github.com/timerbench/timerbench/bench/doctor"
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
)

func newDoctor() *cobra.Command {
	noise := 5 * time.Second
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say how fit this machine is for measuring",
		Long: `Say how fit this machine is for measuring, and what to do about it: what changes
the frequency, who else uses the processors, the clock, memory pages, limits,
and the noise between two instances of one structure.

A finding is ok, warn or unavailable. Warnings do not change the exit code:
measuring on such a machine is possible, with wider intervals.`,
		Example: "  timerbench doctor\n  timerbench doctor --noise 0   # without the A/A measurement",
		Args:    cobra.NoArgs,
		RunE: stoppable(func(cmd *cobra.Command, _ []string) error {
			if noise < 0 {
				return fmt.Errorf("--noise %s: want a duration of at least 0", noise)
			}
			findings := examine()
			if noise > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "measuring the noise for %s\n", noise)
				n, err := analysis.MeasureNoise(cmd.Context(), noise)
				if err != nil {
					return err
				}
				findings = append(findings, doctor.NoiseFinding(n))
			}
			t := show.Table{Align: "l", Header: []string{"check", "verdict", "finding", "what to do"}}
			warnings := 0
			for _, f := range findings {
				if f.Verdict == doctor.Warn {
					warnings++
				}
				t.Add(f.Check, f.Verdict, f.Value, f.Advice)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n%d of %d checks warn.\n", t.Terminal(), warnings,
				len(findings))
			return nil
		}),
	}
	cmd.Flags().DurationVar(&noise, "noise", noise, "duration of the A/A measurement; 0: none")
	return cmd
}

// examine makes the checks of this machine that take no time.
func examine() []results.Finding {
	clock := replay.MeasureClock()
	return doctor.Here(clock.ReadNS, clock.StepNS).Check()
}

// printMachine says what is wrong with the machine, in a line.
func printMachine(out io.Writer) {
	fmt.Fprintf(out, "machine: %s; more: %s\n", doctor.Summary(examine()), asTyped("doctor"))
}

// availableMemory returns how many bytes this process may take. On Linux this is
// what is free or can be freed, within the limit of the control group; elsewhere
// it is all of the machine's memory. ok is false where the system does not say.
func availableMemory() (bytes uint64, ok bool) {
	limits := []func() (uint64, error){memlimit.FromCgroup, fromMeminfo, memlimit.FromSystem}
	for _, limit := range limits {
		if b, err := limit(); err == nil && b > 0 && (!ok || b < bytes) {
			bytes, ok = b, true
		}
	}
	return bytes, ok
}

// fromMeminfo reads what Linux says is available without swapping.
func fromMeminfo() (bytes uint64, err error) {
	text, err := os.ReadFile("/proc/meminfo")
	if _, kb, ok := strings.Cut(string(text), "MemAvailable:"); ok {
		_, err = fmt.Sscan(kb, &bytes)
	}
	return bytes * 1024, err
}

// fitMemory returns the run as it fits into so much memory, or an error if it does not.
func fitMemory(cfg bench.Config, available uint64) (bench.Config, error) {
	cfg, need := bench.FitMemory(cfg, available)
	if need.Bytes <= available {
		return cfg, nil
	}
	return cfg, fmt.Errorf("%s needs about %s of memory, of which %s are available: choose fewer timers with --n, or fewer structures with --structure",
		need.Step, show.Bytes(float64(need.Bytes)), show.Bytes(float64(available)))
}
