// Command timerbench measures timer structures, compares them and draws reports. Its packages do the work. A file here has the flags of
// a few commands, checks them before the work begins, and prints the result, so that a mistake costs seconds and ends with another exit
// code than a failure.
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
	exitMisuse      = 2 // the command line was refused before the work began; compare and ab end with 1 only for a regression
	exitInterrupted = 130
)

// begunKey is the key of a *bool in the context of a command: its work has begun.
type begunKey struct{}

// begin says that the command line was accepted: an error from here on is none of usage.
func begin(cmd *cobra.Command) { *cmd.Context().Value(begunKey{}).(*bool) = true }

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr)) }

func execute(args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	out, said := &show.SafeWriter{W: stdout}, &show.SafeWriter{W: stderr}
	root.SetOut(out)
	root.SetErr(said)
	begun := new(bool)
	cmd, err := root.ExecuteContextC(context.WithValue(context.Background(), begunKey{}, begun))
	if out.Err != nil {
		*begun = true
		if err == nil {
			err = fmt.Errorf("writing to standard output: %w", out.Err)
		}
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(said, "timerbench: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(said, "timerbench:", err)
	compares := cmd.Name() == "ab" || cmd.Name() == "compare"
	if *begun && !compares || errors.Is(err, errRegression) {
		return exitError
	}
	return exitMisuse
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
		ctx, cancel := context.WithCancel(cmd.Context())
		defer cancel()
		first := make(chan os.Signal, 1)
		signal.Notify(first, os.Interrupt, syscall.SIGTERM)
		defer signal.Stop(first)
		go func() {
			select {
			case <-first:
				signal.Stop(first) // a second one ends the program, as without a handler
				fmt.Fprintln(cmd.ErrOrStderr(), "\ntimerbench: stopping (press Ctrl-C again to end at once)")
				cancel()
			case <-ctx.Done():
			}
		}()
		cmd.SetContext(ctx)
		return do(cmd, args)
	}
}

var errRegression = errors.New("the new build is slower (--fail-on-regression)")
