// Command timerbench measures timer structures, compares them and draws reports.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/internal/buildinfo"
	"github.com/timerbench/timerbench/internal/show"
)

// Exit codes. Shells report 130 for a program that Ctrl-C ended.
const (
	exitError       = 1
	exitMisuse      = 2 // for compare and ab, where code 1 means a regression
	exitInterrupted = 130
)

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr)) }

func execute(args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	out, said := &show.SafeWriter{W: stdout}, &show.SafeWriter{W: stderr}
	root.SetOut(out)
	root.SetErr(said)
	cmd, err := root.ExecuteC()
	if err == nil && out.Err != nil {
		err = fmt.Errorf("writing to standard output: %w", out.Err)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(said, "timerbench: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(said, "timerbench:", err)
	if (cmd.Name() == "compare" || cmd.Name() == "ab") && !errors.Is(err, errRegression) {
		return exitMisuse
	}
	return exitError
}

// raw returns the writer under an output, for files, for the output of programs that the user runs, and for progress bars.
func raw(w io.Writer) io.Writer {
	if s, ok := w.(*show.SafeWriter); ok {
		return s.W
	}
	return w
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "timerbench",
		Short: "Which data structure should hold my timers, and what will it cost?",
		Long: `Which data structure should hold my timers, and what will it cost?

timerbench runs timer structures through the same workloads, proves each result
correct, and draws the comparison.`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(newRun(), newLive(), newReport(), newRecommend(), newAdvise(), newExplain(),
		newCompare(), newAB(), newDoctor(), newVerify(), newExternal(), newSubmit(), newCount(),
		newCountReplay(), newList(), newScenario(), newTrace())
	helpWithin(root)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error { return refuseEmpty(cmd, args) }
	return root
}

func version() string {
	build := buildinfo.Read()
	out := cmp.Or(build.Version, "(unknown)")
	if build.Revision != "" {
		out += ", commit " + build.Revision
	}
	return fmt.Sprintf("%s, %s %s/%s", out, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// stoppable wraps the RunE of a command that keeps results or cleans up when it is
// interrupted. The first Ctrl-C prints a line and cancels the context of the command. The
// second one ends the program. Other commands end at the first Ctrl-C.
func stoppable(do func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		answered := make(chan struct{})
		unanswered := context.AfterFunc(ctx, func() {
			defer close(answered)
			stop()
			fmt.Fprintln(cmd.ErrOrStderr(), "\ntimerbench: stopping (press Ctrl-C again to end at once)")
		})
		cmd.SetContext(ctx)
		err := do(cmd, args)
		if !unanswered() {
			<-answered
		}
		return err
	}
}

var errRegression = errors.New("the new build is slower (--fail-on-regression)")
