package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/structures/catalog"
)

// traceTrials is the default number of trials. It is chosen: more trials take no
// longer, because all of them together are one pass over the trace.
const traceTrials = 12

type traceReplayFlags struct {
	structures string
	trials     int
	out        string
}

func newTraceReplay() *cobra.Command {
	var f traceReplayFlags
	cmd := &cobra.Command{
		Use:   "replay FILE...",
		Short: "Measure structures on traces",
		Long: `Replay traces on structures, measure the structures as with a workload, and write
` + resultsFile + ` and ` + benchfmtFile + ` into the folder of the run.

A trace is first read to its end. A damaged trace is not replayed at all. Every
structure then goes through the whole trace once. The beginning fills the structure,
until as many timers are pending as on average. The rest is divided among the trials.
An exact structure must fire the timers that the trace says, at the wake-up that the
trace says. A coarse structure must keep its bound.`,
		Example: `  timerbench trace replay my.trace
  timerbench trace replay my.trace --structure 'heap|^hwheel$' --out /tmp/my
  timerbench report /tmp/my`,
		Args: someArgs("traces"),
		RunE: stoppable(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			return f.run(ctx, args, commandLine(cmd, args), cmd.OutOrStdout(), cmd.ErrOrStderr())
		}),
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.structures, "structure", "s", "", "replay on the structures that match this regular `expression`")
	flags.IntVar(&f.trials, "trials", traceTrials, "trials of each kind into which a trace is divided; below 6 there is no 95 % interval")
	flags.StringVarP(&f.out, "out", "o", "", outHelp)
	return cmd
}

func (f *traceReplayFlags) run(ctx context.Context, files []string, command string, stdout, stderr io.Writer) error {
	if f.trials < 1 {
		return fmt.Errorf("--trials %d: want at least 1", f.trials)
	}
	cfg := bench.Config{Profile: bench.Profile{Name: "trace"}, Trials: f.trials, Command: command}
	var err error
	cfg.Structures, err = match("structure", catalog.All(), func(e catalog.Entry) string { return e.Name }, f.structures)
	if err != nil {
		return err
	}
	named := make(map[string]string)
	for _, path := range files {
		t, err := interruptible(ctx, bench.OpenTrace, path)
		if err != nil {
			return err
		}
		if err := t.Measurable(f.trials); err != nil {
			return err
		}
		name := t.Summary.Header.Name
		if other, taken := named[name]; taken {
			return fmt.Errorf("%s and %s are both traces named %q: replay them into directories of their own", other, path, name)
		}
		named[name] = path
		cfg.Traces = append(cfg.Traces, t)
	}
	return measure(ctx, cfg, target{folder: f.out}, stdout, stderr)
}
