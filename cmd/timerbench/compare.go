// The commands that compare two builds: compare (of two runs) and ab (in turns). Both print one table, as count does, and their exit code
// tells a script a slower build from a comparison that was not made.

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

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/compare"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

// exitCodes is part of the help of compare and ab.
const exitCodes = `Exit codes: 0 if the comparison was made, with any outcome. 2 if it was not: a
bad flag, an unreadable file, nothing in common, two machines.
--fail-on-regression changes one thing: the code is 1 if at least one row of the
table is slower, which means a slowdown that is certain and large enough.
Faster rows, structures on only one side, and notes never change the code.`

type compareFlags struct {
	minEffect float64
	fail      bool
	all       bool
	csv       bool
}

// add adds the flags. minEffect is the default of --min-effect.
func (f *compareFlags) add(cmd *cobra.Command, minEffect float64) {
	f.minEffect = minEffect
	flags := cmd.Flags()
	flags.Func("min-effect",
		"smallest relative `difference` that counts, such as 2% or 0.02; if the controls of the cell differ by more, that is used instead (default "+fmt.Sprint(100*minEffect)+"%)",
		valueTo(&f.minEffect, readShare))
	flags.BoolVar(&f.all, "all", false, "print every row, not only those that differ")
	flags.BoolVar(&f.csv, "csv", false, "print every row as comma-separated values, and no sentence")
	flags.BoolVar(&f.fail, "fail-on-regression", false, "exit with code 1 if a row is slower")
}

func newCompare() *cobra.Command {
	var f compareFlags
	var machines bool
	cmd := &cobra.Command{
		Use:   "compare OLD NEW",
		Short: "Compare the results of two builds or of two runs",
		Long: `Compare the results of two builds or of two runs. A sentence says what differs.
The table below it shows, for each structure that differs in a cell, the cost in
NEW divided by the cost in OLD, with its interval. OLD and NEW are results files
or folders, as for report.

A ratio counts as a difference if its whole interval exceeds --min-effect, and
what a structure that was measured twice in that cell differed by. Ratios of two
separate runs are divided by that of the other structures, which show the state
of the machine. To compare two builds, use ab.

` + exitCodes,
		Example: `  timerbench compare out/2026-11-21-073012-normal ` + latest + `
  timerbench compare --min-effect 2% --fail-on-regression old.json new.json`,
		Args: argsFrom(2, 2, "two: the old and the new results"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.compare(cmd, args, machines) },
	}
	f.add(cmd, 0.05)
	cmd.Flags().BoolVar(&machines, "machines", false, "compare even if OLD and NEW are of different machines")
	return cmd
}

func (f *compareFlags) compare(cmd *cobra.Command, args []string, machines bool) (err error) {
	var sides [2]*results.Run
	for i, name := range []string{"OLD", "NEW"} {
		if sides[i], _, err = store.Read(args[i]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if !machines {
		err = compare.SameMachine(sides[0], sides[1])
	}
	var c *compare.Table
	if err == nil {
		c, err = compare.Runs(sides[0], sides[1], f.minEffect)
	}
	if err != nil {
		return fmt.Errorf("%s and %s: %w", args[0], args[1], err)
	}
	return f.print(cmd.OutOrStdout(), c)
}

// print prints a comparison: what it says, then the rows that say so, or all. With --fail-on-regression it returns
// errRegression if a row is slower.
func (f *compareFlags) print(out io.Writer, t *compare.Table) error {
	if f.csv {
		fmt.Fprint(out, tableOf(t, t.Rows).CSV())
	} else if hidden := printComparison(out, t, f.all); hidden > 0 {
		fmt.Fprintf(out, "%s without a difference: --all prints them too.\n", show.Count(hidden, "row"))
	}
	if f.fail && len(t.Of(compare.Slower)) > 0 {
		return errRegression
	}
	return nil
}

// printComparison prints the sentence and the notes of a comparison, then the rows that differ, or all. It returns the number of the
// others.
func printComparison(out io.Writer, t *compare.Table, all bool) (hidden int) {
	fmt.Fprintln(out, show.Wrapped(t.Sentence()))
	for _, note := range t.Notes {
		fmt.Fprintln(out, show.Wrapped("note: "+note))
	}
	rows := t.Rows
	if !all {
		rows = t.Of(compare.Slower, compare.More, compare.Faster, compare.Fewer)
	}
	if len(rows) > 0 {
		fmt.Fprintf(out, "\n%s\n", tableOf(t, rows).Terminal())
	}
	return len(t.Rows) - len(rows)
}

func tableOf(of *compare.Table, rows []compare.Row) show.Table {
	t := show.Table{Align: "lrlrrrrrlrl", Header: []string{"workload", "n", "structure", "old_" + of.Unit, "new", "ratio", "lo", "hi", "verdict", "floor", "groups"}}
	ratio := func(r float64) show.Cell { return show.Number(r, fmt.Sprintf("%.3f", r)) }
	cost := func(c float64) show.Cell { return show.Number(c, show.Figure(c)) }
	for _, r := range rows {
		lo, hi := show.Words(show.Unknown), show.Words(show.Unknown)
		if r.Ratio.Bounded() {
			lo, hi = ratio(r.Ratio.Lo), ratio(r.Ratio.Hi)
		}
		t.Add(r.Workload, r.N, r.Structure, cost(r.Old), cost(r.New), ratio(r.Ratio.Center), lo, hi, string(r.Verdict), ratio(1+r.Least), r.Groups)
	}
	return t
}

type abFlags struct {
	compareFlags
	choice
	old, new string
	rounds   int
	pairs    int
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
random order, so that a disturbance of the machine affects both.

--old and --new are git revisions or paths of programs. A revision is built in a
temporary git worktree, which is removed at the end, also after Ctrl-C. Without
--new, the work tree is built as it is. Each revision is built once for each
pair, with another code layout, because the layout alone changes times by a few
percent. A program has only one.

` + exitCodes,
		Example: `  timerbench ab --old main    # what did I change?
  timerbench ab --old v0.1.0 --new HEAD -s heap -w '^churn$' --pairs 16
  timerbench ab --old /tmp/before --new bin/timerbench --fail-on-regression
  cd out/2026-11-21-073012-ab && benchstat old/` + store.Benchmarks + ` new/` + store.Benchmarks,
		Args: noArgs,
		RunE: stoppable(f.run),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.old, "old", "", "git `revision` or program to compare with (required)")
	flags.StringVar(&f.new, "new", "", "new git `revision` or program (default: the work tree as it is)")
	f.addCells(flags, " "+abSizes.String())
	flags.IntVar(&f.rounds, "rounds", 96, "rounds of each run, rounded up to a multiple of 4, as each instance takes part in 4 rounds")
	flags.IntVar(&f.pairs, "pairs", 16, "runs of each build")
	flags.StringVarP(&f.out, "out", "o", "", "`folder` for the results of both sides (default: a new one in "+store.Parent+"/)")
	f.compareFlags.add(cmd, 0.01)
	return cmd
}

func (f *abFlags) run(cmd *cobra.Command, _ []string) (err error) {
	ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
	switch {
	case f.old == "":
		return errors.New("--old is missing: want a git revision or a program")
	case f.rounds < 1 || f.rounds > mostRounds:
		return fmt.Errorf("--rounds %d: want a number from 1 to %d", f.rounds, mostRounds)
	case f.pairs < stats.LeastRounds || f.pairs > mostRounds:
		return fmt.Errorf("--pairs %d: want a number from %d to %d; fewer pairs have no interval", f.pairs, stats.LeastRounds, mostRounds)
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
	if entries, _ := os.ReadDir(f.out); len(entries) > 0 {
		return fmt.Errorf("--out %s: it contains %s, which is not replaced: choose an empty folder", f.out, entries[0].Name())
	}
	folder, err := openFolder(f.out, "ab", false)
	if err != nil {
		return err
	}
	cleanUp(cmd, func() { _ = folder.Close() }) // it was asked to end at once
	defer func() { err = errors.Join(err, folder.Close()) }()
	sides := [2]side{{flag: "old", what: f.old}, {flag: "new", what: f.new}}
	for i := range sides {
		if err := sides[i].find(ctx); err != nil {
			return err
		}
	}
	work, err := os.MkdirTemp("", "timerbench-ab-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	foretell(stderr, show.Count(f.pairs, "pair")+" of runs, after building", 2*float64(f.pairs)*plan.Seconds())
	s := compare.Session{Pairs: f.pairs, Rounds: f.rounds, Seed: f.cfg.Seed, Dir: work}
	s.Args = append(asFlags(cmd.Flags().Lookup("n")), "--profile="+f.profile, "--structure="+cmp.Or(f.structures, "."),
		"--workload="+f.workloads, fmt.Sprintf("--seed=%d", f.cfg.Seed))
	layouts := f.pairs
	if sides[0].program != "" || sides[1].program != "" {
		layouts = 1 // a program has one
	}
	if s.Old, err = sides[0].build(ctx, work, layouts, stderr); err != nil {
		return err
	}
	if s.New, err = sides[1].build(ctx, work, layouts, stderr); err != nil {
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
	c, err := compare.Runs(old, new, f.minEffect)
	if err != nil {
		return err
	}
	a, b := filepath.Join(folder.Path, "old"), filepath.Join(folder.Path, "new")
	for side, r := range map[string]*results.Run{a: old, b: new} {
		if err := errors.Join(os.MkdirAll(side, 0o755), store.Save(side, r)); err != nil {
			return err
		}
	}
	folder.Saved = true
	err = f.print(cmd.OutOrStdout(), c)
	fmt.Fprintf(stderr, "the results are in %s and %s; to compare them again: %s\n", a, b,
		asTyped("compare", a, b, fmt.Sprintf("--min-effect=%g", f.minEffect)))
	return err
}

// side is a program, or the commit of a revision, that a flag names.
type side struct{ flag, what, program, repository, commit string }

// find looks up the program or the commit, and builds nothing.
func (s *side) find(ctx context.Context) (err error) {
	if info, missing := os.Stat(s.what); missing == nil && info.Mode().IsRegular() { // and no revision
		s.program, err = filepath.Abs(s.what)
		if _, missing := exec.LookPath(s.program); missing != nil {
			err = misuse{fmt.Errorf("--%s %s: want a program or a git revision: %w", s.flag, s.what, errors.Unwrap(missing))}
		}
		return err
	}
	if s.repository, s.commit, err = compare.Source(ctx, s.what); err != nil {
		err = misuse{fmt.Errorf("--%s %s: %w", s.flag, cmp.Or(s.what, "(the work tree)"), err)}
	}
	return err
}

// build returns the program, or builds the revision in the folder work, once per layout, and returns these programs.
func (s *side) build(ctx context.Context, work string, layouts int, stderr io.Writer) ([]string, error) {
	if s.program != "" {
		return []string{s.program}, nil
	}
	dir := filepath.Join(work, s.flag)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	fmt.Fprintf(stderr, "building --%s with %s\n", s.flag, show.Count(layouts, "layout"))
	built, err := compare.Build(ctx, s.repository, s.commit, dir, layouts)
	if err != nil {
		return nil, fmt.Errorf("--%s %s: %w", s.flag, s.what, err)
	}
	return built, nil
}
