package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/scenario"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
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
		Long: `Measure structures on workloads and write ` + resultsFile + ` and ` + benchfmtFile + ` (for benchstat) into
the folder of the run. A complete run is never replaced.

Filters are regular expressions, unanchored as those of go test: "wheel" chooses
wheel and hwheel, "^wheel$" chooses wheel alone. Ctrl-C keeps what is finished.`,
		Example: `  timerbench run
  timerbench run --profile smoke --out /tmp/try
  timerbench run --structure 'heap|^hwheel$' --workload '^hold$' --n 1e3,1e6 --trials 12
  timerbench run --scenario scenarios/api-gateway.toml
  benchstat -col /structure -row /workload,/n ` + runsFolder + `/` + latestLink + `/` + benchfmtFile,
		Args: cobra.NoArgs,
		RunE: stoppable(func(ctx context.Context, cmd *cobra.Command, _ []string) error {
			return f.run(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
		}),
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.structures, "structure", "s", "", "run the structures that match this regular `expression`")
	flags.StringVarP(&f.workloads, "workload", "w", "", "run the workloads that match this regular `expression` (default: the profile's)")
	flags.StringArrayVar(&f.scenarios, "scenario", nil, "run the workload in this scenario `file`, and no built-in one unless --workload is given; can be repeated")
	flags.StringVarP(&f.profile, "profile", "p", "normal", "how much to run: "+strings.Join(profiles, ", "))
	flags.VarP(&f.sizes, "n", "n", "numbers of resident timers, such as 1000,1e6 (default: the profile's)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of every script: the same seed, the same operations on any machine")
	flags.IntVar(&f.trials, "trials", 0, "timed trials of each kind (default: the profile's); below 6 there is no 95 % interval")
	flags.StringVarP(&f.out, "out", "o", "", outHelp)
	return cmd
}

func (f *runFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	cfg, err := f.config(stderr)
	if err != nil {
		return err
	}
	return measure(ctx, cfg, f.out, stdout, stderr)
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
