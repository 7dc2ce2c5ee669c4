package main

import (
	"context"
	"errors"
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

// parseCase parses a workload and a size, such as "churn/n=1e6".
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

func newProfile() *cobra.Command {
	var structure, out string
	var seed uint64
	var length time.Duration
	cmd := &cobra.Command{
		Use:   "profile CASE",
		Short: "Profile one structure on one workload",
		Long: `Profile one structure on one workload: replay the workload repeatedly, write a
CPU profile for go tool pprof, and print the time per unit of the workload. The
replays have the label "phase"; writing and checking scripts has no label. To
count instructions instead, see count.

CASE is a workload and a size. A workload with a fixed size needs none.`,
		Example: `  timerbench profile churn/n=1e6 -s hwheel -o cpu.pprof
  go tool pprof -http :8080 -tagfocus phase=replay cpu.pprof`,
		Args: argsFrom(1, 1, "a workload and a size, such as churn/n=1e6"),
		RunE: stoppable(func(cmd *cobra.Command, args []string) error {
			w, n, err := parseCase(args[0])
			if err != nil {
				return err
			}
			if structure == "" {
				return errors.New("--structure is missing: want the name of one structure")
			}
			e, err := exactly("structure", catalog.All(), nameOfStructure, structure)
			switch {
			case err != nil:
				return err
			case e.Limit > 0 && n > e.Limit:
				return fmt.Errorf("%s takes at most %d timers, but n is %d", e.Name, e.Limit, n)
			case length <= 0:
				return fmt.Errorf("--for %s: want a duration above 0", length)
			}
			if err := writable("out", out); err != nil {
				return err
			}
			var r bench.Replayed
			ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
			err = writeTo("out", out, cmd.OutOrStdout(), func(to io.Writer) error {
				err := pprof.StartCPUProfile(to)
				if err != nil {
					return err
				}
				defer pprof.StopCPUProfile()
				r, err = bench.ReplayFor(ctx, w, n, seed, e, length, func(block func()) {
					pprof.Do(ctx, pprof.Labels("phase", "replay"), func(context.Context) { block() })
				})
				return err
			})
			if err != nil {
				return err
			}
			fmt.Fprintf(stderr, "%d operations, %s ns per %s\n", r.Operations, show.Figure(r.NS/r.Units), r.Unit)
			if out != "-" {
				fmt.Fprintf(stderr, "look at it with: go tool pprof -tagfocus phase=replay -top %s\n", out)
			}
			return nil
		}),
	}
	flags := cmd.Flags()
	flags.StringVarP(&structure, "structure", "s", "", "`name` of the structure (required)")
	flags.StringVarP(&out, "out", "o", "cpu.pprof", "`file` for the profile"+orStdout)
	flags.Uint64Var(&seed, "seed", 1, "seed of the script")
	flags.DurationVar(&length, "for", 5*time.Second, "total time of the replays")
	return cmd
}
