// Command timerd keeps timers that outlive it, and fires them.
//
//	timerd serve --embedded DIR      a server and a worker in one process
//	timerd schedule KEY 30s PAYLOAD
//	timerd move KEY 1h
//	timerd cancel KEY
//	timerd list
//	timerd revive KEY                a dead letter
//	timerd discard KEY
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

	"github.com/timerbench/timerbench/durable"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	o := &options{}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		<-signals
		o.exec.killAll()
		os.Exit(1)
	}()
	if err := command(o).ExecuteContext(ctx); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "timerd:", err)
		os.Exit(1)
	}
}

// defaultAddress is where serve listens and where the others look for it.
const defaultAddress = "127.0.0.1:4222"

func command(o *options) *cobra.Command {
	root := &cobra.Command{
		Use:           "timerd",
		Short:         "Timers that survive crashes, on NATS JetStream",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	flags := root.PersistentFlags()
	flags.StringVar(&o.url, "nats", "nats://"+defaultAddress,
		"the server or, with commas between them, the servers of a cluster")
	flags.StringVar(&o.cfg.Name, "name", "timers", "the name of the stream")
	flags.IntVar(&o.cfg.Replicas, "replicas", 1,
		"nodes that store each timer; counts when the stream is made")
	o.identity.flags(flags)
	key := cobra.ExactArgs(1)
	root.AddCommand(serveCommand(o), scheduleCommand(o), listCommand(o),
		o.command("move KEY WHEN", "Move the timer under KEY to WHEN, as of schedule, and keep its payload", cobra.ExactArgs(2), move),
		o.command("cancel KEY", "Remove the timer under KEY", key, cancelTimer),
		o.command("revive KEY", "Give the dead letters of KEY to the workers again", key,
			withDead((*durable.Client).Revive)),
		o.command("discard KEY", "Remove the dead letters of KEY", key,
			withDead((*durable.Client).Discard)),
		o.command("stats", "Say how much is stored", cobra.NoArgs, stats))
	return root
}
