// The commands about recorded programs: build, info, replay, and advise. A trace comes from another machine or from a program
// that was killed, so each command says at once how much of it can be used, and refuses one that lost too much.

package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/advise"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/internal/files"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/build"
	"github.com/timerbench/timerbench/trace/record"
	"github.com/timerbench/timerbench/trace/tracestat"
)

func newTrace() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Record the timers of a program, and replay them",
		Long: `Record the timers of a program, and replay them on any structure.

"trace build" builds any Go program so that it records all its timers. A program
that calls trace.FromEnv, of package github.com/timerbench/timerbench/trace,
records only the timers of that structure. The documentation of the package
describes the file format.`,
		Example: `  timerbench trace build -o myserver.rec ./cmd/myserver
  timerbench trace record -o my.trace -- ./myserver.rec --port 8080
  timerbench trace info my.trace
  timerbench trace replay my.trace
  timerbench report`,
	}
	return group(cmd, newTraceBuild(), newTraceRecord(), newTraceInfo(), newTraceReplay())
}

func newTraceBuild() *cobra.Command {
	return &cobra.Command{
		Use:                   "build [-counters] [-o FILE] [build flag...] [package...]",
		DisableFlagsInUseLine: true,
		Short:                 "Build a Go program, unchanged, that records its timers",
		Long: `Build Go programs as "go build" does, with a runtime that records each operation
on a timer and the place in the program that started it: timers of package
time and of package driver, deadlines of package net, contexts and sleeps.

A program records if ` + trace.EnvFile + ` names a file. It completes the trace when
it returns from main, calls os.Exit or ends by SIGINT, SIGTERM or SIGHUP. A
panic, a deadlock or SIGKILL leaves FILE.PID.tmp, which lacks the last second.
Other commands read it, with a warning. Times are in ticks of a millisecond.

The recorder keeps up to 64 MB of operations that it has not written yet, or
` + trace.EnvBuffer + ` bytes. Before syscall.Exec replaces the program,
the trace is completed; the new program's trace is FILE-2.

With -counters, a program counts instead, for production: timers of package time
that are pending, started, moved, stopped and fired, and stopped ones that are
still in a heap. It serves them as Prometheus text and JSON at the address that
TIMERBENCH_COUNTERS names, such as 127.0.0.1:9464, at /metrics and /debug/vars,
and in package expvar if the program imports that. A count takes 2 ns.

All flags of go build are supported, except -overlay and -coverpkg=all or std.
The version of Go, which "go version" prints in the program's folder, must be
1.24 to 1.27.`,
		Example: `  timerbench trace build -o server.rec ./cmd/server
  ` + trace.EnvFile + `=my.trace ./server.rec
  timerbench trace build -race -tags integration -o bin/ ./cmd/...
  timerbench trace build -counters -o server ./cmd/server
  TIMERBENCH_COUNTERS=127.0.0.1:9464 ./server`,
		DisableFlagParsing: true, // go build parses them
		RunE: stoppable(func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && (args[0] == "-h" || args[0] == "--help") {
				return cmd.Help()
			}
			err := build.Run(cmd.Context(), args, cmd.ErrOrStderr())
			if _, usage := errors.AsType[build.UsageError](err); !usage {
				begin(cmd)
			}
			return err
		}),
	}
}

func newTraceRecord() *cobra.Command {
	var out, about string
	cmd := &cobra.Command{
		Use:   "record -o FILE -- command [argument...]",
		Short: "Run a Go program and record its timers",
		Long: `Run a Go program with ` + trace.EnvFile + ` set. The variable makes programs built by
"trace build" record, and the function trace.FromEnv. End a server as usual,
with Ctrl-C or SIGTERM. A program that calls FromEnv must call the stop function
that it returns, which completes the trace.

A program with several schedulers writes one file for each: FILE, FILE-2 and so
on.`,
		Example: `  timerbench trace record -o my.trace -- ./myserver --port 8080
  timerbench trace record -o test.trace -- go test -run TestLoad ./mypackage`,
		Args: argsFrom(1, -1, "the command to record"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r := record.Recording{Out: out, About: about, Command: args, Stdin: cmd.InOrStdin(),
				Stdout: raw(cmd.OutOrStdout()), Stderr: raw(cmd.ErrOrStderr())} // the command may check for a terminal
			if _, err := exec.LookPath(args[0]); err != nil {
				return fmt.Errorf("%w: want a command to record", err)
			}
			if err := files.Writable(out); err != nil {
				return fmt.Errorf("--out %w", files.Error(out, "a file", err))
			}
			begin(cmd)
			return r.Run()
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().StringVarP(&out, "out", "o", "", "`file` for the trace")
	cmd.Flags().StringVar(&about, "about", "", "`text` that describes the trace (default: the program's)")
	_ = cmd.MarkFlagRequired("out") // the flag exists
	return cmd
}

func newTraceInfo() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info FILE",
		Short: "Check a trace and summarize it",
		Long: `Check a trace and summarize it: operations, delays and, for programs built by
"trace build", the ten places in the program with the most timers.`,
		Example: `  timerbench trace info my.trace
  timerbench trace info --json my.trace |
    jq '.sites[] | select(.cancelled > .fired).site'`,
		Args: argsFrom(1, 1, "a trace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := tracestat.Read(args[0])
			if err != nil {
				return err
			}
			warnCutShort(cmd.ErrOrStderr(), s)
			if asJSON {
				return printJSON(cmd.OutOrStdout(), s)
			}
			showSummary(cmd.OutOrStdout(), s)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, with all places in the program")
	return cmd
}

func warnCutShort(out io.Writer, s *tracestat.Summary) {
	if s.CutShort != nil {
		fmt.Fprintf(out, "warning: %v: only the operations before are used\n", s.CutShort)
	}
}

func showSummary(out io.Writer, s *tracestat.Summary) {
	all := float64(max(1, s.Totals.Count()))
	about := show.Table{Align: "l"}
	add := func(name, format string, args ...any) { about.Add(name, fmt.Sprintf(format, args...)) }
	add("trace", "%s", s.Header.Name)
	if s.Header.Description != "" {
		add("of", "%s", s.Header.Description)
	}
	if !s.Header.Started.IsZero() {
		add("recorded", "%s", store.Minute(s.Header.Started))
	}
	add("size", "%s, %s bytes an operation", show.Bytes(float64(s.Bytes)), show.Figure(float64(s.Bytes)/all))
	add("tick", "%v", s.Header.Tick)
	add("covers", "%s, %v", show.Count(uint64(s.Totals.Span()), "tick"), s.Duration().Round(time.Millisecond))
	add("rate", "%s a second", show.Count(uint64(math.Round(s.Rate())), "operation"))
	add("pending", "%s timers on average, %s at most, %s at the end", show.Figure(s.Resident),
		show.Grouped(s.Totals.Keys), show.Grouped(s.Totals.Pending()))
	add("cancelled", "%s of the timers that ended", show.Percent(s.CancelRate))
	if s.LateFires > 0 {
		add("fired late", "%s, because the program woke up after the deadline", show.Count(s.LateFires, "timer"))
	}
	if s.Totals.Lost > 0 {
		by := s.Totals.LostBy
		add("lost", "%s (%s), as the recorder could not keep up: %s set or moved a timer, %s stopped one, %s fired. "+
			"The other figures are not exact. Record again with a larger %s", show.Count(s.Totals.Lost, "operation"), show.Percent(s.LostShare()),
			show.Grouped(by[trace.EventSet]), show.Grouped(by[trace.EventStop]), show.Grouped(by[trace.EventFire]), trace.EnvBuffer)
	}
	if s.Totals.Heaped > 0 {
		add("in Go's heap", "%s of timers; a channel timer is there only while a goroutine waits for it", show.Count(s.Totals.Heaped, "insertion"))
	}
	fmt.Fprintln(out, about.Terminal())

	ops := show.Table{Header: []string{"operation", "count", "share"}}
	count := func(name string, n uint64) {
		ops.Add(name, show.Grouped(n), show.Percent(float64(n)/all))
	}
	for k, n := range s.Totals.Ops {
		count(trace.Kind(k).String(), n)
		if trace.Kind(k) == trace.Advance {
			count("  on which nothing fires", s.Idle)
		}
	}
	count("all", s.Totals.Count())
	ops.Add("timers fired", show.Grouped(s.Totals.Fired), "")
	fmt.Fprintf(out, "\n%s\n", ops.Terminal())

	delays := show.Table{Header: []string{"delay of timers", "count", "mean", "least", "50 %",
		"90 %", "99 %", "99.9 %", "most"}}
	for _, d := range []struct {
		name string
		tracestat.Delays
	}{{"scheduled", s.Delays}, {"moved", s.Moves}} {
		if d.Count == 0 {
			continue
		}
		row := []any{d.name, d.Count}
		mean := d.Mean - math.Mod(d.Mean, float64(s.Header.Tick))
		for _, ns := range []float64{mean, d.Min, d.P50, d.P90, d.P99, d.P999, d.Max} {
			row = append(row, show.Delay(ns))
		}
		delays.Add(row...)
	}
	fmt.Fprintf(out, "\n%s\n", delays.Terminal())
	if s.Placed() {
		fmt.Fprintf(out, "\n%s\n", advise.Places(s, nil).Terminal())
	}
}

func newTraceReplay() *cobra.Command {
	var structures, out string
	var trials int
	var force bool
	cmd := &cobra.Command{
		Use:   "replay FILE...",
		Short: "Measure structures on traces",
		Long: `Replay traces on structures, measure the structures as on a workload, and write
` + store.FileName + ` and ` + store.Benchmarks + ` into the folder of the run.

A damaged trace is refused. Each structure replays the whole trace once. Its
beginning fills the structure to the mean number of pending timers, the rest is
divided into trials. An exact structure must fire the same timers as the trace.`,
		Example: `  timerbench trace replay my.trace
  timerbench trace replay my.trace --structure 'heap|^hwheel$' --out /tmp/my
  timerbench report /tmp/my`,
		Args: argsFrom(1, -1, "traces"),
		RunE: stoppable(func(cmd *cobra.Command, files []string) (err error) {
			if trials < 1 {
				return fmt.Errorf("--trials %d: want at least 1", trials)
			}
			cfg := bench.Config{Profile: bench.Profile{Name: "trace"}, Trials: trials,
				Command: commandLine(cmd, files)}
			if cfg.Structures, err = matchStructures(structures); err != nil {
				return err
			}
			if cfg.Traces, err = openTraces(cmd.ErrOrStderr(), files, force); err != nil {
				return err
			}
			for _, t := range cfg.Traces {
				if err := t.Measurable(trials); err != nil {
					return err
				}
			}
			return measure(cmd, cfg, out, false, false)
		}),
	}
	flags := cmd.Flags()
	flags.StringVarP(&structures, "structure", "s", "", "structures whose names match this regular `expression`")
	// More trials take no longer: all trials together are one pass over the trace.
	flags.IntVar(&trials, "trials", 12, "number of trials of each kind; fewer than 6 show no small difference")
	flags.StringVarP(&out, "out", "o", "", outHelp)
	flags.BoolVar(&force, "force", false, "replay a trace even if "+lossy)
	return cmd
}

// lossy describes the traces that need --force.
var lossy = fmt.Sprintf("more than %s of its operations were lost", show.Percent(tracestat.MostLost))

// checkLost returns an error for a trace that lost too many operations, unless force is set.
func checkLost(path string, s *tracestat.Summary, force bool) error {
	if err := s.CheckLost(); err != nil && !force {
		return fmt.Errorf("%s: %w; advise, recommend and trace replay accept it with --force", path, err)
	}
	return nil
}

// openTraces opens traces. Its error names the first trace that is damaged or lost too many operations.
func openTraces(stderr io.Writer, files []string, force bool) (all []*bench.Trace, err error) {
	named := make(map[string]string)
	for _, path := range files {
		t, err := bench.OpenTrace(path)
		if err != nil {
			return nil, err
		}
		warnCutShort(stderr, t.Summary)
		if err := checkLost(path, t.Summary, force); err != nil {
			return nil, err
		}
		name := t.Summary.Header.Name
		if other, taken := named[name]; taken {
			return nil, fmt.Errorf("%s and %s are both traces named %q: replay them into separate folders", other, path, name)
		}
		named[name] = path
		all = append(all, t)
	}
	return all, nil
}

func newAdvise() *cobra.Command {
	o := advise.Options{Core: 0.005, Bytes: 1e6} // chosen
	var force bool
	cmd := &cobra.Command{
		Use:   "advise TRACE",
		Short: "Say what a program's timers cost, and what to change",
		Long: `Say what the timers of a recorded program cost, where, and what to change.

advise counts the calls and wake-ups in the trace, measures for seconds what one
costs on this machine, on Go's own timers and on package driver, and adds up. By
place in the program, it finds patterns that have a remedy.`,
		Example: `  timerbench trace build -o server.rec ./cmd/server
  TIMERBENCH_TRACE=my.trace ./server.rec
  timerbench advise my.trace
  timerbench advise my.trace --tick 10ms`,
		Args: argsFrom(1, 1, "a trace"),
		RunE: stoppable(func(cmd *cobra.Command, args []string) error {
			traces, err := openTraces(cmd.ErrOrStderr(), args, force)
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("tick") && o.Tick <= 0 {
				return fmt.Errorf("--tick %v: want a time of more than 0, such as 10ms", o.Tick)
			}
			out := cmd.OutOrStdout()
			begin(cmd)
			a, err := advise.For(cmd.Context(), args[0], traces[0].Summary, o)
			if errors.Is(err, advise.ErrNoTimers) {
				fmt.Fprintf(out, "%s: %v\n", args[0], err)
				return nil
			}
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			fmt.Fprintln(out, a.Text())
			return nil
		}),
	}
	flags := cmd.Flags()
	flags.DurationVar(&o.Tick, "tick", 0, "what if deadlines were rounded up to multiples of this `time`, such as 10ms")
	flags.Func("least-core", "`share` of a core below which a cost does not matter (default 0.5%)", valueTo(&o.Core, readShare))
	flags.Func("least-memory", "`number` of bytes below which memory does not matter (default 1e6)", valueTo(&o.Bytes, readNumber(math.MaxInt64)))
	flags.BoolVar(&force, "force", false, "answer even if "+lossy)
	return cmd
}
