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
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"
	_ "time/tzdata" // cron expressions name time zones, and a container may not know any

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/timerbench/timerbench/driver/crontab"
	"github.com/timerbench/timerbench/durable"
)

// closeTime is how long timerd may take to end after the grace of its commands.
const closeTime = 10 * time.Second

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	o := &options{}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		select {
		case <-signals:
		case <-time.After(o.exec.grace + closeTime): // for example because nobody reads standard error
		}
		o.exec.killAll()
		os.Exit(exitError)
	}()
	os.Exit(o.execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

const exitError, exitUsage = 1, 2

var control = regexp.MustCompile(`[^\PC\n\t]`) // a message of another program may hold escape sequences

// execute runs the command with arguments, and returns the exit code.
func (o *options) execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := command(o)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil || errors.Is(err, context.Canceled) {
		return 0
	}
	text := err.Error()
	for prefix, flag := range map[string]string{"durable: Config.Name": "--name", "durable: Config.Replicas": "--replicas",
		"durable: Config.Concurrency": "--concurrency", "durable: listen": "--listen", "durable: key": "KEY",
		"durable: embedded server: other machines": "--listen: other machines"} {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			text, o.runs = flag+rest, false
		}
	}
	fmt.Fprintln(stderr, "timerd:", control.ReplaceAllString(text, "\uFFFD"))
	if !o.runs {
		return exitUsage
	}
	return exitError
}

// wanted describes the values of flags by the type of the flag.
var wanted = map[string]string{"int": "a whole number such as 12", "duration": "a time such as 30s or 5m"}

// flagError explains the error of a negative delay, which looks like a flag, and names flag, value and what was expected.
func flagError(_ *cobra.Command, err error) error {
	_, text, _ := strings.Cut(err.Error(), " in ")
	if d, bad := time.ParseDuration(text); bad == nil {
		return errNegative(d)
	}
	invalid, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	why := invalid.Unwrap()
	if want := wanted[invalid.GetFlag().Value.Type()]; want != "" {
		why = errors.New("want " + want)
	}
	return fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), why)
}

// checkFlags refuses an empty value, whose usual cause is an unset shell variable, and reads the credentials.
func (o *options) checkFlags(cmd *cobra.Command, _ []string) error {
	err := o.identity.complete()
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if flag.Value.Type() == "string" && flag.Value.String() == "" {
			err = fmt.Errorf("--%s: its value is empty", flag.Name)
		}
	})
	return err
}

// defaultAddress is where serve listens and the other commands connect.
const defaultAddress = "127.0.0.1:4222"

func command(o *options) *cobra.Command {
	root := &cobra.Command{
		Use:           "timerd",
		Short:         "Timers that survive crashes, stored in NATS JetStream",
		SilenceUsage:  true,
		SilenceErrors: true,
		Long: `Timers that survive crashes, stored in NATS JetStream. A command waits up to 5 s for a server that is starting.
The environment has the credentials: NATS_USER and NATS_PASSWORD, or NATS_TOKEN, which serve --embedded then requires.
The exit code is 2 for a wrong argument, and 1 for any other error.`,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: o.checkFlags,
	}
	root.SetFlagErrorFunc(flagError)
	flags := root.PersistentFlags()
	flags.StringVar(&o.url, "nats", "nats://"+defaultAddress,
		"`URL` of the server, or comma-separated URLs of a cluster")
	flags.StringVar(&o.cfg.Name, "name", "timers", "`name` of the stream")
	flags.IntVar(&o.cfg.Replicas, "replicas", 1,
		"how many nodes store each timer; used only when the stream is created")
	o.identity.flags(flags)
	key := cobra.ExactArgs(1)
	root.AddCommand(serveCommand(o), scheduleCommand(o), listCommand(o), moveCommand(o),
		&cobra.Command{
			Use:   "explain SPEC",
			Short: "Print the next five runs of a cron expression, and where other systems read it differently",
			Args:  cobra.ExactArgs(1),
			RunE:  explain,
		},
		o.command("cancel KEY", "Cancel the timer KEY", key, nil, cancelTimer),
		o.command("revive KEY", "Hand the dead letters of KEY to the workers again", key, nil,
			withDead((*durable.Client).Revive)),
		o.command("discard KEY", "Remove the dead letters of KEY", key, nil, withDead((*durable.Client).Discard)),
		o.command("stats", "Print how much is stored", cobra.NoArgs, nil, stats))
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		check := c.Args
		if c.Name() == "help" { // otherwise it would succeed for what does not exist
			check = func(_ *cobra.Command, args []string) error { _, _, err := root.Find(args); return err }
		}
		c.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return fmt.Errorf("%w: want %s", err, cmd.UseLine())
			}
			return nil
		}
	}
	return root
}

func explain(cmd *cobra.Command, args []string) error {
	e, err := crontab.Explain(args[0], time.UTC)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), e)
	return err
}
