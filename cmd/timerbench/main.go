// Command timerbench measures timer structures and draws what it finds.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes: 1 for any error, 130 as a shell has it for a program ended by
// Ctrl-C.
const (
	exitError       = 1
	exitInterrupted = 130
)

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr)) }

func execute(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once

	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "timerbench: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(stderr, "timerbench:", err)
	return exitError
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "timerbench",
		Short: "Which data structure should hold my timers, and what will it cost?",
		Long: `Which data structure should hold my timers, and what will it cost?

timerbench runs timer structures through the same workloads, proves that each did
what it should, and draws the comparison.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(newRun(), newReport(), newMicro(), newList(), newScenario(), newTrace())
	return root
}
