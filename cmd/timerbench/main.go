// Command timerbench measures timer structures, compares them and draws reports. The work is in its packages. A file here has the flags of
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
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/machine"
	"github.com/timerbench/timerbench/internal/show"
)

// Exit codes. Shells report 130 for a program that Ctrl-C ended.
const (
	exitError       = 1
	exitMisuse      = 2 // the command line was refused before the work began; compare and ab end with 1 only for a regression
	exitInterrupted = 130
)

// state says how a command has to end.
type state struct {
	mu    sync.Mutex
	begun bool     // the work, see begin
	left  []func() // removes what a second Ctrl-C would leave
}

type stateKey struct{}

// begin says that the command line was accepted: an error from here on is none of usage, unless it is [misuse].
func begin(cmd *cobra.Command) { cmd.Context().Value(stateKey{}).(*state).begun = true }

// cleanUp removes something at the second Ctrl-C, which ends the program at once.
func cleanUp(cmd *cobra.Command, remove func()) {
	s := cmd.Context().Value(stateKey{}).(*state)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = append(s.left, remove)
}

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr)) }

func execute(args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	out, said := &show.SafeWriter{W: stdout}, &show.SafeWriter{W: stderr}
	root.SetOut(out)
	root.SetErr(said)
	now := new(state)
	cmd, err := root.ExecuteContextC(context.WithValue(context.Background(), stateKey{}, now))
	if out.Err != nil {
		now.begun = true
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
	_, refused := errors.AsType[misuse](err)
	refused = refused || !now.begun || cmd.Name() == "ab" || cmd.Name() == "compare"
	if refused && !errors.Is(err, errRegression) {
		return exitMisuse
	}
	return exitError
}

// misuse is an error of the command line that only the work can find, such as the name of a structure that the results lack.
type misuse struct{ error }

// Unwrap returns the error.
func (m misuse) Unwrap() error { return m.error }

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
	cobra.AddTemplateFunc("width", show.Width) // of the terminal, to which flags are wrapped
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages", "Flags.FlagUsagesWrapped width"))
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			group(c, c.Commands()...)
		}
	}
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error { return refuseEmpty(cmd, args) }
	return root
}

func version() string {
	build := machine.Build()
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
		answered, again := make(chan struct{}), make(chan os.Signal, 1)
		unanswered := context.AfterFunc(ctx, func() {
			defer close(answered)
			signal.Notify(again, os.Interrupt, syscall.SIGTERM)
			fmt.Fprintln(cmd.ErrOrStderr(), "\ntimerbench: stopping (press Ctrl-C again to end at once)")
			go func() {
				<-again
				s := ctx.Value(stateKey{}).(*state)
				s.mu.Lock()
				for _, remove := range s.left {
					remove()
				}
				os.Exit(exitInterrupted)
			}()
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
