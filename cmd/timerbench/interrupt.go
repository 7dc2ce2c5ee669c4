package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// interruptible makes a command of work that ends early when its context does and
// has something to keep or to tidy up then. The first Ctrl-C cancels the context
// and is answered at once; the second one ends the program.
//
// Other commands have nothing to keep: Ctrl-C ends them as it does any program.
func interruptible(work func(ctx context.Context, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
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
