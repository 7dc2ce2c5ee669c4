// The command that measures. Flags become one bench.Config (choice, which ab, count and verify share), the configuration one plan, and
// measure carries the plan out and saves as it goes: a run takes hours and may be ended at any time. trace replay measures so, too.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/compare"
	"github.com/timerbench/timerbench/bench/external"
	"github.com/timerbench/timerbench/bench/machine"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/bench/workload/scenario"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report"
	"github.com/timerbench/timerbench/structures/catalog"
)

// choice contains the flags that choose the cells of a run, and the resulting configuration.
type choice struct {
	cfg                            bench.Config
	structures, workloads, profile string
	scenarios                      []string
}

// add adds the flags. The values in c are their defaults; n describes the default of --n.
func (c *choice) add(flags *pflag.FlagSet, n string) {
	scenarios := ", and no built-in workload unless --workload is given"
	if c.workloads != "" {
		scenarios = " too"
	}
	profiles := names(bench.Profiles(), func(p bench.Profile) string { return p.Name + " (" + p.Doc + ")" })
	c.addCells(flags, n)
	flags.StringArrayVar(&c.scenarios, "scenario", nil, "run the workload in this scenario `file`"+scenarios+"; can be repeated")
	flags.StringVarP(&c.profile, "profile", "p", c.profile, "how much to run: "+strings.Join(profiles, ", "))
}

// addCells adds the flags that choose cells, without --profile and --scenario.
func (c *choice) addCells(flags *pflag.FlagSet, n string) {
	workloads := "workloads whose names match this regular `expression`"
	if c.workloads == "" {
		workloads += " (default: the profile's)"
	}
	flags.StringVarP(&c.structures, "structure", "s", "", "structures whose names match this regular `expression`")
	flags.StringVarP(&c.workloads, "workload", "w", c.workloads, workloads)
	flags.VarP((*sizes)(&c.cfg.N), "n", "n", "numbers of resident timers, such as 1000,1e6 (default"+n+")")
	flags.Uint64Var(&c.cfg.Seed, "seed", 1, "seed of every script; a seed gives the same operations on any machine")
}

// ofProfile describes the default of --n for commands with --profile.
const ofProfile = ": the profile's"

// complete builds the configuration from the flags. Its error names the wrong value.
func (c *choice) complete() (err error) {
	if c.cfg.Structures, err = matchStructures(c.structures); err != nil {
		return err
	}
	c.cfg.Profile, err = exactly("profile", bench.Profiles(), func(p bench.Profile) string { return p.Name }, c.profile)
	if err != nil {
		return err
	}
	// The built-in workloads of --workload and the files of --scenario, or else the profile's.
	written, err := scenario.Load(c.scenarios...)
	if err != nil {
		return err
	}
	var builtIn []workload.Workload
	switch {
	case c.workloads != "":
		builtIn, err = match("workload", workload.All(), nameOfWorkload, c.workloads, names(c.cfg.Traces, (*bench.Trace).Name)...)
		builtIn = slices.DeleteFunc(builtIn, func(b workload.Workload) bool {
			return slices.Contains(names(written, nameOfWorkload), b.Name) // the file describes the built-in workload
		})
	case len(written) == 0:
		builtIn = c.cfg.Profile.Workloads()
	}
	c.cfg.Workloads = append(builtIn, written...)
	return err
}

type runFlags struct {
	choice
	resume, dryRun bool
	csv            bool
	traces         string
	external       []string
	out            string
}

// mostRounds is the largest value of --trials, --rounds and --pairs, far above useful ones (chosen).
const mostRounds = 10_000

func newRun() *cobra.Command {
	f := runFlags{choice: choice{profile: "normal"}}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Measure structures on workloads",
		Long: `Measure structures on workloads and write ` + store.FileName + ` and ` + store.Benchmarks + ` (for
benchstat) into the folder of the run. A complete run is never replaced.

Filters are regular expressions, unanchored like those of go test: "wheel"
matches wheel and hwheel, "^wheel$" matches only wheel.

--budget limits the time of the run: slower structures drop out, and what does
not fit is left out. The results list everything that was not measured.

Ctrl-C keeps the finished steps. --resume continues with them; it needs the same
flags, machine and build.`,
		Example: `  timerbench run
  timerbench run --profile smoke --out /tmp/try
  timerbench run -s 'heap|^hwheel$' -w '^hold$' --n 1e3,1e6 --trials 12
  timerbench run --dry-run --profile full
  timerbench run --out /tmp/try --resume
  timerbench run --scenario scenarios/api-gateway.toml
  benchstat -col /structure -row /workload,/n ` + latest + `/` + store.Benchmarks,
		Args: noArgs,
		RunE: stoppable(f.run),
	}
	flags := cmd.Flags()
	f.add(flags, ofProfile)
	flags.IntVar(&f.cfg.Trials, "trials", 0,
		"rounds of every contender (default: the profile's); fewer than 6 show no small difference. Without --budget it lifts the time limit")
	flags.DurationVar(&f.cfg.Budget.Limit, "budget", 0, "time limit of the run; 0: none (default: the profile's)")
	flags.IntVar(&f.cfg.Rounds, "turns", 0, "measure this many rounds, each trial in a turn of a session of ab")
	_ = flags.MarkHidden("turns")
	flags.StringArrayVar(&f.external, "external", nil,
		"also measure a `program` in any language: its command, name=command, or a TOML file with a list; can be repeated, see docs/external.md")
	flags.StringVar(&f.traces, "traces", "", "also replay the traces in this `folder`; --workload chooses among them too")
	flags.BoolVar(&f.csv, "csv", false, "print the cost of each structure in each cell as comma-separated values, and no summary")
	flags.BoolVar(&f.resume, "resume", false, "continue the interrupted run in the folder of --out")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the plan and its estimated time, and measure nothing")
	flags.StringVarP(&f.out, "out", "o", "", outHelp)
	cmd.MarkFlagsMutuallyExclusive("csv", "dry-run")
	return cmd
}

// run completes the configuration, and prints its plan or measures. An error of a flag names the wrong value.
func (f *runFlags) run(cmd *cobra.Command, _ []string) (err error) {
	cfg := &f.cfg
	if cfg.Traces, err = f.recordings(cmd.ErrOrStderr()); err != nil {
		return fmt.Errorf("--traces: %w", err)
	}
	if err := f.complete(); err != nil {
		return err
	}
	cfg.Command = commandLine(cmd, nil)
	if !cmd.Flags().Changed("budget") && cfg.Trials == 0 {
		cfg.Budget = cfg.Profile.Budget
	}
	taken := append(names(allStructures(), nameOfStructure), results.IntrusiveFloor, bench.FloorName)
	if cfg.External, err = external.Parse(f.external, taken); err != nil {
		return fmt.Errorf("--external %w", err)
	}
	for _, t := range cfg.Traces {
		if err := t.Measurable(cmp.Or(cfg.Trials, cfg.Profile.Trials)); err != nil {
			return fmt.Errorf("--traces: %w", err)
		}
	}
	switch {
	case cfg.Budget.Limit < 0:
		return fmt.Errorf("--budget %s: want a time of at least 0; 0 means no limit", cfg.Budget.Limit)
	case f.resume && f.out == "":
		return errors.New("--resume: want the folder of the interrupted run in --out")
	case (cfg.Trials < 1 || cfg.Trials > mostRounds) && cmd.Flags().Changed("trials"):
		return fmt.Errorf("--trials %d: want a number from 1 to %d", cfg.Trials, mostRounds)
	case cfg.Trials > 0 && cfg.Trials < 6:
		fmt.Fprintf(cmd.ErrOrStderr(),
			"timerbench: --trials %d: fewer than 6 rounds show no small difference\n", cfg.Trials)
	}
	if f.dryRun {
		return printPlan(cmd.OutOrStdout(), *cfg)
	}
	return measure(cmd, *cfg, f.out, f.resume, f.csv)
}

func (f *runFlags) recordings(stderr io.Writer) ([]*bench.Trace, error) {
	if f.traces == "" {
		return nil, nil
	}
	files, err := filepath.Glob(filepath.Join(f.traces, "*.trace"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: want a folder with files *.trace", f.traces)
	}
	if err != nil {
		return nil, err
	}
	all, err := openTraces(stderr, files, false)
	if chosen, bad := regexp.Compile(f.workloads); bad == nil { // choice.complete reports a bad expression
		all = slices.DeleteFunc(all, func(t *bench.Trace) bool { return !chosen.MatchString(t.Name()) })
	}
	return all, err
}

// printPlan prints the steps of a plan in order.
func printPlan(out io.Writer, cfg bench.Config) error {
	p, err := bench.NewPlan(cfg)
	if err != nil {
		return err
	}
	t := show.Table{Align: "lrrlr", Header: []string{"step", "contenders", "rounds", "blocks of a round", "about"}}
	for _, s := range p.Steps {
		all, most := s.Contenders()
		contenders := show.Grouped(all)
		if most < all {
			contenders = fmt.Sprintf("%d of %s", most, contenders)
		}
		rounds, blocks := s.Timed()
		timed := show.Unknown
		if rounds > 0 {
			timed = show.Grouped(rounds)
		}
		t.Add(s.Name, contenders, timed, blocks, about(s.Seconds))
	}
	fmt.Fprintln(out, t.Terminal())
	fmt.Fprintf(out, "%s, about %s on a machine with 2 cores at 2.5 GHz.\n", show.Count(len(p.Steps), "step"), about(p.Seconds()))
	if cfg.Budget.Limit > 0 {
		fmt.Fprintf(out, "Within %s: the steps in this order, as far as the time goes.\n", cfg.Budget.Limit)
	}
	return nil
}

// foretell prints the estimated time of what a command is about to do.
func foretell(out io.Writer, what string, seconds float64) {
	fmt.Fprintf(out, "%s: about %s\n", what, about(seconds))
}

// about formats an estimate of a time with few digits.
func about(seconds float64) string {
	switch {
	case seconds < 1:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 120:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 2*3600:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}

// measure runs cfg, saves the results in a folder as it goes, and prints a summary. An empty folder means a new one. again
// continues the run in the folder.
func measure(cmd *cobra.Command, cfg bench.Config, to string, again, csv bool) (err error) {
	ctx, stdout, stderr := cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	cfg.Environment = machine.Environment()
	if available, _ := machine.This().AvailableMemory(); available > 0 { // 0 where the system does not say
		cfg.Memory = available
		// Measuring delays the garbage collector; garbage must not exceed the available memory.
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(available)))
	}
	plan, err := bench.NewPlan(cfg)
	if err != nil {
		return err
	}
	var h bench.Hooks
	if cfg.Rounds > 0 {
		h.Turn = compare.WaitForTurn(cmd.InOrStdin(), stdout)
	}
	folder, err := openFolder(to, cfg.Profile.Name, again)
	if err != nil {
		return err
	}
	cleanUp(cmd, func() { _ = folder.Close() }) // it was asked to end at once
	defer func() { err = errors.Join(err, folder.Close()) }()
	if again {
		if h.Resume, err = resume(plan, folder, stderr); err != nil {
			return err
		}
	}
	begin(cmd)
	seconds := plan.Seconds()
	if limit := cfg.Budget.Limit; limit > 0 {
		seconds = min(seconds, limit.Seconds())
	}
	foretell(stderr, show.Count(len(plan.Steps), "step"), seconds)
	printMachine(stderr)
	r, lost, err := measureHere(ctx, plan, h, folder, stderr)
	if r == nil {
		return err
	}
	if cfg.Rounds == 0 { // a session of turns reads standard output
		summarize(stdout, r, csv)
	}
	switch {
	case r.Complete && !folder.Saved:
		return errors.Join(err, fmt.Errorf("--budget %s: too short for any cell on this machine, nothing was written", cfg.Budget.Limit))
	case r.Complete && folder.Saved: // even if a structure broke its contract
		if err := folder.MarkLatest(); err != nil {
			fmt.Fprintln(stderr, "timerbench:", err)
		}
		announce(stderr, folder)
	case folder.Saved && !lost:
		fmt.Fprintf(stderr,
			"the finished steps are in %s; to continue, repeat the command with --resume --out %s\n", folder.Results(), folder.Path)
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "no step was finished; nothing was written")
	}
	return err
}

// resume returns the interrupted run in the folder. It returns an error if that run has another plan.
func resume(plan *bench.Plan, folder *store.Folder, stderr io.Writer) (*results.Run, error) {
	r, err := store.ReadFile(folder.Results())
	if err != nil {
		return nil, fmt.Errorf("--resume: %s: %w", folder.Results(), err)
	}
	if err := plan.CheckResume(r); err != nil {
		return nil, fmt.Errorf("--resume: %s: %w; its command was: %s", folder.Results(), err, r.Command)
	}
	folder.Saved = true
	fmt.Fprintf(stderr, "kept: %s\n", show.Count(len(r.Done), "finished step"))
	return r, nil
}

// measureHere measures and saves. lost reports that the last save failed, so that the steps since the one before are lost.
func measureHere(ctx context.Context, plan *bench.Plan, h bench.Hooks, folder *store.Folder, stderr io.Writer) (r *results.Run, lost bool, err error) {
	var saved time.Time
	var took time.Duration
	var failed error // of the last save
	h.Checkpoint = func(r *results.Run) error {
		start := time.Now()
		switch {
		case len(r.Cells)+len(r.Calls) == 0 && r.Parameters.Budget > 0: // without a cell the budget was too short
			return nil
		case r.Complete:
			failed = store.Save(folder.Path, r)
		case start.Sub(saved) < 20*took: // each save writes the whole file
			return nil
		default:
			failed = store.Write(folder.Results(), r)
		}
		if failed == nil {
			folder.Saved, saved, took = true, time.Now(), time.Since(start)
		}
		return failed
	}
	progress := newProgress(stderr)
	h.Progress = progress.show
	defer progress.end()
	r, err = bench.Run(ctx, plan, h)
	if err != nil && failed == nil && folder.Saved && !r.Complete {
		failed = store.Save(folder.Path, r) // steps since the last save
		err = errors.Join(err, failed)
	}
	if failed != nil && folder.Saved {
		err = fmt.Errorf("%w\nthe steps before are in %s: make room there, then repeat the command with --resume --out %s", err, folder.Results(), folder.Path)
	}
	return r, failed != nil, err
}

// summarize prints the longest calls, a line for each cell of a run, and the structures that were the fastest most often.
// With few structures it also prints the cost of each in each cell, and with csv only these costs.
func summarize(out io.Writer, r *results.Run, csv bool) {
	const few = 8 // chosen: the page has tables of all
	switch costs, chosen := report.Costs(r, catalog.All()), len(r.Parameters.Structures); {
	case csv:
		fmt.Fprint(out, costs.CSV())
		return
	case 0 < chosen && chosen <= few && len(costs.Rows) > 0:
		fmt.Fprintln(out, costs.Terminal())
	}
	t := show.Table{Align: "llrrlr", Header: []string{"workload", "structure", "n", "longest call, µs", "operation", "at tick"}}
	for _, c := range r.Calls {
		longest := c.Max()
		t.Add(c.Workload, c.Structure, show.Grouped(c.N), show.Figure(longest.NS/1e3), string(longest.Operation), show.Grouped(int64(longest.At)))
	}
	if len(r.Calls) > 0 {
		fmt.Fprintln(out, t.Terminal())
	}
	fmt.Fprint(out, report.Summary(r, catalog.All()))
}

func newDoctor() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Report what makes times on this machine unreliable",
		Long: `Report what makes times on this machine unreliable, and what to do about it:
load, frequency, virtual machine, memory, limits and huge pages.

A finding is ok, warn or unavailable. Warnings do not change the exit code:
measuring on such a machine is possible, with wider intervals.`,
		Example: "  timerbench doctor",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t := show.Table{Align: "l", Header: []string{"check", "verdict", "finding", "what to do"}}
			for _, f := range machine.This().Check() {
				t.Add(f.Check, f.Verdict, f.Value, f.Advice)
			}
			fmt.Fprintln(cmd.OutOrStdout(), t.Terminal())
			return nil
		},
	}
}

func printMachine(out io.Writer) {
	fmt.Fprintf(out, "machine: %s; more: %s\n", machine.Summary(machine.This().Check()), asTyped("doctor"))
}
