// The commands that write pages: report draws a run, or compares runs, and explain shows one structure. They read results and never
// measure, so that a page can be made again from its file.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/catalog"
)

func newReport() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "report [FILE | FOLDER]...",
		Short: "Draw charts and tables from results, without running again",
		Long: `Draw the charts (SVG) and the report of a results file. ` + report.HTMLPage + ` is
a single file; ` + report.Page + ` shows the charts in the folder ` + report.Charts + `. For a
folder, report takes the last complete run in the folder or in its direct
subfolders. If the run is whole (see recommend), it also prints the answers to
three typical questions. For traces it prints theirs.

For several results it prints one table: does the structure to take in each cell
hold on all machines, and what does it cost there?`,
		Example: `  timerbench report
  timerbench report ` + store.Parent + `/2026-11-21-073012-normal
  timerbench report /tmp/try/` + store.FileName + ` --out /tmp/charts
  timerbench report ` + latest + ` ` + keptFolder + `/*.json.gz`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				if out != "" {
					return errors.New("--out: several results have no page: want one file or folder")
				}
				var list []results.Named
				for _, path := range args {
					r, path, err := store.Read(path)
					if err != nil {
						return err
					}
					list = append(list, results.Named{Name: path, Run: r})
				}
				begin(cmd)
				fmt.Fprintln(cmd.OutOrStdout(), report.Machines(list, catalog.All()))
				return nil
			}
			r, path, err := store.Read(append(args, store.Parent)[0])
			if err != nil {
				return err
			}
			to := cmp.Or(out, filepath.Dir(path))
			if err := writableFolder(to); err != nil {
				return err
			}
			begin(cmd)
			if err := report.Write(to, answer.Of(r, catalog.All()), ofKept); err != nil {
				return err
			}
			if len(r.Parameters.Traces) > 0 || bench.Whole(r.Parameters, catalog.All()) {
				showTypical(cmd.OutOrStdout(), r)
			} else {
				fmt.Fprintf(cmd.OutOrStdout(),
					"This run is only a part of the comparison. For an answer from all of it: %s\n", asTyped("recommend", "--n", "1e6"))
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "the report of %s is %s\n", path, filepath.Join(to, report.HTMLPage))
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "",
		"`folder` for the charts and pages (default: the folder of the results)")
	return cmd
}

// ofKept returns the verdict of the runs that are part of this program.
func ofKept() (answer.Verdict, error) {
	runs, err := kept.All()
	return answer.VerdictOf(runs, catalog.All()), err
}

// showTypical prints the answers to the first questions of the page of a run.
func showTypical(out io.Writer, r *results.Run) {
	a := answer.Of(r, catalog.All()).Adviser()
	for _, q := range a.First() {
		if x, err := a.Answer(q); err == nil {
			fmt.Fprintln(out, show.Wrapped(fmt.Sprintf("%s: %s", q.Words(), strings.Join(x.Lines, " "))))
		}
	}
}

func newExplain() *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "explain STRUCTURE",
		Short: "Show how a structure works, what it costs, and where it wins",
		Long: `Show how a structure works: draw a live instance after each operation, with its
counters of work. Also show its costs and guarantees, its users, and where it
wins and loses. The results are those of --results, or else the ones that
recommend uses.`,
		Example: `  timerbench explain hwheel
  timerbench explain quadheap-lazy --results ` + latest,
		Args: argsFrom(1, 1, "the name of a structure, see "+asTyped("list", "structures")),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := exactly("structure", allStructures(), nameOfStructure, args[0])
			if err != nil {
				return err
			}
			found, err := find(from)
			if err != nil {
				return fmt.Errorf("--results: %w", err)
			}
			if from == "" {
				fmt.Fprintln(cmd.ErrOrStderr(), "results:", strings.TrimSuffix(found.from+"; "+found.note, "; "))
			}
			begin(cmd)
			_, err = io.WriteString(cmd.OutOrStdout(), report.Explain(e, found.run, catalog.All()))
			return err
		},
	}
	cmd.Flags().StringVarP(&from, "results", "r", "", "results `file`, or folder of runs (default: the results that recommend uses)")
	return cmd
}
