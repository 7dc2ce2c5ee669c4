package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/external"
)

func newExternal() *cobra.Command {
	return group(&cobra.Command{
		Use:   "external",
		Short: "Print a starter program in another language",
	}, &cobra.Command{
		Use:   "init LANGUAGE | FILE",
		Short: "Print a small program to start from, or the file that it needs",
		Long: `Print a small program in C, Rust or Python that can take part in a run. Replace
its structure with your own. The program needs a file with the protocol, which
this command also prints: timerbench.h, timerbench.rs or timerbench.py.`,
		Example: `  timerbench external init c >start.c
  timerbench external init timerbench.h >timerbench.h
  cc -O2 -o mine start.c
  timerbench verify --external ./mine`,
		Args:      argsFrom(1, 1, "one of "+strings.Join(external.StartNames(), ", ")),
		ValidArgs: external.StartNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := external.StartFile(args[0])
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(file)
			return err
		},
	})
}

func verifyPrograms(cmd *cobra.Command, values []string, traces string, asJSON bool) error {
	specs, err := external.Parse(values, nil)
	if err != nil {
		return fmt.Errorf("--external %w", err)
	}
	files, err := filepath.Glob(filepath.Join(traces, "*.trace"))
	if err == nil && len(files) == 0 && cmd.Flags().Changed("traces") {
		err = fmt.Errorf("--traces %s: want a folder with files *.trace", traces)
	}
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	var failed []string
	verdicts := []external.Verdict{}
	for _, s := range specs {
		v, err := external.Verify(cmd.Context(), s, files, external.DefaultLimits)
		if err != nil {
			return err
		}
		if verdicts = append(verdicts, v); !v.OK {
			failed = append(failed, v.Program)
		}
		if !asJSON {
			fmt.Fprintln(out, strings.Join(v.Lines(), "\n  "))
		}
	}
	if asJSON {
		err = printJSON(out, verdicts)
	}
	if len(failed) > 0 {
		err = errors.Join(err, errors.New("these programs fail: "+strings.Join(failed, ", ")))
	}
	return err
}
