package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2/maybe"
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/scenario"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

// The files of a run, in its output directory.
const (
	resultsFile  = "results.json"
	benchfmtFile = "bench.txt"
)

type runFlags struct {
	structures string
	workloads  string
	scenarios  []string
	profile    string
	sizes      sizes
	seed       uint64
	trials     int
	out        string
}

func newRun() *cobra.Command {
	var f runFlags
	var profiles []string
	for _, p := range bench.Profiles() {
		profiles = append(profiles, fmt.Sprintf("%s (%s)", p.Name, p.Doc))
	}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Measure structures on workloads",
		Long: `Measure structures on workloads and write ` + resultsFile + ` and ` + benchfmtFile + ` (for benchstat).

Filters are regular expressions, unanchored as those of go test: "wheel" chooses
wheel and hwheel, "^wheel$" chooses wheel alone. Ctrl-C keeps what is finished.`,
		Example: `  timerbench run
  timerbench run --profile smoke --out /tmp/try
  timerbench run --structure 'heap|^hwheel$' --workload '^hold$' --n 1e3,1e6 --trials 12
  timerbench run --scenario scenarios/api-gateway.toml
  benchstat -col /structure -row /workload,/n out/` + benchfmtFile,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.structures, "structure", "s", "", "run the structures that match this regular `expression`")
	flags.StringVarP(&f.workloads, "workload", "w", "", "run the workloads that match this regular `expression` (default: the profile's)")
	flags.StringArrayVar(&f.scenarios, "scenario", nil, "run the workload in this scenario `file`, and no built-in one unless --workload is given; can be repeated")
	flags.StringVarP(&f.profile, "profile", "p", "normal", "how much to run: "+strings.Join(profiles, ", "))
	flags.VarP(&f.sizes, "n", "n", "numbers of resident timers, such as 1000,1e6 (default: the profile's)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of every script: the same seed, the same operations on any machine")
	flags.IntVar(&f.trials, "trials", 0, "timed trials of each kind (default: the profile's); below 6 there is no 95 % interval")
	flags.StringVarP(&f.out, "out", "o", "out", "`directory` for the results")
	return cmd
}

func (f *runFlags) run(ctx context.Context, stderr io.Writer) error {
	cfg, err := f.config(stderr)
	if err != nil {
		return err
	}
	return measure(ctx, cfg, f.out, stderr)
}

// measure runs cfg and writes the results, step by step, into the directory out.
func measure(ctx context.Context, cfg bench.Config, out string, stderr io.Writer) error {
	if err := writable(out); err != nil {
		return err
	}
	path := filepath.Join(out, resultsFile)
	saved := false
	cfg.Checkpoint = func(r *results.Run) error {
		saved = true
		return save(out, r)
	}
	progress := newProgress(stderr)
	cfg.Progress = progress.show
	_, err := bench.Run(ctx, cfg)
	progress.end()
	switch {
	case err == nil:
		fmt.Fprintf(stderr, "results are in %s; draw them with: timerbench report --out %s\n", path, out)
	case errors.Is(err, context.Canceled) && saved:
		fmt.Fprintf(stderr, "the steps that were finished are in %s\n", path)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "no step was finished, nothing is written")
	}
	return err
}

// config turns flags into a configuration, or says which value is wrong.
func (f *runFlags) config(stderr io.Writer) (bench.Config, error) {
	cfg := bench.Config{N: f.sizes, Seed: f.seed, Trials: f.trials}
	var err error
	cfg.Structures, err = match("structure", catalog.All(), func(e catalog.Entry) string { return e.Name }, f.structures)
	if err != nil {
		return cfg, err
	}
	profile, err := match("profile", bench.Profiles(), func(p bench.Profile) string { return p.Name }, "^"+f.profile+"$")
	if err != nil {
		return cfg, err
	}
	cfg.Profile = profile[0]
	cfg.Workloads, err = f.chosenWorkloads(cfg.Profile)
	if err != nil {
		return cfg, err
	}
	if f.trials < 0 {
		return cfg, fmt.Errorf("--trials %d: want at least 1, or 0 for the profile's", f.trials)
	}
	if f.trials > 0 && f.trials < 6 {
		fmt.Fprintf(stderr, "timerbench: --trials %d: fewer than 6 give no 95 %% interval of the median\n", f.trials)
	}
	return cfg, nil
}

// chosenWorkloads returns the built-in workloads and those of scenario files that
// were asked for; the profile's if none was.
func (f *runFlags) chosenWorkloads(profile bench.Profile) ([]workload.Workload, error) {
	written, err := scenario.Load(f.scenarios...)
	switch {
	case err != nil:
		return nil, err
	case f.workloads != "":
		builtIn, err := match("workload", workload.All(), func(w workload.Workload) string { return w.Name }, f.workloads)
		builtIn = slices.DeleteFunc(builtIn, func(b workload.Workload) bool {
			return slices.ContainsFunc(written, func(w workload.Workload) bool { return w.Name == b.Name }) // the same
		})
		return append(builtIn, written...), err
	case len(written) > 0:
		return written, nil
	}
	return profile.Workloads(), nil
}

// writable makes the output directory and tries it, so that a long run does not
// end in an error that was there from the start.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("--out %s: %w", dir, err)
	}
	probe, err := os.CreateTemp(dir, ".writable-*")
	if err != nil {
		return fmt.Errorf("--out %s: %w", dir, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// save writes both forms of the results, each whole or not at all.
func save(dir string, r *results.Run) error {
	if err := results.Write(filepath.Join(dir, resultsFile), r); err != nil {
		return err
	}
	var lines strings.Builder
	if err := results.WriteBenchfmt(&lines, r); err != nil {
		return err
	}
	if err := maybe.WriteFile(filepath.Join(dir, benchfmtFile), []byte(lines.String()), 0o644); err != nil {
		return fmt.Errorf("writing benchmark lines: %w", err)
	}
	return nil
}
