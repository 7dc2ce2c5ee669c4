package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/ab"
	"github.com/timerbench/timerbench/bench/scenario"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

type runFlags struct {
	structures string
	workloads  string
	scenarios  []string
	profile    string
	lean       bool
	memory     float64 // GB; 0: what is available
	sizes      sizes
	seed       uint64
	trials     int
	budget     time.Duration
	layouts    int
	layout     int
	turns      bench.Turns
	shard      string
	resume     bool
	dryRun     bool
	out        string
	json       string

	budgetGiven, layoutsGiven bool
	typed                     []string // the flags that a run of one layout needs
	command                   string
}

func newRun() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Measure structures on workloads",
		Long: `Measure structures on workloads and write ` + resultsFile + ` and ` + benchfmtFile + ` (for benchstat) into
the folder of the run. A complete run is never replaced.

Filters are regular expressions, unanchored as those of go test: "wheel" chooses
wheel and hwheel, "^wheel$" chooses wheel alone.

All contenders of a cell get the same rounds at first. The rest of --budget goes to
cells in which it is not known who is the best: contenders that are clearly beaten drop
out, the others get more rounds.

With --lean the loops do nothing but the operations of a workload, where others take several
nanoseconds more to prove each one. They are for structures of a few nanoseconds. The first
block of each cell is proved, and the counts after each further one. Beside the structures stand
what such loops take by themselves (null), with records to keep (stub), what an access
to memory takes, and Go's own timers. Up to 1e8 timers take part. Structures that do not fit
into memory together are measured one after the other, and the results say so.

Ctrl-C keeps what is finished, and --resume goes on with it: with the flags of the
interrupted run, on the same machine and of the same build.`,
		Example: `  timerbench run
  timerbench run --profile smoke --out /tmp/try
  timerbench run --structure 'heap|^hwheel$' --workload '^hold$' --n 1e3,1e6 --trials 12
  timerbench run --dry-run --profile full
  timerbench run --lean --structure '^hwheel$|quad' --workload churn --n 1e5,1e6
  timerbench run --out /tmp/try --resume
  timerbench run --profile smoke --json - | jq '.cells[].workload'
  timerbench run --scenario scenarios/api-gateway.toml
  benchstat -col /structure -row /workload,/n ` + runsFolder + `/` + latestLink + `/` + benchfmtFile,
		Args: cobra.NoArgs,
		RunE: stoppable(func(ctx context.Context, cmd *cobra.Command, _ []string) error {
			f.budgetGiven, f.layoutsGiven = cmd.Flags().Changed("budget"), cmd.Flags().Changed("layouts")
			cmd.Flags().Visit(func(flag *pflag.Flag) {
				if flag.Name != "budget" && !slices.Contains(flagsOfPlace, flag.Name) { // the layouts share the budget
					f.typed = append(f.typed, asFlags(flag)...)
				}
			})
			f.command = commandLine(cmd, nil)
			stdout := cmd.OutOrStdout()
			if f.turns.Rounds > 0 {
				f.turns.Wait = ab.WaitForTurn(cmd.InOrStdin(), stdout)
				stdout = io.Discard
			}
			return f.run(ctx, stdout, cmd.ErrOrStderr())
		}),
	}
	flags := cmd.Flags()
	f.addChoice(flags, "normal")
	flags.BoolVar(&f.lean, "lean", false, "short for --profile lean")
	cmd.MarkFlagsMutuallyExclusive("lean", "profile")
	flags.Float64Var(&f.memory, "memory", 0, "most memory to take, in `GB` (default: what is available)")
	flags.IntVar(&f.trials, "trials", 0, "rounds that every contender gets (default: the profile's); below 6 there is no 95 % interval. Without --budget there is no racing then")
	flags.DurationVar(&f.budget, "budget", 0, "time of the run, of which racing gets what is left; 0: no racing (default: the profile's)")
	flags.IntVar(&f.layouts, "layouts", 0, "number of builds with different code layouts among which the run is repeated; needs the Go toolchain (default: the profile's)")
	flags.IntVar(&f.layout, "layout", 0, "the layout of this build")
	_ = flags.MarkHidden("layout")
	flags.IntVar(&f.turns.Rounds, "turns", 0, "measure that many rounds, each trial of them in a turn that a session of ab gives")
	flags.BoolVar(&f.turns.Kinds, "kinds", false, "in turns, measure the times of the kinds of operations too")
	_, _ = flags.MarkHidden("turns"), flags.MarkHidden("kinds")
	flags.StringVar(&f.shard, "shard", "", "measure one `part` of the run only, such as 2/8; see timerbench merge")
	flags.BoolVar(&f.resume, "resume", false, "go on with the interrupted run in the folder of --out")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print what would be measured and how long it takes, and measure nothing")
	flags.StringVarP(&f.out, "out", "o", "", outHelp)
	flags.StringVar(&f.json, "json", "", "also write the results to this `file` at the end; - is the standard output, and all else goes to the standard error then")
	return cmd
}

// addChoice adds the flags that choose the cells of a run.
func (f *runFlags) addChoice(flags *pflag.FlagSet, profile string) {
	var profiles []string
	for _, p := range bench.Profiles() {
		profiles = append(profiles, fmt.Sprintf("%s (%s)", p.Name, p.Doc))
	}
	flags.StringVarP(&f.structures, "structure", "s", "", "run the structures that match this regular `expression`")
	flags.StringVarP(&f.workloads, "workload", "w", "", "run the workloads that match this regular `expression` (default: the profile's)")
	flags.StringArrayVar(&f.scenarios, "scenario", nil, "run the workload in this scenario `file`, and no built-in one unless --workload is given; can be repeated")
	flags.StringVarP(&f.profile, "profile", "p", profile, "how much to run: "+strings.Join(profiles, ", "))
	flags.VarP(&f.sizes, "n", "n", "numbers of resident timers, such as 1000,1e6 (default: the profile's)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of every script: the same seed, the same operations on any machine")
}

func (f *runFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	cfg, err := f.config(stderr)
	if err != nil {
		return err
	}
	if f.dryRun {
		printPlan(stdout, cfg)
		return nil
	}
	return measure(ctx, cfg, target{folder: f.out, memory: uint64(f.memory * 1e9), resume: f.resume, json: f.json, flags: f.typed}, stdout, stderr)
}

// config turns flags into a configuration, or says which value is wrong.
func (f *runFlags) config(stderr io.Writer) (bench.Config, error) {
	cfg := bench.Config{N: f.sizes, Seed: f.seed, Trials: f.trials, Command: f.command}
	var err error
	cfg.Structures, err = match("structure", catalog.All(), func(e catalog.Entry) string { return e.Name }, f.structures)
	if err != nil {
		return cfg, err
	}
	if f.lean {
		f.profile = "lean"
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
	cfg.Budget, cfg.Layout, cfg.Layouts = f.budget, f.layout, f.layouts
	if !f.budgetGiven && f.trials == 0 {
		cfg.Budget = cfg.Profile.Budget
	}
	if !f.layoutsGiven {
		cfg.Layouts = cfg.Profile.Layouts
	}
	if f.turns.Rounds > 0 {
		cfg.Turns = &f.turns
	}
	if cfg.Budget < 0 {
		return cfg, fmt.Errorf("--budget %s: want a time, or 0 for no racing", cfg.Budget)
	}
	if cfg.Layouts < 0 {
		return cfg, fmt.Errorf("--layouts %d: want at least 1", cfg.Layouts)
	}
	if f.shard != "" {
		if cfg.Shard, err = bench.ParseShard(f.shard); err != nil {
			return cfg, fmt.Errorf("--shard %w", err)
		}
	}
	if f.resume && f.out == "" {
		return cfg, errors.New("--resume: want the folder of the interrupted run in --out")
	}
	if f.memory < 0 {
		return cfg, fmt.Errorf("--memory %g: want a number of GB above 0", f.memory)
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
