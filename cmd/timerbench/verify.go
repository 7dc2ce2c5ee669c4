package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
)

func newVerify() *cobra.Command {
	var f runFlags
	seeds := 3
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Prove that structures keep their contract, without measuring",
		Long: `Prove that structures keep their contract, without measuring: replay the cells that
run would measure, on several seeds. In a first block every answer is checked, then
what has fired, at which tick, under which ID and with which value.

The exit code is 1 if a structure breaks its contract, and the error names it.`,
		Example: "  timerbench verify\n  timerbench verify -s '^hwheel$' -w 'churn|hold' --n 10,1e5 --seeds 20",
		Args:    cobra.NoArgs,
		RunE: stoppable(func(ctx context.Context, cmd *cobra.Command, _ []string) error {
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
	failures := bench.VerifyReleases(cfg.Structures)
	cells := 0
	err := bench.Verify(ctx, cfg, seeds, func(v bench.Verified) {
		cells++
		outcome := "ok"
		if len(v.Failures) > 0 {
			outcome = "FAILED"
		}
		failures = append(failures, v.Failures...)
		fmt.Fprintf(out, "%s, n %d: %d structures, %d seeds, %d operations each: %s\n", v.Workload, v.N, v.Structures, v.Seeds, v.Operations, outcome)
	})
	switch {
	case err != nil:
		return err
	case cells == 0:
		return fmt.Errorf("nothing to verify: no structure of the choice is made for so many timers")
	case len(failures) == 0:
		fmt.Fprintf(out, "all structures keep their contract in %d cells\n", cells)
		return nil
	}
	for _, f := range failures {
		fmt.Fprintln(out, f.Error())
	}
	return fmt.Errorf("%d proofs failed, the first: %w", len(failures), failures[0])
}
