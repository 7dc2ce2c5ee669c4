// Command timerd stores timers that survive restarts and crashes, and fires them.
//
//	timerd serve --embedded DIR      a server and a worker in one process
//	timerd schedule KEY 30s PAYLOAD
//	timerd move KEY 1h
//	timerd cancel KEY
//	timerd list
//	timerd revive KEY                handle a dead letter again
//	timerd discard KEY
//	timerd stats
//	timerd explain SPEC              the next runs of a cron expression
//
// It writes each timer that fires to standard output, as a line of JSON.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // cron expressions name time zones, and a container may not know any

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

// defaultAddress is where serve listens and the other commands connect.
const defaultAddress = "127.0.0.1:4222"

func command(o *options) *cobra.Command {
	root := &cobra.Command{
		Use:           "timerd",
		Short:         "Timers that survive crashes, stored in NATS JetStream",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	flags := root.PersistentFlags()
	flags.StringVar(&o.url, "nats", "nats://"+defaultAddress,
		"`URL` of the server, or comma-separated URLs of a cluster")
	flags.StringVar(&o.cfg.Name, "name", "timers", "`name` of the stream")
	flags.IntVar(&o.cfg.Replicas, "replicas", 1,
		"how many nodes store each timer; used only when the stream is created")
	o.identity.flags(flags)
	key := cobra.ExactArgs(1)
	root.AddCommand(serveCommand(o), scheduleCommand(o), listCommand(o), explainCommand(),
		o.command("move KEY WHEN", "Move the timer KEY to WHEN, as in schedule, and keep its payload", cobra.ExactArgs(2), move),
		o.command("cancel KEY", "Cancel the timer KEY", key, cancelTimer),
		o.command("revive KEY", "Hand the dead letters of KEY to the workers again", key,
			withDead((*durable.Client).Revive)),
		o.command("discard KEY", "Remove the dead letters of KEY", key, withDead((*durable.Client).Discard)),
		o.command("stats", "Print how much is stored", cobra.NoArgs, stats))
	return root
}
