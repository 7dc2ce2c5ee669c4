package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

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
	if f.fail && len(c.Of(compare.Slower)) > 0 {
		return errRegression
	}
	return nil
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
