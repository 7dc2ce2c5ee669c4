package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/trace"
)

// defaultSize is the number of timers for a workload that has no number of its own.
// It is chosen.
const defaultSize = 1000

type traceMakeFlags struct {
	workload string
	n        sizes
	ops      operations
	seed     uint64
	out      string
}

func newTraceMake() *cobra.Command {
	f := traceMakeFlags{ops: 1_000_000}
	cmd := &cobra.Command{
		Use:     "make --workload NAME -o FILE",
		Short:   "Write the operations of a workload as a trace",
		Example: "  timerbench trace make --workload mixed --n 1e5 --ops 10e6 -o mixed.trace",
		Args:    cobra.NoArgs,
		RunE: stoppable(func(ctx context.Context, cmd *cobra.Command, _ []string) error {
			return f.run(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
		}),
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.workload, "workload", "w", "", "`name` of the workload")
	flags.VarP(&f.n, "n", "n", "number of resident timers, such as 1e5 (default: the workload's own, or 1000)")
	flags.Var(&f.ops, "ops", "number of operations, such as 10e6")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the script")
	flags.StringVarP(&f.out, "out", "o", "", "`file` for the trace"+orStdout)
	for _, required := range []string{"workload", "out"} {
		_ = cmd.MarkFlagRequired(required) // the flag is there
	}
	return cmd
}

func (f *traceMakeFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	found, err := match("workload", workload.All(), func(w workload.Workload) string { return w.Name }, "^"+f.workload+"$")
	if err != nil {
		return err
	}
	w := found[0]
	n := defaultSize
	switch {
	case len(f.n) > 1:
		return fmt.Errorf("--n %s: want one number", f.n.String())
	case len(f.n) == 1:
		n = f.n[0]
	case w.Resident > 0:
		n = w.Resident
	}
	err = writeTo(f.out, stdout, func(out io.Writer) error {
		header := trace.Header{
			Name: w.Name, Tick: w.Tick,
			Description: fmt.Sprintf("workload %s, n %d, seed %d: %s", w.Name, n, f.seed, w.Summary),
		}
		tw, err := trace.NewWriter(out, header)
		if err != nil {
			return err
		}
		return errors.Join(bench.WriteTrace(ctx, tw, w, n, f.seed, uint64(f.ops)), tw.Close())
	})
	if err != nil {
		return fmt.Errorf("--out %s: %w", f.out, err)
	}
	fmt.Fprintf(stderr, "%s: %d operations\n", f.out, f.ops)
	return nil
}

// operations is the value of a flag, such as "10e6".
type operations uint64

func (o *operations) String() string { return strconv.FormatUint(uint64(*o), 10) }

func (o *operations) Type() string { return "number" }

func (o *operations) Set(text string) error {
	n, err := parseNumber(text, 1e12)
	if err != nil {
		return err
	}
	*o = operations(n)
	return nil
}
