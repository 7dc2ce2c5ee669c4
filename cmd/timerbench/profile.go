package main

import (
	"context"
	"fmt"
	"io"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/internal/values"
	"github.com/timerbench/timerbench/structures/catalog"
)

const caseForm = "want a workload and a size, such as churn/n=1e6"

// parseCase reads "churn/n=1e6".
func parseCase(text string) (w workload.Workload, n int, err error) {
	name, rest, _ := strings.Cut(text, "/")
	if w, err = exactly("workload", workload.All(), nameOfWorkload, name); err != nil {
		return w, 0, err
	}
	value, ok := strings.CutPrefix(rest, "n=")
	switch {
	case ok:
		v, err := values.Number(values.MaxSize)(value)
		if err != nil {
			return w, 0, fmt.Errorf("%q: n is %w", text, err)
		}
		return w, int(v), nil
	case rest != "" || w.Resident == 0:
		return w, 0, fmt.Errorf("%q: %s", text, caseForm)
	}
	return w, w.Resident, nil
}

type profileFlags struct {
	structure, out string
	seed           uint64
	length         time.Duration
}

func newProfile() *cobra.Command {
	var f profileFlags
	cmd := &cobra.Command{
		Use:   "profile CASE",
		Short: "Profile one structure on one workload",
		Long: `Profile one structure on one workload: replay it again and again, write a CPU
profile for go tool pprof, and print what a unit of the workload takes. The
replays have the label "phase"; the writing of scripts and the checks have none.
To know what executes how many instructions, see count.

CASE is a workload and a size. Workloads with a size of their own need none.`,
		Example: `  timerbench profile churn/n=1e6 -s hwheel -o cpu.pprof
  go tool pprof -http :8080 -tagfocus phase=replay cpu.pprof`,
		Args: argsFrom(1, 1, "a workload and a size, such as churn/n=1e6"),
		RunE: stoppable(f.run),
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.structure, "structure", "s", "", "`name` of the structure (required)")
	flags.StringVarP(&f.out, "out", "o", "cpu.pprof",
		"`file` for the profile"+orStdout)
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the script")
	flags.DurationVar(&f.length, "for", 5*time.Second, "time of all replays together")
	return cmd
}

func (f *profileFlags) run(cmd *cobra.Command, args []string) error {
	w, n, err := parseCase(args[0])
	if err != nil {
		return err
	}
	e, err := exactly("structure", catalog.All(), nameOfStructure, f.structure)
	switch {
	case f.structure == "":
		return fmt.Errorf("--structure is missing: want the name of one structure")
	case err != nil:
		return err
	case e.Limit > 0 && n > e.Limit:
		return fmt.Errorf("%s is made for at most %d timers, and n is %d", e.Name, e.Limit, n)
	case f.length <= 0:
		return fmt.Errorf("--for %s: want a duration above 0", f.length)
	}
	if err := writable("out", f.out); err != nil {
		return err
	}
	var r bench.Replayed
	err = writeTo("out", f.out, cmd.OutOrStdout(), func(to io.Writer) (err error) {
		r, err = f.replay(cmd.Context(), to, w, n, e)
		return err
	})
	if err != nil {
		return err
	}
	stderr := cmd.ErrOrStderr()
	fmt.Fprintf(stderr, "%d operations, %s ns per %s\n", r.Operations, show.Figure(r.NS/r.Units), r.Unit)
	if f.out != "-" {
		fmt.Fprintf(stderr, "look at it with: go tool pprof -tagfocus phase=replay -top %s\n", f.out)
	}
	return nil
}

// replay replays the case and writes the profile, in which the replays have a label.
func (f *profileFlags) replay(ctx context.Context, to io.Writer, w workload.Workload, n int,
	e catalog.Entry) (bench.Replayed, error) {
	if err := pprof.StartCPUProfile(to); err != nil {
		return bench.Replayed{}, err
	}
	defer pprof.StopCPUProfile()
	return bench.ReplayFor(ctx, w, n, f.seed, e, f.length, func(block func()) {
		pprof.Do(ctx, pprof.Labels("phase", "replay"), func(context.Context) { block() })
	})
}
