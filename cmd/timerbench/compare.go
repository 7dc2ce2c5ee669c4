package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/compare"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
)

// exitCodes is part of the help of compare and ab.
const exitCodes = `Exit codes: 0 if the comparison was made, with any outcome. 2 if it was not: a
bad flag, an unreadable file, nothing in common, two machines.
--fail-on-regression changes one thing: the code is 1 if at least one row of the
table is slower, which means a slowdown that is significant and large enough.
Faster rows, structures on only one side, and notes never change the code.`

type compareFlags struct {
	alpha     float64
	minEffect float64
	machines  bool
	fail      bool
	all       bool
	csv       bool
}

// add adds the flags. minEffect is the default of --min-effect.
func (f *compareFlags) add(cmd *cobra.Command, minEffect float64) {
	f.minEffect = minEffect
	flags := cmd.Flags()
	flags.Float64Var(&f.alpha, "alpha", 0.05, "probability of at least one false difference in the whole table")
	flags.Func("min-effect",
		"smallest relative `difference` that counts, such as 2% or 0.02; if the noise floor of the cell is larger, it is used instead (default "+fmt.Sprint(100*minEffect)+"%)",
		valueTo(&f.minEffect, readShare(math.MaxFloat64)))
	flags.BoolVar(&f.all, "all", false, "print every row, also with the ratio relative to the other structures, the probability and the smallest ratio that counts")
	flags.BoolVar(&f.csv, "csv", false, "print every row as comma-separated values, and no sentence")
	flags.BoolVar(&f.fail, "fail-on-regression", false, "exit with code 1 if a row is slower")
}

func (f *compareFlags) options() (compare.Options, error) {
	o := compare.Options{Alpha: f.alpha, MinEffect: f.minEffect, Machines: f.machines}
	return o, o.Check()
}

func newCompare() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare OLD NEW",
		Short: "Compare the results of two builds or of two runs",
		Long: `Compare the results of two builds or of two runs. A sentence says what differs.
The table below it shows, for each structure that differs in a cell, the cost in
NEW divided by the cost in OLD, with its interval. OLD and NEW are results files
or folders, as for report.

A ratio counts as a difference if it is significant after Holm's correction for
all rows, and exceeds --min-effect and the noise floors of the cell in both
files. If the runs did not take turns, it must also stand out from the ratios of
the other structures, which show the state of the machine. To compare two
builds, use ab.

` + exitCodes,
		Example: `  timerbench compare out/2026-11-21-073012-normal ` + latest + `
  timerbench compare --min-effect 2% --fail-on-regression old.json new.json`,
		Args: argsFrom(2, 2, "two: the old and the new results"),
		RunE: f.compare,
	}
	f.add(cmd, 0.05)
	cmd.Flags().BoolVar(&f.machines, "machines", false, "compare even if OLD and NEW are of different machines")
	return cmd
}

func (f *compareFlags) compare(cmd *cobra.Command, args []string) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	var sides [2]*results.Run
	for i, name := range []string{"OLD", "NEW"} {
		if sides[i], _, err = results.Read(args[i]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	c, err := compare.Runs(sides[0], sides[1], o)
	if err != nil {
		return fmt.Errorf("%s and %s: %w", args[0], args[1], err)
	}
	return f.print(cmd.OutOrStdout(), c)
}

// print prints a comparison: what it says, then the rows that say so, or all. With --fail-on-regression it returns
// errRegression if a row is slower.
func (f *compareFlags) print(out io.Writer, c *compare.Comparison) error {
	if f.csv {
		f.printCSV(out, c.Rows)
	} else {
		f.printTable(out, c)
	}
	if f.fail && len(c.Of(compare.Slower)) > 0 {
		return errRegression
	}
	return nil
}

func (f *compareFlags) printCSV(out io.Writer, rows []compare.Compared) {
	t := show.Table{Header: []string{"workload", "n", "structure", "old_ns", "ratio", "lo", "hi", "verdict"}}
	number := func(v float64) show.Cell { return show.Number(v, show.Unknown) }
	for _, r := range rows {
		t.Add(r.Workload, r.N, r.Structure, number(r.Old), number(r.Ratio.Center), number(r.Ratio.Lo), number(r.Ratio.Hi), string(r.Verdict))
	}
	fmt.Fprint(out, t.CSV())
}

func (f *compareFlags) printTable(out io.Writer, c *compare.Comparison) {
	fmt.Fprintln(out, show.Wrapped(c.Sentence()))
	for _, note := range c.Notes {
		fmt.Fprintln(out, show.Wrapped("note: "+note))
	}
	rows := slices.Concat(c.Of(compare.Slower), c.Of(compare.Faster))
	t := show.Table{Align: "lrlrrll", Header: []string{"workload", "n", "structure", "old ns", "ratio", "95 %", ""}}
	if f.all {
		rows = c.Rows
		t.Align, t.Header = "lrlrrllrrr", append(t.Header, "others", "p", "floor")
	}
	for _, r := range rows {
		row := []any{r.Workload, show.Short(float64(r.N)), r.Structure, show.Figure(r.Old), fmt.Sprintf("%.2f", r.Ratio.Center),
			show.Interval(r.Ratio.Lo, r.Ratio.Hi, ratio, "–"), string(r.Verdict)}
		if f.all {
			row = append(row, ratio(r.Adjusted.Center), probability(r.P), fmt.Sprintf("%.2f", 1+r.Least))
		}
		t.Add(row...)
	}
	if len(rows) > 0 {
		fmt.Fprint(out, "\n"+t.Terminal()+"\n")
	}
	if !f.all && len(rows) < len(c.Rows) {
		fmt.Fprintf(out, "%s without a difference: --all prints them too.\n", show.Count(len(c.Rows)-len(rows), "row"))
	}
}

func ratio(r float64) string { return fmt.Sprintf("%.3f", r) }

func probability(p float64) string {
	switch {
	case math.IsNaN(p):
		return show.Unknown
	case p < 0.001:
		return "<0.001"
	}
	return ratio(p)
}

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
		Args: noArgs,
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
	f.cfg.Trials, f.cfg.Rounds = compare.Ages, f.rounds
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
	s := compare.Session{Pairs: f.pairs, Rounds: f.rounds, Seed: f.cfg.Seed, Dir: work}
	for _, name := range []string{"n", "structure", "workload", "scenario", "profile", "seed"} {
		s.Args = append(s.Args, asFlags(cmd.Flags().Lookup(name))...)
	}
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
