package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report"
)

func newReport() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "report [FILE | FOLDER]",
		Short: "Draw charts and tables from results, without running again",
		Long: `Draw charts (PNG and SVG) and the report from a results file: ` + report.HTMLPage + `, one file
that needs no other, and ` + report.Page + `, which shows the charts beside it. Of a folder
it draws the last complete run in it or in a folder below. Charts and pages go
where the results are. It ends with the name of the page, and with the answers to
three typical questions, if the run is whole (see recommend), or to that of a trace.`,
		Example: `  timerbench report
  timerbench report ` + runsFolder + `/2026-11-21-073012-normal
  timerbench report /tmp/try/` + resultsFile + ` --out /tmp/charts`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			from, to := runsFolder, out
			switch {
			case len(args) > 0:
				from = args[0]
			case out != "":
				from, to = out, ""
			}
			path, err := locate(from)
			if err != nil {
				return err
			}
			if to == "" {
				to = filepath.Dir(path)
			}
			r, err := results.Read(path)
			if err != nil {
				return err
			}
			if err := report.Write(to, r); err != nil {
				return err
			}
			if len(r.Parameters.Traces) > 0 || bench.Whole(r.Parameters) {
				showTypical(cmd.OutOrStdout(), r)
			} else {
				fmt.Fprintf(cmd.OutOrStdout(), "This run is a part of the comparison. An answer takes all of it: %s\n", asTyped("recommend", "--n", "1e6"))
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "the report of %s is %s\n", path, filepath.Join(to, report.HTMLPage))
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "`folder` for the charts and the pages (default: that of the results); by itself, the folder of the results too")
	return cmd
}
