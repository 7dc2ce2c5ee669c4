package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/advise"
	"github.com/timerbench/timerbench/internal/show"
)

func newAdvise() *cobra.Command {
	q := advise.Question{Core: 0.005, Bytes: 1e6}
	var force bool
	cmd := &cobra.Command{
		Use:   "advise TRACE",
		Short: "Say what a program's timers cost, and what to change",
		Long: `Say what the timers of a recorded program cost, where, and what to change.

advise counts the calls and wake-ups in the trace. It measures what one costs on
this machine, on Go's own timers and on package driver, and adds up, with 95 %
intervals. By place in the program, it finds patterns that have a remedy. It
takes a few seconds.

--lazy, --tick, --spread and --driver show what a change would bring, each alone
or together.`,
		Example: `  timerbench trace build -o server.rec ./cmd/server
  TIMERBENCH_TRACE=my.trace ./server.rec
  timerbench advise my.trace
  timerbench advise my.trace --tick 10ms --lazy`,
		Args: argsFrom(1, 1, "a trace"),
		RunE: stoppable(func(cmd *cobra.Command, args []string) error {
			traces, err := openTraces(cmd.ErrOrStderr(), args, force)
			if err != nil {
				return err
			}
			q.Path, q.Summary = args[0], traces[0].Summary
			if cmd.Flags().Changed("tick") && q.Change.Tick <= 0 {
				return fmt.Errorf("--tick %v: want a time of more than 0, such as 10ms", q.Change.Tick)
			}
			out := cmd.OutOrStdout()
			a, err := advise.For(cmd.Context(), q)
			if errors.Is(err, advise.ErrNoTimers) {
				fmt.Fprintf(out, "%s: %v\n", q.Path, err)
				return nil
			}
			if err != nil {
				return fmt.Errorf("%s: %w", q.Path, err)
			}
			for i, block := range a.Text() {
				if i > 0 {
					fmt.Fprintln(out)
				}
				if block.Table != nil {
					fmt.Fprintln(out, block.Table.Terminal())
					continue
				}
				fmt.Fprintln(out, show.Wrapped(show.Text{block}.String()))
			}
			return nil
		}),
	}
	flags := cmd.Flags()
	flags.BoolVar(&q.Change.Lazy, "lazy", false, "what if a timer that is moved to a later deadline stayed in place until the old one")
	flags.DurationVar(&q.Change.Tick, "tick", 0, "what if deadlines were rounded up to multiples of this `time`, such as 10ms")
	flags.Func("spread", "what if each delay grew by a random part of this `share` of it, such as 5%", valueTo(&q.Change.Spread, readShare(1)))
	flags.BoolVar(&q.Driver, "driver", false, "what if the timers were on package driver")
	flags.Func("least-core", "`share` of a core below which a cost does not matter (default 0.5%)", valueTo(&q.Core, readShare(1)))
	flags.Func("least-memory", "`number` of bytes below which memory does not matter (default 1e6)", valueTo(&q.Bytes, readNumber(math.MaxInt64)))
	flags.BoolVar(&force, "force", false, "answer even if "+lossy)
	return cmd
}
