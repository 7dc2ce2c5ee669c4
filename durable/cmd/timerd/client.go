package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/durable"
)

// options are the flags of all commands.
type options struct {
	url      string
	cfg      durable.Config
	identity identity
	exec     commands
}

// open connects to the server and returns a client and what closes the connection.
func (o *options) open(ctx context.Context) (*durable.Client, func(), error) {
	options, err := o.identity.client()
	if err != nil {
		return nil, nil, err
	}
	nc, err := nats.Connect(o.url, options...)
	if err != nil {
		return nil, nil, fmt.Errorf("server %s: %w", o.url, err)
	}
	c, err := durable.Open(ctx, nc, o.cfg)
	if err != nil {
		nc.Close()
		return nil, nil, err
	}
	return c, nc.Close, nil
}

// with runs f with a client.
func (o *options) with(cmd *cobra.Command, f func(context.Context, *durable.Client, io.Writer) error) error {
	c, done, err := o.open(cmd.Context())
	if err != nil {
		return err
	}
	defer done()
	return f(cmd.Context(), c, cmd.OutOrStdout())
}

func scheduleCommand(o *options) *cobra.Command {
	var cron bool
	cmd := &cobra.Command{
		Use:   "schedule KEY WHEN [PAYLOAD]",
		Short: "Set the timer under KEY, or replace it",
		Long: `Set the timer under KEY, or replace it. WHEN is a duration from now (30s, 36h, -5s), a time
(2026-12-31T23:59:59+01:00) or, with --every, a cron expression ("CRON_TZ=Europe/Berlin 30 7 * * 1-5", "@every 10m").`,
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			payload := []byte(strings.Join(args[2:], ""))
			return o.with(cmd, func(ctx context.Context, c *durable.Client, _ io.Writer) error {
				if cron {
					return c.Every(ctx, args[0], args[1], payload)
				}
				at, err := parseWhen(args[1], time.Now())
				if err != nil {
					return err
				}
				return c.Schedule(ctx, args[0], at, payload)
			})
		},
	}
	cmd.Flags().BoolVar(&cron, "every", false, "WHEN is a cron expression")
	return cmd
}

// parseWhen returns the time that text names: a duration from now, or a time.
func parseWhen(text string, now time.Time) (time.Time, error) {
	if d, err := time.ParseDuration(text); err == nil {
		return now.Add(d), nil
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at, nil
	}
	return time.Time{}, fmt.Errorf("WHEN is %q: want a duration such as 30s or a time such as 2026-12-31T23:59:59Z", text)
}

func moveCommand(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "move KEY WHEN",
		Short: "Move the timer under KEY to WHEN, as of schedule, and keep its payload",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := parseWhen(args[1], time.Now())
			if err != nil {
				return err
			}
			return o.with(cmd, func(ctx context.Context, c *durable.Client, _ io.Writer) error {
				ok, err := c.Reschedule(ctx, args[0], at)
				return known(args[0], ok, err)
			})
		},
	}
}

// known is an error if there is no timer.
func known(key string, ok bool, err error) error {
	if err == nil && !ok {
		err = fmt.Errorf("there is no timer %q: it has fired or was never set", key)
	}
	return err
}

// deadCommand is a command that does something with the dead letters of a key.
func deadCommand(o *options, name, short string,
	do func(*durable.Client, context.Context, durable.DeadLetter) error) *cobra.Command {
	return &cobra.Command{
		Use:   name + " KEY",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.with(cmd, func(ctx context.Context, c *durable.Client, _ io.Writer) error {
				var letters []durable.DeadLetter
				for d, err := range c.DeadLetters(ctx) {
					if err != nil {
						return err
					}
					if d.Key == args[0] {
						letters = append(letters, d)
					}
				}
				if len(letters) == 0 {
					return fmt.Errorf("there is no dead letter %q", args[0])
				}
				for _, d := range letters {
					if err := do(c, ctx, d); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

func cancelCommand(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "cancel KEY",
		Short: "Remove the timer under KEY",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.with(cmd, func(ctx context.Context, c *durable.Client, _ io.Writer) error {
				ok, err := c.Cancel(ctx, args[0])
				return known(args[0], ok, err)
			})
		},
	}
}

func listCommand(o *options) *cobra.Command {
	var dead bool
	cmd := &cobra.Command{
		Use:   "list [PREFIX]",
		Short: "List the timers whose key begins with PREFIX, or the dead letters",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			prefix := strings.Join(args, "")
			return o.with(cmd, func(ctx context.Context, c *durable.Client, out io.Writer) error {
				w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
				list := listPending
				if dead {
					list = listDead
				}
				return errors.Join(list(ctx, c, w, prefix), w.Flush())
			})
		},
	}
	cmd.Flags().BoolVar(&dead, "dead", false, "list the dead letters")
	return cmd
}

func listPending(ctx context.Context, c *durable.Client, w io.Writer, prefix string) error {
	for t, err := range c.Pending(ctx, prefix) {
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%q\t%s\t%s\t%q\n", t.Key, t.Deadline.Format(time.RFC3339Nano), t.Cron, t.Payload)
	}
	return nil
}

func listDead(ctx context.Context, c *durable.Client, w io.Writer, prefix string) error {
	for d, err := range c.DeadLetters(ctx) {
		if err != nil {
			return err
		}
		if strings.HasPrefix(d.Key, prefix) {
			fmt.Fprintf(w, "%q\t%s\t%d attempts\t%q\t%q\n", d.Key, d.Deadline.Format(time.RFC3339Nano), d.Attempts, d.Error, d.Payload)
		}
	}
	return nil
}

func statsCommand(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "stats",
		Short: "Say how much is stored",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.with(cmd, func(ctx context.Context, c *durable.Client, out io.Writer) error {
				n, err := c.Counts(ctx)
				if err != nil {
					return err
				}
				w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
				fmt.Fprintf(w, "timers pending\t%d\n", n.Pending)
				fmt.Fprintf(w, "fired, not handled\t%d\n", n.Fired)
				fmt.Fprintf(w, "of these in hand\t%d\n", n.Handled)
				fmt.Fprintf(w, "dead letters\t%d\n", n.Dead)
				fmt.Fprintf(w, "workers\t%d\n", n.Workers)
				fmt.Fprintf(w, "bytes\t%d\n", n.Bytes)
				if n.Limit > 0 {
					fmt.Fprintf(w, "bytes, with all else in the store\t%d of %d\n", n.Stored, n.Limit)
				}
				return w.Flush()
			})
		},
	}
}
