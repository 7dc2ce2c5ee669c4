package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// stoppable is for commands that have something to keep or to tidy up when
// they are interrupted. The first Ctrl-C prints a line and cancels the context of
// work; the second one ends the program.
//
// Ctrl-C ends all other commands at once, as it does any program.
func stoppable(work func(ctx context.Context, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		answered := make(chan struct{})
		unanswered := context.AfterFunc(ctx, func() {
			defer close(answered)
			stop()
			fmt.Fprintln(cmd.ErrOrStderr(), "\ntimerbench: stopping (again to end at once)")
		})
		err := work(ctx, cmd, args)
		if !unanswered() {
			<-answered
		}
		return err
	}
}
