package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/durable"
	"github.com/timerbench/timerbench/durable/internal/cron"
)

type options struct {
	url      string
	cfg      durable.Config
	identity identity
	exec     commands
	runs     bool // the arguments are right
}

// call is a command with its arguments, and a client to run it.
type call struct {
	*durable.Client
	ctx  context.Context
	args []string
	out  io.Writer
}

// command returns a command that checks its arguments, if check is not nil, connects to the server, and runs.
func (o *options) command(use, short string, args cobra.PositionalArgs, check func(args []string) error, run func(call) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if check != nil {
				if err := check(args); err != nil {
					return err
				}
			}
			o.runs = true
			nc, err := o.connect(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			c, err := durable.Open(cmd.Context(), nc, o.cfg)
			if err != nil {
				return err
			}
			return run(call{c, cmd.Context(), args, cmd.OutOrStdout()})
		}}
}

// startWait is how long a command waits for a server that is starting.
const startWait = 5 * time.Second

func (o *options) connect(ctx context.Context, more ...nats.Option) (*nats.Conn, error) {
	options := append(o.identity.client(), more...)
	nc, err := nats.Connect(o.url, options...)
	for end := time.Now().Add(startWait); errors.Is(err, nats.ErrNoServers) && time.Now().Before(end); {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(startWait / 50):
			nc, err = nats.Connect(o.url, options...)
		}
	}
	if err != nil {
		if _, bad := errors.AsType[*url.Error](err); bad { // it repeats parts of a password
			o.runs = false
			return nil, fmt.Errorf("--nats %s: not a valid URL: want nats://host:port", hosts(o.url))
		}
		return nil, fmt.Errorf("server %s: %w", hosts(o.url), err)
	}
	return nc, nil
}

// hosts returns URLs, which are separated by commas, without the names, passwords and tokens in them.
func hosts(urls string) string {
	list := strings.Split(urls, ",")
	for i, url := range list {
		list[i] = url[strings.LastIndexByte(url, '@')+1:]
	}
	return strings.Join(list, ",")
}

func scheduleCommand(o *options) *cobra.Command {
	var every, absent bool
	var t durable.Timer
	cmd := o.command("schedule KEY WHEN [PAYLOAD]", "Set the timer KEY, or replace it",
		cobra.RangeArgs(2, 3),
		func(args []string) (err error) {
			t.Key, t.Payload = args[0], []byte(strings.Join(args[2:], ""))
			switch {
			case t.Timeout < 0 || t.MaxAttempts < 0:
				return fmt.Errorf("--timeout %v and --attempts %d: want at least 0", t.Timeout, t.MaxAttempts)
			case every:
				t.Cron = args[1]
				_, err = cron.FirstRun(t.Cron, t.Missed, time.Now())
			default:
				t.Deadline, err = parseDelay(args[1], time.Now())
				if _, other := cron.FirstRun(args[1], t.Missed, time.Now()); err != nil && other == nil {
					err = fmt.Errorf("WHEN is %q, a cron expression: want --every as well", args[1])
				}
			}
			return err
		},
		func(c call) error {
			if !absent {
				return c.Set(c.ctx, t)
			}
			ok, err := c.Add(c.ctx, t)
			if err == nil && !ok {
				err = fmt.Errorf("timer %q exists already", t.Key)
			}
			return err
		})
	cmd.Long = `Set the timer KEY, or replace it. WHEN is a duration from now (30s, 36h), a time
(2026-12-31T23:59:59+01:00) or, with --every, a cron expression ("CRON_TZ=Europe/Berlin 30 7 * * 1-5", "@every 10m").`
	flags := cmd.Flags()
	flags.BoolVar(&every, "every", false, "WHEN is a cron expression")
	flags.BoolVar(&absent, "absent", false, "fail if the timer exists, and leave it unchanged")
	flags.DurationVar(&t.Timeout, "timeout", 0, "how long its handler may take (default --timeout of serve)")
	flags.IntVar(&t.MaxAttempts, "attempts", 0, "how many attempts before it becomes a dead letter (default 10)")
	return cmd
}

// parseWhen parses a duration from now, or a time.
func parseWhen(text string, now time.Time) (time.Time, error) {
	if d, err := time.ParseDuration(text); err == nil {
		return now.Add(d), nil
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at, nil
	}
	return time.Time{}, fmt.Errorf("WHEN is %q: want a duration such as 30s or a time such as 2026-12-31T23:59:59Z", text)
}

// parseDelay parses WHEN of a timer, which is no negative duration.
func parseDelay(text string, now time.Time) (time.Time, error) {
	if d, err := time.ParseDuration(text); err == nil && d < 0 {
		return now, errNegative(d)
	}
	return parseWhen(text, now)
}

func errNegative(d time.Duration) error {
	return fmt.Errorf("the delay %v is negative: want at least 0s, which fires at once", d)
}

func moveCommand(o *options) *cobra.Command {
	var at time.Time
	return o.command("move KEY WHEN", "Move the timer KEY to WHEN, as in schedule, and keep its payload", cobra.ExactArgs(2),
		func(args []string) (err error) {
			at, err = parseDelay(args[1], time.Now())
			return err
		},
		func(c call) error {
			ok, err := c.Reschedule(c.ctx, c.args[0], at)
			return c.known(ok, err)
		})
}

func cancelTimer(c call) error {
	ok, err := c.Cancel(c.ctx, c.args[0])
	return c.known(ok, err)
}

func (c call) known(ok bool, err error) error {
	if err == nil && !ok {
		err = fmt.Errorf("no timer %q: it has fired, was cancelled or was never set", c.args[0])
	}
	return err
}

// withDead returns a command that calls do with each dead letter of a key.
func withDead(do func(*durable.Client, context.Context, durable.DeadLetter) error) func(call) error {
	return func(c call) error {
		var letters []durable.DeadLetter
		err := each(c.DeadLetters(c.ctx), func(d durable.DeadLetter) {
			if d.Key == c.args[0] {
				letters = append(letters, d)
			}
		})
		if err != nil {
			return err
		}
		if len(letters) == 0 {
			return fmt.Errorf("no dead letter %q", c.args[0])
		}
		for _, d := range letters {
			if err := do(c.Client, c.ctx, d); err != nil {
				return err
			}
		}
		return nil
	}
}

func listCommand(o *options) *cobra.Command {
	var state string
	after, before := time.Time{}, time.Unix(1<<40, 0)
	cmd := o.command("list [PREFIX]", "List the timers whose keys begin with PREFIX",
		cobra.MaximumNArgs(1), func([]string) error {
			if !slices.Contains([]string{"pending", "fired", "dead"}, state) {
				return fmt.Errorf("--state %q: want pending, fired or dead", state)
			}
			if !after.Before(before) {
				return fmt.Errorf("--after and --before: want %v before %v", after, before)
			}
			return nil
		}, func(c call) (err error) {
			prefix, w := strings.Join(c.args, ""), table(c.out)
			line := func(key string, deadline time.Time, more string, payload []byte) {
				if strings.HasPrefix(key, prefix) && !deadline.Before(after) && deadline.Before(before) {
					fmt.Fprintf(w, "%q\t%s\t%s\t%q\n", key, deadline.Format(time.RFC3339Nano), more, payload)
				}
			}
			switch state {
			case "pending":
				err = each(c.Pending(c.ctx, prefix), func(t durable.Timer) { line(t.Key, t.Deadline, recurrence(t), t.Payload) })
			case "fired":
				err = each(c.Waiting(c.ctx), func(t durable.Fired) { line(t.Key, t.Deadline, "", t.Payload) })
			case "dead":
				err = each(c.DeadLetters(c.ctx), func(d durable.DeadLetter) {
					line(d.Key, d.Deadline, fmt.Sprintf("%d attempts\t%q", d.Attempts, d.Error), d.Payload)
				})
			}
			return errors.Join(err, w.Flush())
		})
	flags := cmd.Flags()
	flags.StringVar(&state, "state", "pending", "`state` of the timers: pending, fired (not yet handled) or dead")
	flags.Func("after", "list only timers due at or after this `time`, as in schedule", when(&after))
	flags.Func("before", "list only timers due before this `time`", when(&before))
	return cmd
}

// recurrence describes the expression of a timer of Every, which any program may have written.
func recurrence(t durable.Timer) string {
	switch {
	case t.Cron == "":
		return ""
	case t.Error == "":
		return strconv.Quote(t.Cron)
	}
	return fmt.Sprintf("%q cannot be computed: %q", t.Cron, t.Error)
}

// when returns the function of a flag whose value is parsed by parseWhen.
func when(at *time.Time) func(string) error {
	return func(text string) (err error) {
		*at, err = parseWhen(text, time.Now())
		return err
	}
}

func each[T any](values iter.Seq2[T, error], do func(T)) error {
	for v, err := range values {
		if err != nil {
			return err
		}
		do(v)
	}
	return nil
}

// table returns a writer that aligns cells, each of which ends with a tab.
func table(out io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(out, 0, 8, 2, ' ', 0) }

func stats(c call) error {
	n, err := c.Counts(c.ctx)
	if err != nil {
		return err
	}
	w := table(c.out)
	fmt.Fprintf(w, "timers pending\t%d\nfired, not handled\t%d\nbeing handled\t%d\n", n.Pending, n.Fired, n.Handled)
	fmt.Fprintf(w, "dead letters\t%d\nworkers\t%d\nbytes\t%d\n", n.Dead, n.Workers, n.Bytes)
	if n.Limit > 0 {
		fmt.Fprintf(w, "bytes in the whole store\t%d of %d\n", n.Stored, n.Limit)
	}
	return w.Flush()
}
