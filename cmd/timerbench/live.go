// The command that measures on the real clock. Its results join those of run in one folder (--into), so that one page has both.

package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/live"
	"github.com/timerbench/timerbench/bench/machine"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/section"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

type liveFlags struct {
	cfg        live.Config
	structures string
	ticks      []time.Duration
	sizes      sizes
	out, into  string
}

func newLive() *cobra.Command {
	f := liveFlags{cfg: live.Default()}
	cmd := &cobra.Command{
		Use:   "live",
		Short: "Measure timers on the real clock, next to Go's own",
		Long: `Measure package driver over structures, next to Go's own timers: processor
time of operations and loops of users among many pending timers, lateness and
wake-ups under an open-loop load, memory, and garbage collections. Timers that
fire early, twice or not at all get no figures.

live writes ` + store.FileName + ` into the folder of the run.`,
		Example: `  timerbench live
  timerbench live -s '^(auto|minheap)$'
  timerbench live -s . --n 1e5 --for 2m`,
		Args: noArgs,
		RunE: stoppable(f.run),
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.structures, "structure", "s", "^auto$", "structures whose names match this regular `expression`")
	flags.DurationSliceVar(&f.ticks, "tick", nil, "`lengths` of the tick of a driver, 1µs to 1s (default that of package driver)")
	flags.IntSliceVarP(&f.cfg.Goroutines, "goroutines", "g", f.cfg.Goroutines,
		"`numbers` of goroutines of the loops; the first one is that of the other operations")
	flags.VarP(&f.sizes, "n", "n", "numbers of resident timers, such as 1e5,1e6 (default 1e5)")
	flags.DurationVar(&f.cfg.For, "for", f.cfg.For, "approximate total time")
	flags.StringVarP(&f.out, "out", "o", "", newFolder+")")
	flags.StringVar(&f.into, "into", "", "add the results to this `folder` of a run, which keeps those among other numbers of timers, instead of a new folder")
	cmd.MarkFlagsMutuallyExclusive("out", "into")
	return cmd
}

func (f *liveFlags) run(cmd *cobra.Command, _ []string) (err error) {
	stderr := cmd.ErrOrStderr()
	if err := f.configure(stderr); err != nil {
		return err
	}
	folder, r, err := f.open()
	if err != nil {
		return err
	}
	cleanUp(cmd, func() { _ = folder.Close() }) // it was asked to end at once
	defer func() { err = errors.Join(err, folder.Close()) }()
	foretell(stderr, show.Count(len(f.cfg.Contenders), "contender"), f.cfg.For.Seconds())
	progress := newProgress(stderr)
	f.cfg.Progress = func(done, total int, name string) {
		begin(cmd)
		progress.step(done, total, name)
	}
	measured, failures, interrupted := live.Run(cmd.Context(), f.cfg)
	if progress.end(); measured == nil {
		return interrupted
	}
	r.Complete = r.Complete && interrupted == nil
	measured.Add(r.Live)
	r.Live, r.Failures = measured, append(r.Failures, failures...)
	if err := store.Save(folder.Path, r); err != nil {
		return err
	}
	folder.Saved = true
	out, env := cmd.OutOrStdout(), r.Environment
	fmt.Fprintf(out, "%s, %d processors, %s, %s/%s\n", env.CPU, env.GOMAXPROCS, env.Go, env.OS, env.Arch)
	if loads := section.LiveLoads(r.Live); loads != "" {
		fmt.Fprintln(out, loads)
	}
	for _, t := range section.LiveTables(r.Live) {
		fmt.Fprintf(out, "\n%s\n", t.Text(false))
	}
	if announce(stderr, folder); interrupted != nil {
		fmt.Fprintf(stderr, "%s were measured before the interruption\n", show.Count(len(measured.Rows), "row"))
	}
	err = interrupted
	for _, f := range failures {
		err = errors.Join(err, f)
	}
	return err
}

// open returns the folder of the run and the results to add to: those in --into, or new ones.
func (f *liveFlags) open() (*store.Folder, *results.Run, error) {
	if f.into == "" {
		folder, err := openFolder(f.out, "live", false)
		r := results.New(machine.Environment(), results.Parameters{Profile: "live", Seed: f.cfg.Seed, N: f.cfg.Resident})
		r.Complete = true
		return folder, r, err
	}
	folder, err := store.OpenRunFolder(f.into)
	if err != nil {
		return nil, nil, fmt.Errorf("--into %w", err)
	}
	r, err := store.ReadFile(folder.Results())
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("--into %w", err), folder.Close())
	}
	return folder, r, nil
}

// configure completes the configuration. Its error names the wrong value.
func (f *liveFlags) configure(stderr io.Writer) error {
	cfg := &f.cfg
	if cfg.Resident = f.sizes; len(f.sizes) == 0 {
		cfg.Resident = []int{100_000}
	}
	least, most := slices.Min(cfg.Goroutines), slices.Max(cfg.Goroutines)
	switch n := slices.Min(cfg.Resident); {
	case least < 1 || most > 1024:
		return fmt.Errorf("--goroutines %v: want numbers from 1 to 1024", cfg.Goroutines)
	case n < most:
		return fmt.Errorf("--n %d: want at least one timer for each of %d goroutines", n, most)
	case len(f.ticks) > 0 && (slices.Min(f.ticks) < time.Microsecond || slices.Max(f.ticks) > time.Second):
		return fmt.Errorf("--tick %v: want lengths from 1µs to 1s", f.ticks)
	case cfg.For <= 0:
		return fmt.Errorf("--for %v: want a time above 0", cfg.For)
	}
	entries, err := match("structure", catalog.For[driver.Task](),
		func(e entry.For[driver.Task]) string { return e.Name }, f.structures)
	if err != nil {
		return err
	}
	cfg.Contenders = append([]live.Subject{live.Floor(), live.Time()}, live.Drivers(entries, f.ticks...)...)
	for _, c := range cfg.Contenders {
		for _, n := range cfg.Resident {
			if c.Limit > 0 && n > c.Limit {
				fmt.Fprintf(stderr, "timerbench: %s takes at most %d timers and is skipped at %d\n",
					c.Name, c.Limit, n)
			}
		}
	}
	return nil
}
