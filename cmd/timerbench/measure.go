package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report"
	"github.com/timerbench/timerbench/structures/catalog"
)

// measure runs cfg, saves the results in a folder as it goes, and prints a summary. An empty folder means a new one. again
// continues the run in the folder. A memory limit of 0 bytes means the available memory.
func measure(cmd *cobra.Command, cfg bench.Config, to string, memory uint64, again bool) (err error) {
	ctx, stdout, stderr := cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	available, _ := bench.ThisSystem().AvailableMemory() // 0 where the system does not say
	if memory > 0 && (available == 0 || memory < available) {
		available = memory
	}
	if available > 0 {
		cfg.Memory = available
		// Measuring delays the garbage collector; garbage must not exceed the available memory.
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(available)))
	}
	plan, err := bench.NewPlan(cfg)
	if err != nil {
		return err
	}
	folder, err := openFolder(to, cfg.Profile.Name, again)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	seconds := plan.Seconds()
	if limit := cfg.Budget.Limit; limit > 0 {
		seconds = min(seconds, limit.Seconds())
	}
	foretell(stderr, show.Count(len(plan.Steps), "step"), seconds)
	if again {
		if err := resume(&cfg, folder, stderr); err != nil {
			return err
		}
	}
	printMachine(stderr)
	r, err := measureHere(ctx, cfg, folder, stderr)
	if r == nil {
		return err
	}
	if cfg.Turns == nil { // a session of turns reads standard output
		summarize(stdout, r)
	}
	switch {
	case r.Complete && !folder.Saved:
		return errors.Join(err, fmt.Errorf("--budget %s: too short for any cell on this machine, nothing was written", cfg.Budget.Limit))
	case r.Complete && folder.Saved: // even if a structure broke its contract
		if err := folder.MarkLatest(); err != nil {
			fmt.Fprintln(stderr, "timerbench:", err)
		}
		announce(stderr, folder)
	case folder.Saved:
		fmt.Fprintf(stderr,
			"the finished steps are in %s; to continue, repeat the command with --resume --out %s\n", folder.Results(), folder.Path)
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "no step was finished; nothing was written")
	}
	return err
}

// resume makes cfg continue the interrupted run in the folder. It returns an error if that run has another configuration.
func resume(cfg *bench.Config, folder *results.Folder, stderr io.Writer) error {
	r, err := results.ReadFile(folder.Results())
	if err == nil {
		err = bench.CheckResume(*cfg, r)
	}
	if err != nil {
		return fmt.Errorf("--resume: %s: %w", folder.Results(), err)
	}
	cfg.Resume, folder.Saved = r, true
	fmt.Fprintf(stderr, "kept: %s\n", show.Count(len(r.Done), "finished step"))
	return nil
}

func measureHere(ctx context.Context, cfg bench.Config, folder *results.Folder, stderr io.Writer) (*results.Run, error) {
	var saved time.Time
	var took time.Duration
	var failed error // of the last save
	cfg.Checkpoint = func(r *results.Run) error {
		start := time.Now()
		switch {
		case len(r.Cells)+len(r.Calls) == 0 && cfg.Budget.Limit > 0: // without a cell the budget was too short
			return nil
		case r.Complete:
			failed = results.Save(folder.Path, r)
		case start.Sub(saved) < 20*took: // each save writes the whole file
			return nil
		default:
			failed = results.Write(folder.Results(), r)
		}
		if failed == nil {
			folder.Saved, saved, took = true, time.Now(), time.Since(start)
		}
		return failed
	}
	progress := newProgress(stderr)
	cfg.Progress = progress.show
	defer progress.end()
	r, err := bench.Run(ctx, cfg)
	if err != nil && failed == nil && folder.Saved && !r.Complete {
		err = errors.Join(err, results.Save(folder.Path, r)) // steps since the last save
	}
	return r, err
}

// summarize prints the longest calls, a line for each cell of a run, and the structures that were the fastest most often.
func summarize(out io.Writer, r *results.Run) {
	t := show.Table{Align: "llrrlr", Header: []string{"workload", "structure", "n", "longest call, µs", "operation", "at tick"}}
	for _, c := range r.Calls {
		longest := c.Max()
		t.Add(c.Workload, c.Structure, show.Grouped(c.N), show.Figure(longest.NS/1e3), string(longest.Operation), show.Grouped(int64(longest.At)))
	}
	if len(r.Calls) > 0 {
		fmt.Fprintln(out, t.Terminal())
	}
	fmt.Fprint(out, report.Summary(r, catalog.All()))
}

// known formats a figure; 0 means unknown.
func known(v float64, format func(float64) string) string {
	if v == 0 {
		return show.Unknown
	}
	return format(v)
}

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
			for _, f := range bench.ThisSystem().Check() {
				t.Add(f.Check, f.Verdict, f.Value, f.Advice)
			}
			fmt.Fprintln(cmd.OutOrStdout(), t.Terminal())
			return nil
		},
	}
}

func printMachine(out io.Writer) {
	fmt.Fprintf(out, "machine: %s; more: %s\n", bench.FindingsSummary(bench.ThisSystem().Check()), asTyped("doctor"))
}
