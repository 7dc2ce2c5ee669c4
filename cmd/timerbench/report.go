package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report"
)

func newReport() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "report [results.json]",
		Short: "Draw charts and tables from results, without running again",
		Long: `Draw charts (PNG and SVG) and the report from a results file: ` + report.HTMLPage + `, one file
that needs no other, and ` + report.Page + `, which shows the charts beside it. Without an
argument the results are ` + resultsFile + ` in the output directory.`,
		Example: `  timerbench report
  timerbench report /tmp/try/results.json --out /tmp/charts`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := filepath.Join(out, resultsFile)
			if len(args) > 0 {
				path = args[0]
			}
			r, err := results.Read(path)
			if err != nil {
				return err
			}
			if err := report.Write(out, r); err != nil {
				return err
			}
			fmt.Fprintln(cmd.ErrOrStderr(), "the report is", filepath.Join(out, report.HTMLPage))
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "out", "`directory` for the charts and the pages")
	return cmd
}
