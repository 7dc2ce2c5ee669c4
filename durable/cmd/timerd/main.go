// Command timerd keeps timers that outlive it, and fires them.
//
//	timerd serve --embedded DIR      a server and a worker in one process
//	timerd schedule KEY 30s PAYLOAD
//	timerd cancel KEY
//	timerd list
//	timerd stats
//
// What fires is written to standard output, one line of JSON each.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command().ExecuteContext(ctx); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "timerd:", err)
		os.Exit(1)
	}
}

// defaultAddress is where serve listens and where the others look for it.
const defaultAddress = "127.0.0.1:4222"

func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "timerd",
		Short:         "Timers that survive crashes, on NATS JetStream",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	o := &options{}
	flags := root.PersistentFlags()
	flags.StringVar(&o.url, "nats", "nats://"+defaultAddress, "the server or, with commas between them, the servers of a cluster")
	flags.StringVar(&o.cfg.Name, "name", "timers", "the name of the stream")
	flags.IntVar(&o.cfg.Replicas, "replicas", 1, "nodes that store each timer; counts when the stream is made")
	root.AddCommand(serveCommand(o), scheduleCommand(o), cancelCommand(o), listCommand(o), statsCommand(o))
	return root
}
