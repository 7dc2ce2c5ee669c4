package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/compare"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
)

type abFlags struct {
	compareFlags
	choice
	old, new string
	rounds   int
	pairs    int
	layouts  int
	out      string
}

var abSizes = sizes{1000, 100_000}

func newAB() *cobra.Command {
	f := abFlags{choice: choice{profile: "smoke", workloads: "^(hold|churn|reschedule)$"}}
	cmd := &cobra.Command{
		Use:   "ab",
		Short: "Measure two builds in turns and compare them",
		Long: `Measure two builds in turns and compare them. A pair is one process of each
build. Both processes live at the same time and take turns trial by trial, in
random order, so that a disturbance of the machine affects both. This finds
differences that two long runs cannot show on a noisy machine.

--old and --new are git revisions or paths of programs. A revision is built in a
temporary git worktree, which is removed at the end, also after Ctrl-C. Without
--new, the work tree is built as it is. Each revision is built with several code
layouts, because the layout alone changes times by a few percent. A program has
only one layout, so its interval does not contain this variation.

The folder keeps the results of both sides and their benchmark lines, which
benchstat reads.

` + exitCodes,
		Example: `  timerbench ab --old main    # what did I change?
  timerbench ab --old v0.1.0 --new HEAD -s heap -w '^churn$' --pairs 16
  timerbench ab --old /tmp/before --new bin/timerbench --fail-on-regression
  cd out/2026-11-21-073012-ab && benchstat old/` + results.Benchmarks + ` new/` + results.Benchmarks,
		Args: cobra.NoArgs,
		RunE: stoppable(f.run),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.old, "old", "", "git `revision` or program to compare with (required)")
	flags.StringVar(&f.new, "new", "", "new git `revision` or program (default: the work tree as it is)")
	f.choice.add(flags, " "+abSizes.String())
	flags.IntVar(&f.rounds, "rounds", 96, "rounds of each run, rounded up to a multiple of 4, as each instance takes part in 4 rounds")
	flags.IntVar(&f.pairs, "pairs", 16, "runs of each build")
	flags.IntVar(&f.layouts, "layouts", 0, "code layouts of a revision; 1: the default layout of the linker (default: 8, but at most --pairs)")
	flags.StringVarP(&f.out, "out", "o", "", "`folder` for the results of both sides (default: a new one in "+results.Parent+"/)")
	f.compareFlags.add(cmd, 0.01)
	return cmd
}

// check returns an error for a flag that is out of range, and sets the default of --layouts.
func (f *abFlags) check(flags *pflag.FlagSet) error {
	switch {
	case f.old == "":
		return errors.New("--old is missing: want a git revision or a program")
	case f.rounds < 1 || f.rounds > mostRounds:
		return fmt.Errorf("--rounds %d: want a number from 1 to %d", f.rounds, mostRounds)
	case f.pairs < 2 || f.pairs > mostRounds:
		return fmt.Errorf("--pairs %d: want a number from 2 to %d; one pair has no interval", f.pairs, mostRounds)
	case !flags.Changed("layouts"):
		f.layouts = min(8, f.pairs)
	case f.layouts < 1 || f.layouts > f.pairs:
		return fmt.Errorf("--layouts %d: want a number from 1 to the %d pairs",
			f.layouts, f.pairs)
	}
	return nil
}

func (f *abFlags) run(cmd *cobra.Command, _ []string) (err error) {
	ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
	if err := f.check(cmd.Flags()); err != nil {
		return err
	}
	o, err := f.options()
	if err != nil {
		return err
	}
	if err := f.complete(); err != nil {
		return err
	}
	if len(f.cfg.N) == 0 {
		f.cfg.N = abSizes
	}
	f.cfg.Trials, f.cfg.Turns = compare.Ages, &bench.Turns{Rounds: f.rounds}
	plan, err := bench.NewPlan(f.cfg)
	if err != nil {
		return err
	}
	folder, err := f.folder()
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(folder) }() // only if it is empty
	work, err := os.MkdirTemp("", "timerbench-ab-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	foretell(stderr, show.Count(f.pairs, "pair")+" of runs, after building", 2*float64(f.pairs)*plan.Seconds())
	s := compare.Session{Args: f.args(cmd.Flags()), Pairs: f.pairs, Rounds: f.rounds, Seed: f.cfg.Seed, Dir: work}
	if isProgram(f.old) || isProgram(f.new) {
		f.layouts = 1 // a program has one
	}
	if s.Old, err = programs(ctx, "old", f.old, work, f.layouts, stderr); err != nil {
		return err
	}
	if s.New, err = programs(ctx, "new", f.new, work, f.layouts, stderr); err != nil {
		return err
	}
	printMachine(stderr)
	bar := newProgress(stderr)
	s.Progress = bar.step
	old, new, err := s.Run(ctx)
	bar.end()
	if err != nil {
		return err
	}
	c, err := compare.Runs(old, new, o)
	if err != nil {
		return err
	}
	a, b := filepath.Join(folder, "old"), filepath.Join(folder, "new")
	for side, r := range map[string]*results.Run{a: old, b: new} {
		if err := errors.Join(os.MkdirAll(side, 0o755), results.Save(side, r)); err != nil {
			return err
		}
	}
	err = f.print(cmd.OutOrStdout(), c)
	fmt.Fprintf(stderr, "the results are in %s and %s; to compare them again: %s\n", a, b,
		asTyped("compare", a, b, fmt.Sprintf("--min-effect=%g", f.minEffect)))
	return err
}

func (f *abFlags) args(flags *pflag.FlagSet) []string {
	var args []string
	for _, name := range []string{"n", "structure", "workload", "scenario", "profile", "seed"} {
		args = append(args, asFlags(flags.Lookup(name))...)
	}
	return args
}

// programs returns the program that a flag names. If the flag names a revision, it builds the
// revision in the folder work, once per layout, and returns these programs.
func programs(ctx context.Context, flag, what, work string, layouts int, stderr io.Writer) ([]string, error) {
	if isProgram(what) {
		path, err := filepath.Abs(what)
		if _, missing := exec.LookPath(path); missing != nil {
			err = fmt.Errorf("--%s %s: want a program or a git revision: %w", flag, what, errors.Unwrap(missing))
		}
		return []string{path}, err
	}
	repository, err := compare.Repository(ctx)
	if err != nil {
		return nil, fmt.Errorf("--%s %s: %w", flag, cmp.Or(what, "(the work tree)"), err)
	}
	dir := filepath.Join(work, flag)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	fmt.Fprintf(stderr, "building --%s with %s\n", flag, show.Count(layouts, "layout"))
	built, err := compare.Build(ctx, repository, what, dir, layouts)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return built, nil
}

// isProgram reports whether the name is that of a file, and not a revision.
func isProgram(what string) bool {
	info, err := os.Stat(what)
	return err == nil && info.Mode().IsRegular()
}

// folder creates the folder for the results. It refuses a folder that is not empty.
func (f *abFlags) folder() (string, error) {
	if f.out == "" {
		return results.NewFolder("ab", time.Now())
	}
	if entries, err := os.ReadDir(f.out); err == nil && len(entries) > 0 {
		return "", fmt.Errorf("--out %s: it contains %s, which is not replaced: choose an empty folder",
			f.out, entries[0].Name())
	}
	return f.out, writableFolder("out", f.out)
}
