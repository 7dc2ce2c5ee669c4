package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/compare"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

// exitCodes is a part of the help of the commands that compare.
const exitCodes = `Exit codes: 0 if the comparison was made, whatever it found. 2 if it was not: a bad
flag, a file that cannot be read, nothing in common. --fail-on-regression changes
one thing: the code is 1 if at least one row of the table says slower, that is, if
a loss is significant and large enough. Rows that are faster, structures that are
on one side only, and notes never change the code.`

// compareFlags are the flags of the commands that compare.
type compareFlags struct {
	alpha     float64
	minEffect share
	kinds     bool
	fail      bool
}

func (f *compareFlags) add(cmd *cobra.Command) {
	f.minEffect = 0.05
	flags := cmd.Flags()
	flags.Float64Var(&f.alpha, "alpha", 0.05, "probability of at least one false difference in the whole table")
	flags.Var(&f.minEffect, "min-effect", "smallest difference that counts, such as 5% or 0.05; the noise floor of the cell counts if it is larger")
	flags.BoolVar(&f.kinds, "kinds", false, "compare the times of schedule, cancel, fire and so on too")
	flags.BoolVar(&f.fail, "fail-on-regression", false, "exit with code 1 if a row is slower")
}

func (f *compareFlags) options() (compare.Options, error) {
	o := compare.Options{Alpha: f.alpha, MinEffect: float64(f.minEffect), Kinds: f.kinds}
	if err := o.Check(); err != nil {
		return o, fmt.Errorf("--alpha %v, --min-effect %s: %w", f.alpha, f.minEffect.String(), err)
	}
	return o, nil
}

func newCompare() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare OLD NEW",
		Short: "Compare the results of two builds or of two runs",
		Long: `Compare the results of two builds or of two runs: for each structure in each cell
the cost in NEW divided by that in OLD, with its interval. OLD and NEW are results
files or folders, as for report.

A ratio counts as a difference if it is significant after Holm's correction for
all rows, above --min-effect and above the noise floors of the cell in both files.
Of two runs that did not take turns it must also stand out from the ratios of the
other structures, which show what the machine did. To compare two builds, use ab.

` + exitCodes,
		Example: `  timerbench compare out/2026-11-21-073012-normal ` + runsFolder + `/` + latestLink + `
  timerbench compare --min-effect 2% --fail-on-regression old/results.json new/results.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("compare: %d arguments, want two: the old results and the new ones", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.options()
			if err != nil {
				return err
			}
			var runs [2]*results.Run
			for i, name := range []string{"OLD", "NEW"} {
				if runs[i], err = readResults(args[i]); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
			c, err := compare.Runs(runs[0], runs[1], o)
			if err != nil {
				return fmt.Errorf("%s and %s: %w", args[0], args[1], err)
			}
			return f.print(cmd.OutOrStdout(), c)
		},
	}
	f.add(cmd)
	return comparing(cmd)
}

// readResults reads a results file, or the one of a folder that locate chooses.
func readResults(path string) (*results.Run, error) {
	file, err := locate(filepath.Clean(path))
	if err != nil {
		return nil, err
	}
	return results.Read(file)
}

// print prints a comparison. It returns errRegression if the user has asked for it.
func (f *compareFlags) print(out io.Writer, c *compare.Comparison) error {
	header := table.Row{"workload", "n", "structure", "per", "old ns", "new ns", "new/old", "95 %"}
	if !c.Session {
		header = append(header, "beside others")
	}
	t := newTable(append(header, "p", "counts from", "")...)
	for _, r := range c.Rows {
		row := table.Row{r.Workload, r.N, r.Structure, r.Op, nanoseconds(r.Old), nanoseconds(r.New), times(r.Ratio.Center), interval(r.Ratio)}
		if !c.Session {
			row = append(row, times(r.Beside.Center))
		}
		t.AppendRow(append(row, probability(r.P), fmt.Sprintf("%.1f %%", 100*r.Least), string(r.Verdict)))
	}
	fmt.Fprintln(out, aligned(t, 5, 7))
	for _, note := range c.Notes {
		fmt.Fprintln(out, "note:", note)
	}
	fmt.Fprintln(out, c.Sentence())
	if f.fail && len(c.Of(compare.Slower)) > 0 {
		return errRegression
	}
	return nil
}

func times(ratio float64) string { return fmt.Sprintf("%.3f", ratio) }

func interval(r stats.Ratio) string {
	if !r.Bounded() {
		return "–"
	}
	return fmt.Sprintf("%.3f to %.3f", r.Lo, r.Hi)
}

func probability(p float64) string {
	switch {
	case math.IsNaN(p):
		return "–"
	case p < 0.001:
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// share is a flag: a part of the whole, as "5%" or 0.05.
type share float64

func (s *share) String() string { return strconv.FormatFloat(100*float64(*s), 'g', -1, 64) + "%" }

func (s *share) Type() string { return "share" }

func (s *share) Set(text string) error {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
		return fmt.Errorf("%q: want a share of at least 0, such as 5%% or 0.05", text)
	}
	if percent {
		x /= 100
	}
	*s = share(x)
	return nil
}
