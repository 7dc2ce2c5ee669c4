package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/analysis"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/runs"
	"github.com/timerbench/timerbench/bench/scenario"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/internal/show"
)

func newVerify() *cobra.Command {
	f, seeds := choice{profile: "smoke"}, 3
	cmd := &cobra.Command{
		Use:   "verify [RESULTS]",
		Short: "Prove that structures keep their contract, without measuring",
		Long: `Prove that structures keep their contract, without measuring: replay the cells
that run would measure, on several seeds. In a first block every answer is
checked, then what has fired, at which tick, under which ID and with which
value.

RESULTS is a file or a folder of results. Its digest must be that of its
content, and its figures must not contradict each other. Then the scripts of its
cells are replayed by the seeds that it names: each row must have the proof that
its replay has, and each trial the counts of its block. Then --structure,
--workload and --n choose among its cells.

The exit code is 1 if a structure breaks its contract or if results are not as
they were measured, and the error names what is wrong.`,
		Example: `  timerbench verify
  timerbench verify -s '^hwheel$' -w 'churn|hold' --n 10,1e5 --seeds 20
  timerbench verify -s '^hwheel$' ` + latest,
		Args: cobra.MaximumNArgs(1),
		RunE: stoppable(func(cmd *cobra.Command, args []string) error {
			v := verifying{out: cmd.OutOrStdout()}
			if len(args) == 0 {
				return v.structures(cmd.Context(), seeds, &f)
			}
			for _, name := range []string{"scenario", "profile", "seed", "seeds"} {
				if cmd.Flags().Changed(name) {
					return fmt.Errorf("--%s: the results name their own, so it has no meaning with %s", name, args[0])
				}
			}
			r, path, err := runs.Read(args[0])
			if err != nil {
				return err
			}
			return v.results(cmd.Context(), r, path, &f)
		}),
	}
	f.add(cmd.Flags(), ofProfile)
	cmd.Flags().IntVar(&seeds, "seeds", seeds, "number of seeds of each cell, from --seed on")
	return cmd
}

// verifying prints a line for each cell and collects what has failed.
type verifying struct {
	out      io.Writer
	cells    int
	failures []results.Failure
}

// structures replays the cells of the flags.
func (v *verifying) structures(ctx context.Context, seeds int, f *choice) error {
	if seeds < 1 {
		return fmt.Errorf("--seeds %d: want at least 1", seeds)
	}
	if err := f.complete(); err != nil {
		return err
	}
	f.cfg.Trials = 6 // blocks
	v.failures = analysis.Releases(f.cfg.Structures)
	if err := bench.Verify(ctx, f.cfg, seeds, v.show); err != nil {
		return err
	}
	if v.cells == 0 {
		return errors.New("nothing to verify: no structure of the choice is made for so many timers")
	}
	return v.end(fmt.Sprintf("all structures keep their contract in %d cells", v.cells))
}

// results replays what results hold, or as much of it as the flags choose.
func (v *verifying) results(ctx context.Context, r *results.Run, path string, f *choice) (err error) {
	p := r.Parameters
	cfg := bench.Config{Seed: p.Seed, Trials: p.Trials, N: f.cfg.N}
	cfg.Profile, _ = bench.FindProfile(p.Profile) // that of a trace has no name
	if cfg.Structures, err = matchStructures(f.structures); err != nil {
		return err
	}
	workloads, err := match("workload", p.Workloads, func(name string) string { return name }, f.workloads)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, name := range workloads {
		if recording, ok := p.Traces[name]; ok {
			t, err := bench.OpenTrace(recording.File)
			if err != nil {
				return fmt.Errorf("%s: its trace %s: %w", path, name, err)
			}
			cfg.Traces = append(cfg.Traces, t)
			continue
		}
		w, ok := scenario.Find(p.Scenarios, name)
		if !ok {
			return fmt.Errorf("%s: this program has no workload %q: choose others with --workload",
				path, name)
		}
		cfg.Workloads = append(cfg.Workloads, w)
	}
	if err := r.Check(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
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

// kept is where the results of machines are kept, in the sources.
const kept = "docs/results"

func newSubmit() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "submit [FILE | FOLDER]",
		Short: "Write the results of this machine for the sources",
		Long: `Write the results of this machine for the sources: one file for each kind of
machine, named by its processor and its number of cores, with what answers need.
A pull request adds it. ` + "`timerbench report A B`" + ` compares machines.

It refuses results that were edited, are not complete, are a part of a run, or
are not proved, and those of a build of no commit. It replays their scripts: see
verify.`,
		Example: `  timerbench submit
  timerbench submit ` + runs.Parent + `/2026-11-21-073012-normal --out /tmp`,
		Args: cobra.MaximumNArgs(1),
		RunE: stoppable(func(cmd *cobra.Command, args []string) error {
			if info, err := os.Stat(out); err != nil || !info.IsDir() {
				return fmt.Errorf("--out %s: no such folder: want that of the sources of timerbench", out)
			}
			r, path, err := runs.Read(append(args, runs.Parent)[0])
			if err != nil {
				return err
			}
			if err := submittable(r); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			v := verifying{out: io.Discard}
			// One structure will do: the proofs of the others are equal to it.
			if err := v.results(cmd.Context(), r, path, &choice{structures: "^auto$"}); err != nil {
				return err
			}
			to := filepath.Join(out, r.Environment.Slug()+".json.gz")
			size, err := results.Keep(to, r)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", to, show.Bytes(float64(size)))
			return nil
		}),
	}
	cmd.Flags().StringVarP(&out, "out", "o", kept, "`folder` for the file")
	return cmd
}

// submittable returns an error if results are no whole run of a commit without a failure.
func submittable(r *results.Run) error {
	p, e := r.Parameters, r.Environment
	switch {
	case !r.Complete:
		return errors.New("the run was interrupted: want a complete one")
	case !bench.Whole(p):
		return errors.New("the run is a part of the comparison: want all structures, workloads and sizes of " +
			"the normal or the full profile")
	case len(r.Failures) > 0:
		return fmt.Errorf("not everything is proved: %w", r.Failures[0])
	case e.Revision == "":
		return errors.New("the build does not know its commit: want one of make build, in a clone")
	case strings.HasSuffix(e.Revision, "+dirty"):
		return fmt.Errorf("the build is of commit %s with edits that are not committed: want one of a commit",
			strings.TrimSuffix(e.Revision, "+dirty"))
	}
	for _, c := range r.Cells {
		for _, row := range c.Rows {
			if row.Proof == (script.Proof{}) && !row.JoinedLate() {
				return fmt.Errorf("cell %s, n %d: %s has no proof", c.Workload, c.N, row.Structure)
			}
		}
	}
	return nil
}
