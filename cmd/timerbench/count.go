// The command that counts instructions. Times of one build differ by more than most changes of it; counts do not, so this is the gate of
// .ci/count. A hidden command replays one cell, since cachegrind counts whole processes.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/compare"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
)

type countFlags struct {
	choice
	against    string
	json, fail bool
}

func newCount() *cobra.Command {
	f := countFlags{choice: choice{workloads: "^(hold|churn|start-stop|resch.*|fill-drain)$", profile: "smoke"}}
	cmd := &cobra.Command{
		Use:   "count",
		Short: "Count instructions, cache misses and mispredicted branches",
		Long: `Count instructions, cache misses and mispredicted branches per lifecycle of a
timer. Two counts of one build differ by less than 0.2 %, but counts do not
predict times. valgrind's cachegrind does the counting. Filling, the replay loop
and garbage collection are not counted. The simulated caches are the same on all
machines: 32 kB, 1 MB and 32 MB.

With --against, count also counts another revision or program and shows the rows
whose instructions differ by 0.2 % or more. With --json these rows go to
standard error.`,
		Example: `  timerbench count -s '^(auto|quadheap)$' --n 1e3
  timerbench count -s '^hwheel$' --against main --fail-on-regression`,
		Args: noArgs,
		RunE: stoppable(f.run),
	}
	flags := cmd.Flags()
	f.addCells(flags, " 10,1000,100000; 1e6 takes minutes per row")
	flags.StringVar(&f.against, "against", "", "git `revision` or program to compare with")
	flags.BoolVar(&f.json, "json", false, "print an array in JSON")
	flags.BoolVar(&f.fail, "fail-on-regression", false, "exit with code 1 if a row executes more instructions than with --against")
	return cmd
}

func (f *countFlags) run(cmd *cobra.Command, _ []string) (err error) {
	ctx, stdout, stderr := cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	if f.fail && f.against == "" {
		return errors.New("--fail-on-regression: needs --against")
	}
	if err := f.complete(); err != nil {
		return err
	}
	if len(f.cfg.N) == 0 {
		f.cfg.N = []int{10, 1_000, 100_000}
	}
	cells := compare.CountCells(f.cfg.Structures, f.cfg.Workloads, f.cfg.N, f.cfg.Seed)
	if len(cells) == 0 {
		return fmt.Errorf("--n %v: want a size that a chosen structure takes", f.cfg.N)
	}
	begin(cmd)
	var before []compare.Counts
	if f.against != "" {
		against := side{flag: "against", what: f.against}
		if err := against.find(ctx); err != nil {
			return err
		}
		work, err := os.MkdirTemp("", "timerbench-count-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(work) }()
		old, err := against.build(ctx, work, 1, stderr)
		if err != nil {
			return err
		}
		if before, err = countAll(ctx, old[0], cells, false, stderr); err != nil {
			return fmt.Errorf("--against %s: %w", f.against, err)
		}
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	rows, err := countAll(ctx, program, cells, f.against == "" || f.json, stderr)
	if err != nil {
		return err
	}
	changes := stdout
	if f.json {
		changes = stderr
		if err := printJSON(stdout, rows); err != nil {
			return err
		}
	}
	switch {
	case f.against != "":
		t := compare.Counted(before, rows)
		printComparison(changes, t, false)
		if f.fail && len(t.Of(compare.More)) > 0 {
			return errRegression
		}
	case !f.json:
		t := show.Table{Align: "lrlr", Header: []string{"workload", "n", "structure", "instructions", "L1 misses", "1 MB", "32 MB", "mispredicted"}}
		for _, r := range rows {
			t.Add(r.Workload, r.N, r.Structure, r.Instructions, r.L1Misses, r.L2Misses, r.LLMisses, r.Mispredicted)
		}
		fmt.Fprintf(stdout, "%s\nCounts per lifecycle of a timer; in reschedule, per move.\n", t.Terminal())
	}
	return nil
}

func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func countAll(ctx context.Context, program string, cells []compare.CountCell, caches bool, stderr io.Writer,
) ([]compare.Counts, error) {
	seconds := 0.0
	for _, c := range cells {
		seconds += 20 + 0.0003*float64(c.N) // under cachegrind, on a machine with 2 cores at 2.5 GHz
	}
	if !caches {
		seconds /= 4
	}
	foretell(stderr, show.Count(len(cells), "row"), seconds/float64(runtime.GOMAXPROCS(0)))
	bar := newProgress(stderr)
	defer bar.end()
	counted := 0
	return compare.CountAll(ctx, program, cells, caches, func() {
		counted++
		bar.step(counted, len(cells), "counting")
	})
}

// newCountReplay returns the hidden command that count runs under cachegrind.
func newCountReplay() *cobra.Command {
	return &cobra.Command{
		Use:    compare.CountCommand + " STRUCTURE WORKLOAD N SEED HOW",
		Hidden: true,
		Args:   cobra.ExactArgs(5),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := exactly("structure", allStructures(), nameOfStructure, args[0])
			if err != nil {
				return err
			}
			w, err := exactly("workload", workload.All(), nameOfWorkload, args[1])
			if err != nil {
				return err
			}
			var n int
			var seed uint64
			if _, err := fmt.Sscan(args[2]+" "+args[3], &n, &seed); err != nil {
				return err
			}
			s, err := compare.ReplayForCount(w, n, seed, e, args[4])
			if err != nil {
				return err
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(s)
		},
	}
}
