package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/atomicfile"
)

func newExport() *cobra.Command {
	var csv, benchfmt, hgrm bool
	var out string
	cmd := &cobra.Command{
		Use:   "export {--csv | --benchfmt | --hgrm} [FILE | FOLDER]",
		Short: "Write results for other programs",
		Long: `Write results for other programs:

  --csv       a line for each trial, for spreadsheets and data frames
  --benchfmt  the format of Go's benchmarks, for benchstat
  --hgrm      percentile files of HdrHistogram, for its plotters: one for each
              kind of call of each structure in each cell, into the folder of
              --out. They are made of the quantiles of results, and say so

Of a folder it takes the last complete run in it or in a folder below, as report does.`,
		Example: `  timerbench export --csv ` + runsFolder + `/` + latestLink + ` >trials.csv
  timerbench export --benchfmt -o new.txt && benchstat old.txt new.txt
  timerbench export --hgrm -o /tmp/latencies`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			from := runsFolder
			if len(args) > 0 {
				from = args[0]
			}
			if hgrm && (out == "" || out == "-") {
				return errors.New("--hgrm writes many files: want a folder for them in --out")
			}
			r, err := readResults(from)
			if err != nil {
				return err
			}
			write := results.WriteCSV
			switch {
			case hgrm:
				files, err := exportHgrm(out, r)
				if err == nil {
					fmt.Fprintf(cmd.ErrOrStderr(), "%d files are in %s\n", files, out)
				}
				return err
			case benchfmt:
				write = results.WriteBenchfmt
			}
			err = writeTo(cmp.Or(out, "-"), cmd.OutOrStdout(), func(w io.Writer) error { return write(w, r) })
			if err != nil && out != "" {
				return fmt.Errorf("--out %s: %w", out, err)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&csv, "csv", false, "write a line for each trial")
	flags.BoolVar(&benchfmt, "benchfmt", false, "write benchmark lines")
	flags.BoolVar(&hgrm, "hgrm", false, "write percentile files")
	flags.StringVarP(&out, "out", "o", "", "`file`, or the folder of --hgrm (default: the standard output)")
	cmd.MarkFlagsOneRequired("csv", "benchfmt", "hgrm")
	cmd.MarkFlagsMutuallyExclusive("csv", "benchfmt", "hgrm")
	return cmd
}

// exportHgrm writes the percentile files and returns their number.
func exportHgrm(folder string, r *results.Run) (files int, err error) {
	for _, c := range r.Cells {
		for _, row := range c.Rows {
			for _, l := range row.Latency {
				if err := os.MkdirAll(folder, 0o755); err != nil {
					return files, fmt.Errorf("--out %s: %w", folder, err)
				}
				name := fmt.Sprintf("%s-%d-%s-%s.hgrm", c.Workload, c.N, row.Structure, l.Kind)
				path := filepath.Join(folder, strings.ReplaceAll(name, "/", "-"))
				if err := atomicfile.Write(path, func(w io.Writer) error { return results.WriteHgrm(w, l) }); err != nil {
					return files, fmt.Errorf("%s: %w", path, err)
				}
				files++
			}
		}
	}
	if files == 0 {
		return 0, errors.New("the results hold no latencies, of which percentile files could be made")
	}
	return files, nil
}
