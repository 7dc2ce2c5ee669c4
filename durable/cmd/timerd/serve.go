package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/durable"
)

// line is what serve writes for a timer that it handles.
type line struct {
	Key           string    `json:"key,omitempty"`
	KeyBase64     []byte    `json:"key_base64,omitempty"` // of one that is no UTF-8
	Payload       *string   `json:"payload,omitempty"`
	PayloadBase64 []byte    `json:"payload_base64,omitempty"`
	Deadline      time.Time `json:"deadline"`
	Lateness      string    `json:"lateness"`
	Attempt       int       `json:"attempt"`
	ID            string    `json:"id"`
}

func newLine(f durable.Fired) line {
	l := line{Deadline: f.Deadline, Lateness: f.Lateness.String(), Attempt: f.Attempt, ID: f.ID}
	if utf8.ValidString(f.Key) {
		l.Key = f.Key
	} else {
		l.KeyBase64 = []byte(f.Key)
		key := base64.StdEncoding.EncodeToString(l.KeyBase64)
		l.ID = key + strings.TrimPrefix(f.ID, f.Key)
	}
	if payload := string(f.Payload); utf8.ValidString(payload) {
		l.Payload = &payload
	} else {
		l.PayloadBase64 = f.Payload
	}
	return l
}

const serveHelp = `Be a worker: fire timers and handle them. With --embedded the server that stores them runs in
this process; without it, it is where --nats says. A timer is handled when its line has been
written and, with --exec, the command has returned 0. It may be handled again, with the same id:
up to 10 times if that fails, and after a crash.

A line is a JSON object with key, payload, deadline, lateness, attempt (1 for the first) and id.
Where a key or payload is no UTF-8 there is key_base64 or payload_base64 instead, and the id
begins with the key in base64.

The command of --exec is run by sh, in a process group of its own. It gets the payload as its
input, and TIMER_KEY, TIMER_ID, TIMER_ATTEMPT and TIMER_PAYLOAD. There is no TIMER_PAYLOAD if it
has a NUL byte or more than 64 kB; a key with a NUL byte is in TIMER_KEY_BASE64, its id in
TIMER_ID_BASE64. If the command takes longer than --timeout, it and its children get SIGTERM
and, after --grace, SIGKILL. A timer with a --timeout of its own has that for both, and a second.

SIGTERM or Ctrl-C ends it: no more is taken on, and commands that run have --grace to return
before they are killed. A second one ends it at once, with all commands.`

type serving struct {
	dir, listen, http string
	verbose           bool
	options           []durable.ServerOption
}

func serveCommand(o *options) *cobra.Command {
	s := serving{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Be a worker: fire timers and handle them",
		Long:  serveHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.exec.timeout <= 0 || o.exec.grace < 0 {
				return fmt.Errorf("--timeout %v and --grace %v: want more than 0, and at least 0",
					o.exec.timeout, o.exec.grace)
			}
			// That of the library comes after both, so that the command is not run
			// again beside itself.
			o.cfg.HandlerTimeout = o.exec.timeout + o.exec.grace + afterGrace
			level := slog.LevelWarn
			if s.verbose {
				level = slog.LevelDebug
			}
			handler := &slog.HandlerOptions{Level: level}
			o.cfg.Logger = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), handler))
			ctx, cancel := context.WithCancelCause(cmd.Context())
			defer cancel(nil)
			nc, closeAll, err := s.connect(o, cancel)
			if err != nil {
				return err
			}
			defer closeAll()
			c, err := durable.Open(ctx, nc, o.cfg)
			if err != nil {
				return err
			}
			if s.http != "" {
				l, err := net.Listen("tcp", s.http)
				if err != nil {
					return fmt.Errorf("--http %s: %w", s.http, err)
				}
				web := webServer(c.Handler())
				go func() { _ = web.Serve(limit(l, maxConnections)) }() // until it is closed
				defer func() { _ = web.Close() }()                      // nobody waits for an answer
			}
			fmt.Fprintln(cmd.ErrOrStderr(), "timerd: serving")
			var mu sync.Mutex
			out := json.NewEncoder(cmd.OutOrStdout())
			return c.Serve(ctx, func(ctx context.Context, f durable.Fired) error {
				mu.Lock()
				err := out.Encode(newLine(f))
				mu.Unlock()
				if err != nil || o.exec.text == "" {
					return err
				}
				return o.exec.run(ctx, f)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&s.dir, "embedded", "",
		"run the server in this process and store the timers in this `folder`")
	flags.StringVar(&s.listen, "listen", defaultAddress,
		"`address` at which the embedded server listens")
	flags.StringVar(&s.http, "http", "",
		"`address` at which anybody may ask for /metrics, /live and /ready")
	add := func(option durable.ServerOption) error { s.options = append(s.options, option); return nil }
	flags.BoolFunc("insecure", "listen where other machines can connect, and ask them for nothing",
		func(string) error { return add(durable.Insecure()) })
	flags.Func("max-store",
		"`bytes` that the embedded server may store, such as 500M or 20G (half of the room on the disk); "+
			"the last tenth is kept for moving, cancelling and firing",
		func(text string) error {
			n, err := parseSize(text)
			return errors.Join(err, add(durable.MaxStore(n)))
		})
	flags.BoolFunc("accept-loss", "start although timers are missing in the folder",
		func(string) error { return add(durable.AcceptLoss()) })
	flags.StringVar(&o.exec.text, "exec", "", "shell `command` to run for each timer")
	flags.DurationVar(&o.exec.timeout, "timeout", time.Minute, "how long a command may run")
	flags.DurationVar(&o.exec.grace, "grace", 10*time.Second, "how long a command may take to end")
	flags.BoolVar(&s.verbose, "verbose", false, "log what is tried again")
	flags.IntVar(&o.cfg.Concurrency, "concurrency", 64, "timers handled at a time")
	return cmd
}

// connect connects to the server, which it starts if it is embedded. It calls failed
// if that cannot go on.
func (s *serving) connect(o *options, failed func(error)) (nc *nats.Conn, closeAll func(), err error) {
	if s.dir == "" {
		nc, err := o.connect(nats.RetryOnFailedConnect(true))
		if err != nil {
			return nil, nil, err
		}
		return nc, nc.Close, nil
	}
	options, err := o.identity.server()
	if err != nil {
		return nil, nil, err
	}
	options = append(append(options, s.options...), durable.Listen(s.listen), durable.Log(o.cfg.Logger))
	server, err := durable.Embedded(s.dir, options...)
	if errors.Is(err, durable.ErrLoss) {
		err = fmt.Errorf("%w: restore the folder from a copy, or go on by --accept-loss", err)
	}
	if err != nil {
		return nil, nil, err
	}
	if nc, err = server.Connect(nats.Name("timerd")); err != nil {
		server.Close()
		return nil, nil, err
	}
	go func() {
		if err := server.Wait(); err != nil {
			failed(err)
		}
	}()
	return nc, func() { nc.Close(); server.Close() }, nil
}

// parseSize reads a number of bytes, with one of K, M, G and T for powers of 1024.
func parseSize(text string) (int64, error) {
	number, unit := text, int64(1)
	if at := strings.IndexAny(text, "KMGT"); at >= 0 && at == len(text)-1 {
		number, unit = text[:at], 1<<(10*(1+strings.IndexByte("KMGT", text[at])))
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64/unit {
		return 0, errors.New("want a number of bytes such as 500M or 20G")
	}
	return n * unit, nil
}
