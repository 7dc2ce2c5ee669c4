package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/scenario"
	"github.com/timerbench/timerbench/structures/catalog"
)

func newVerify() *cobra.Command {
	var f runFlags
	seeds := 3
	cmd := &cobra.Command{
		Use:   "verify [RESULTS]",
		Short: "Prove that structures keep their contract, without measuring",
		Long: `Prove that structures keep their contract, without measuring: replay the cells that
run would measure, on several seeds. In a first block every answer is checked, then
what has fired, at which tick, under which ID and with which value.

RESULTS is a file or a folder of results. It is read, and the scripts of its cells are
replayed by the seeds that it names: each row must have the proof that its replay has.
Then --structure, --workload and --n choose among its cells.

The exit code is 1 if a structure breaks its contract or if a proof is another one, and
the error names it.`,
		Example: `  timerbench verify
  timerbench verify -s '^hwheel$' -w 'churn|hold' --n 10,1e5 --seeds 20
  timerbench verify -s '^hwheel$' ` + runsFolder + `/` + latestLink,
		Args: cobra.MaximumNArgs(1),
		RunE: stoppable(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				for _, name := range []string{"scenario", "profile", "seed", "seeds"} {
					if cmd.Flags().Changed(name) {
						return fmt.Errorf("--%s: the results name their own, so it has no meaning with %s", name, args[0])
					}
				}
				return f.verifyResults(ctx, args[0], cmd.OutOrStdout())
			}
			if seeds < 1 {
				return fmt.Errorf("--seeds %d: want at least 1", seeds)
			}
			f.trials = 6 // blocks
			cfg, err := f.config(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return verify(ctx, cfg, seeds, cmd.OutOrStdout())
		}),
	}
	flags := cmd.Flags()
	f.addChoice(flags, "smoke")
	flags.IntVar(&seeds, "seeds", seeds, "number of seeds of each cell, from --seed on")
	return cmd
}

func verify(ctx context.Context, cfg bench.Config, seeds int, out io.Writer) error {
	v := verifying{out: out, failures: bench.VerifyReleases(cfg.Structures)}
	if err := bench.Verify(ctx, cfg, seeds, v.show); err != nil {
		return err
	}
	if v.cells == 0 {
		return errors.New("nothing to verify: no structure of the choice is made for so many timers")
	}
	return v.end(fmt.Sprintf("all structures keep their contract in %d cells", v.cells))
}

// verifyResults replays what a results file holds, or as much of it as the flags choose.
func (f *runFlags) verifyResults(ctx context.Context, path string, out io.Writer) error {
	path, err := locate(path)
	if err != nil {
		return err
	}
	r, err := results.Read(path)
	if err != nil {
		return err
	}
	p := r.Parameters
	cfg := bench.Config{Seed: p.Seed, Trials: p.Trials, N: f.sizes}
	cfg.Profile, _ = bench.FindProfile(p.Profile) // that of a trace has no name
	cfg.Structures, err = match("structure", catalog.All(), func(e catalog.Entry) string { return e.Name }, f.structures)
	if err != nil {
		return err
	}
	names, err := match("workload", p.Workloads, func(name string) string { return name }, f.workloads)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, name := range names {
		if recording, ok := p.Traces[name]; ok {
			t, err := interruptible(ctx, bench.OpenTrace, recording.File)
			if err != nil {
				return fmt.Errorf("%s: its trace %s: %w", path, name, err)
			}
			cfg.Traces = append(cfg.Traces, t)
			continue
		}
		w, ok := scenario.Find(p.Scenarios, name)
		if !ok {
			return fmt.Errorf("%s: this program has no workload %q: choose others with --workload", path, name)
		}
		cfg.Workloads = append(cfg.Workloads, w)
	}
	v := verifying{out: out}
	if err := bench.VerifyRun(ctx, cfg, r, v.show); err != nil {
		return err
	}
	if v.cells == 0 {
		return fmt.Errorf("%s: nothing to verify: it has no cell of that choice", path)
	}
	err = v.end(fmt.Sprintf("%s: all proofs are those of their scripts in %d cells", path, v.cells))
	if now := bench.NewRun(p).Environment; err != nil && now.Revision != r.Environment.Revision {
		err = fmt.Errorf("%w (the results are of commit %s, this program is of %s)",
			err, cmp.Or(r.Environment.Revision, "unknown"), cmp.Or(now.Revision, "unknown"))
	}
	return err
}

// verifying prints a line for each cell and collects what has failed.
type verifying struct {
	out      io.Writer
	cells    int
	failures []results.Failure
}

func (v *verifying) show(c bench.Verified) {
	v.cells++
	outcome := "ok"
	if len(c.Failures) > 0 {
		outcome = "FAILED"
	}
	v.failures = append(v.failures, c.Failures...)
	fmt.Fprintf(v.out, "%s, n %d: %d structures, %d seeds, %d operations each: %s\n",
		c.Workload, c.N, c.Structures, c.Seeds, c.Operations, outcome)
}

// end prints that all went well, or what did not, which is the error.
func (v *verifying) end(well string) error {
	if len(v.failures) == 0 {
		fmt.Fprintln(v.out, well)
		return nil
	}
	for _, f := range v.failures {
		fmt.Fprintln(v.out, f.Error())
	}
	return fmt.Errorf("%d proofs failed, the first: %w", len(v.failures), v.failures[0])
}
