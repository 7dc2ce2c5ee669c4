// Command timerbench measures timer structures and draws what it finds.
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
)

// Exit codes. 130 is what shells report for a program that Ctrl-C ended.
const (
	exitError       = 1
	exitMisuse      = 2 // of compare and ab, whose code 1 is a finding
	exitInterrupted = 130
)

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr)) }

func execute(args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	out := &output{Writer: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	cmd, err := root.ExecuteC()
	if err == nil {
		err = out.err
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "timerbench: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(stderr, "timerbench:", err)
	if (cmd.Name() == "compare" || cmd.Name() == "ab") && !errors.Is(err, errRegression) {
		return exitMisuse
	}
	return exitError
}

// output is the standard output. It keeps the first error of writing to it, with which the
// command ends then.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("writing to the standard output: %w", err)
	}
	return n, err
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "timerbench",
		Short: "Which data structure should hold my timers, and what will it cost?",
		Long: `Which data structure should hold my timers, and what will it cost?

timerbench runs timer structures through the same workloads, proves that each
did what it should, and draws the comparison.`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(newRun(), newLive(), newReport(), newRecommend(), newExplain(),
		newExport(), newCompare(), newAB(), newDoctor(), newVerify(), newExternal(), newSubmit(), newProfile(), newCount(),
		newCountReplay(), newList(), newScenario(), newTrace())
	helpWithin(root)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error { return refuseEmpty(cmd, args) }
	return root
}

// version says which build this is.
func version() string {
	build := buildinfo.Read()
	out := cmp.Or(build.Version, "(unknown)")
	if build.Revision != "" {
		out += ", commit " + build.Revision
	}
	return fmt.Sprintf("%s, %s %s/%s", out, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// stoppable is for commands that have something to keep or to tidy up when they are
// interrupted. The first Ctrl-C prints a line and cancels the context of the command; the
// second one ends the program.
//
// Ctrl-C ends all other commands at once, as it does any program.
func stoppable(do func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		answered := make(chan struct{})
		unanswered := context.AfterFunc(ctx, func() {
			defer close(answered)
			stop()
			fmt.Fprintln(cmd.ErrOrStderr(), "\ntimerbench: stopping (again to end at once)")
		})
		cmd.SetContext(ctx)
		err := do(cmd, args)
		if !unanswered() {
			<-answered
		}
		return err
	}
}

// errRegression ends a command that was asked to fail if the new build is slower.
var errRegression = errors.New("the new build is slower, and --fail-on-regression is given")
