// The commands that prove: verify (structures, results, programs of other languages), submit, which keeps only proved results, and
// external, which prints a program to start from. They measure nothing.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/external"
	"github.com/timerbench/timerbench/bench/external/conform"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/bench/workload/scenario"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures/catalog"
)

func newVerify() *cobra.Command {
	f, seeds, again := choice{profile: "smoke"}, 3, false
	var programs []string
	var traces string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify [RESULTS]",
		Short: "Prove that structures keep their contract, or check results",
		Long: `Without RESULTS, prove that structures keep their contract: replay the cells
that run would measure, on several seeds, without timing. The first block checks
every answer. Each further block checks what fired, at which tick, under which
ID and with which value.

RESULTS is a file or a folder of results. verify checks its digest, proofs and
counts in seconds, which tells that a file was edited, but not that figures were
edited and sealed again. --replay also replays the scripts of the cells, for
minutes. --structure, --workload and --n choose what is replayed.

With --external, prove that a program of any language keeps the contract, in
less than 30 seconds. The first failure is shrunk to the fewest operations that
still fail. See timerbench external init.

The exit code is 1 if a structure breaks its contract or if a check fails. The
error names what is wrong.`,
		Example: `  timerbench verify
  timerbench verify -s '^hwheel$' -w 'churn|hold' --n 10,1e5 --seeds 20
  timerbench verify ` + latest + `
  timerbench verify --replay -s '^hwheel$' ` + latest + `
  timerbench verify --external ./mine
  timerbench verify --external peers/bin/all.toml --json`,
		Args: argsFrom(0, 1, "at most one file or folder of results"),
		RunE: stoppable(func(cmd *cobra.Command, args []string) error {
			if len(programs) > 0 {
				if len(args) > 0 {
					return fmt.Errorf("--external: cannot be used with %s", args[0])
				}
				return verifyPrograms(cmd, programs, traces, asJSON)
			}
			if asJSON || cmd.Flags().Changed("traces") {
				return errors.New("--json, --traces: need --external")
			}
			v := verifying{out: cmd.OutOrStdout()}
			if len(args) == 0 {
				if again {
					return errors.New("--replay: want results to replay; without results, everything is replayed")
				}
				return v.structures(cmd, seeds, &f)
			}
			for _, name := range []string{"scenario", "profile", "seed", "seeds"} {
				if cmd.Flags().Changed(name) {
					return fmt.Errorf("--%s: cannot be used with %s, which has its own", name, args[0])
				}
			}
			for _, name := range []string{"structure", "workload", "n"} {
				if cmd.Flags().Changed(name) && !again {
					return fmt.Errorf("--%s chooses what is replayed: needs --replay", name)
				}
			}
			r, path, err := store.Read(args[0])
			if !errors.Is(err, fs.ErrNotExist) { // a damaged file is a finding
				begin(cmd)
			}
			if err != nil {
				return err
			}
			if err := r.Check(); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if again {
				return v.replay(cmd.Context(), r, path, &f)
			}
			fmt.Fprintf(v.out, "%s: the digest, the proofs and the figures of %s agree. To replay the scripts: %s\n", path,
				show.Count(len(r.Cells), "cell"), asTyped("verify", "--replay", args[0]))
			return nil
		}),
	}
	f.add(cmd.Flags(), ofProfile)
	cmd.Flags().IntVar(&seeds, "seeds", seeds, "number of seeds of each cell, from --seed on")
	cmd.Flags().BoolVar(&again, "replay", again, "replay the scripts of the results too")
	cmd.Flags().StringArrayVar(&programs, "external", nil,
		"prove a `program` of any language: its command, name=command, or a TOML file with a list; can be repeated, see docs/external.md")
	cmd.Flags().StringVar(&traces, "traces", "traces", "with --external: replay the recordings in this `folder`, if there are any")
	cmd.Flags().BoolVar(&asJSON, "json", false, "with --external: print the verdicts as JSON")
	for _, other := range []string{"structure", "workload", "n", "scenario", "profile", "seed", "seeds", "replay"} {
		cmd.MarkFlagsMutuallyExclusive("external", other)
	}
	return cmd
}

// verifying prints a line for each cell and collects the failures.
type verifying struct {
	out       io.Writer
	cells     int
	redefined int // cells that are not replayed
	failures  []results.Failure
}

func (v *verifying) structures(cmd *cobra.Command, seeds int, f *choice) error {
	if seeds < 1 {
		return fmt.Errorf("--seeds %d: want at least 1", seeds)
	}
	if err := f.complete(); err != nil {
		return err
	}
	f.cfg.Trials = 6 // number of blocks
	proof, err := bench.NewProof(f.cfg, seeds)
	if err != nil {
		return err
	}
	begin(cmd)
	foretell(cmd.ErrOrStderr(), show.Count(seeds, "seed")+" of each cell", proof.Seconds())
	if err := bench.Verify(cmd.Context(), proof, v.show); err != nil {
		return err
	}
	return v.end(fmt.Sprintf("all structures keep their contract in %s", show.Count(v.cells, "cell")))
}

// replay replays the cells of results that the flags choose, and compares proofs.
func (v *verifying) replay(ctx context.Context, r *results.Run, path string, f *choice) (err error) {
	p := r.Parameters
	cfg := bench.Config{Seed: p.Seed, Trials: p.Trials, N: f.cfg.N}
	cfg.Profile, _ = bench.FindProfile(p.Profile) // a replay of traces has no profile
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
			if errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintf(v.out, "%s: not replayed, because there is no %s here\n", name, recording.File)
				continue
			}
			if err != nil {
				return fmt.Errorf("%s: its trace %s: %w", path, name, err)
			}
			cfg.Traces = append(cfg.Traces, t)
			continue
		}
		w, ok := scenario.FindIn(p.Scenarios, name)
		if !ok {
			return fmt.Errorf("%s: this program has no workload %q: choose others with --workload", path, name)
		}
		cfg.Workloads = append(cfg.Workloads, w)
	}
	if err := bench.VerifyRun(ctx, cfg, r, v.show); err != nil {
		return err
	}
	if v.cells == 0 {
		err := fmt.Errorf("%s: nothing to verify: no cell has the chosen structures, workloads and sizes, and operations of this build", path)
		if v.redefined == 0 {
			return misuse{err}
		}
		return err
	}
	return v.end(fmt.Sprintf("%s: all proofs match their scripts in %s", path, show.Count(v.cells, "cell")))
}

func (v *verifying) show(c bench.Verified) {
	if c.Redefined {
		v.redefined++
		fmt.Fprintf(v.out, "%s, n %d: not replayed, because the operations of the workload have changed since\n", c.Workload, c.N)
		return
	}
	v.cells++
	outcome := "ok"
	if len(c.Failures) > 0 {
		outcome = "FAILED"
	}
	v.failures = append(v.failures, c.Failures...)
	fmt.Fprintf(v.out, "%s, n %d: %s, %s, %d operations each: %s\n", c.Workload, c.N,
		show.Count(c.Structures, "structure"), show.Count(c.Seeds, "seed"), c.Operations, outcome)
}

// end prints the message if there was no failure. Otherwise it prints the failures and returns
// the error of the command.
func (v *verifying) end(well string) error {
	if len(v.failures) == 0 {
		fmt.Fprintln(v.out, well)
		return nil
	}
	for _, f := range v.failures {
		fmt.Fprintln(v.out, f.Error())
	}
	return fmt.Errorf("%s failed, the first: %w", show.Count(len(v.failures), "proof"), v.failures[0])
}

// keptFolder is the folder for the results of machines in the repository.
const keptFolder = "docs/results"

func newSubmit() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "submit [FILE | FOLDER]",
		Short: "Write the results of this machine for the repository",
		Long: `Write the results of this machine for the repository: one file for each kind of
machine, named by its processor and its number of cores, with the data that
answers need. submit says what it adds and which run it replaces. Add it with a
pull request. ` + "`timerbench report A B`" + ` compares machines.

submit refuses results that are edited, incomplete, unproved, or only a part of
the comparison, and results of a build without a commit.`,
		Example: `  timerbench submit
  timerbench submit ` + store.Parent + `/2026-11-21-073012-normal --out /tmp`,
		Args: argsFrom(0, 1, "at most one file or folder of results"),
		RunE: stoppable(func(cmd *cobra.Command, args []string) error {
			if info, err := os.Stat(out); err != nil || !info.IsDir() {
				return fmt.Errorf("--out %s: no such folder: want docs/results of the repository", out)
			}
			if err := writableFolder(out); err != nil {
				return err
			}
			r, path, err := store.Read(append(args, store.Parent)[0])
			if !errors.Is(err, fs.ErrNotExist) {
				begin(cmd)
			}
			if err != nil {
				return err
			}
			if err := bench.CheckSubmission(r, catalog.All()); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			v := verifying{out: io.Discard}
			// One structure is enough: the others have the same proofs.
			if err := v.replay(cmd.Context(), r, path, &choice{structures: "^auto$"}); err != nil {
				return err
			}
			to := filepath.Join(out, store.Slug(r.Environment)+".json.gz")
			var before *results.Run
			if _, err := os.Stat(to); err == nil {
				if before, _, err = store.Read(to); err != nil {
					return err
				}
			}
			size, err := store.Keep(to, r)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s, %s: %s\n", to, show.Bytes(float64(size)), added(before, r))
			return nil
		}),
	}
	cmd.Flags().StringVarP(&out, "out", "o", keptFolder, "`folder` for the file")
	return cmd
}

// added says what a run adds to the kept results. before is the run that it replaces, or nil.
func added(before, r *results.Run) string {
	rows, fresh := 0, 0
	for _, c := range r.Cells {
		rows += len(c.Rows)
		if before != nil && before.Cell(c.Workload, c.N) == nil {
			fresh++
		}
	}
	of := func(r *results.Run) string {
		return fmt.Sprintf("the run of %s, timerbench %s", r.Created.UTC().Format("2 January 2006"), r.Environment.Build())
	}
	out := fmt.Sprintf("%s, with %s and %s", of(r), show.Count(len(r.Cells), "cell"), show.Count(rows, "row"))
	if before == nil {
		return out + ". It is the first one of this machine."
	}
	return fmt.Sprintf("%s. It replaces %s, which lacks %s of these and has %s more.", out, of(before), show.Count(fresh, "cell"),
		show.Count(len(before.Cells)-(len(r.Cells)-fresh), "cell"))
}

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
	begin(cmd)
	out := cmd.OutOrStdout()
	var failed []string
	verdicts := []conform.Verdict{}
	for _, s := range specs {
		v, err := conform.Verify(cmd.Context(), s, files, conform.DefaultLimits)
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
