package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/durable"
)

// line is what serve writes for a timer that it handles.
type line struct {
	Key      string    `json:"key"`
	Payload  string    `json:"payload"`
	Deadline time.Time `json:"deadline"`
	Lateness string    `json:"lateness"`
	Attempt  int       `json:"attempt"`
	ID       string    `json:"id"`
}

func serveCommand(o *options) *cobra.Command {
	var dir, listen, command string
	var verbose bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Be a worker: fire timers and handle them",
		Long: `Be a worker: fire timers and handle them. With --embedded the server that stores them runs in this process;
without it, it is where --nats says. A timer is handled when its line has been written and, with --exec, the command has
returned 0.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if verbose {
				o.cfg.Logger = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelDebug}))
			}
			nc, err := o.connect(dir, listen)
			if err != nil {
				return err
			}
			defer nc.close()
			c, err := durable.Open(ctx, nc.Conn, o.cfg)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.ErrOrStderr(), "timerd: serving")
			var mu sync.Mutex
			out := json.NewEncoder(cmd.OutOrStdout())
			return c.Serve(ctx, func(ctx context.Context, f durable.Fired) error {
				mu.Lock()
				err := out.Encode(line{Key: f.Key, Payload: string(f.Payload), Deadline: f.Deadline,
					Lateness: f.Lateness.String(), Attempt: f.Attempt, ID: f.ID})
				mu.Unlock()
				if err != nil || command == "" {
					return err
				}
				return run(ctx, command, f)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&dir, "embedded", "", "run the server in this process and store the timers in this `folder`")
	flags.StringVar(&listen, "listen", defaultAddress, "`address` at which the embedded server listens")
	flags.StringVar(&command, "exec", "", "shell `command` to run for each timer, with TIMER_KEY, TIMER_PAYLOAD, TIMER_ID and TIMER_ATTEMPT")
	flags.BoolVar(&verbose, "verbose", false, "log what is tried again")
	flags.IntVar(&o.cfg.Concurrency, "concurrency", 64, "timers handled at a time")
	return cmd
}

// connection is a connection and, if it is embedded, its server.
type connection struct {
	*nats.Conn
	server *durable.Server
}

func (o *options) connect(dir, listen string) (connection, error) {
	if dir == "" {
		nc, err := nats.Connect(o.url, nats.Name("timerd"), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true))
		if err != nil {
			return connection{}, fmt.Errorf("server %s: %w", o.url, err)
		}
		return connection{Conn: nc}, nil
	}
	server, err := durable.Embedded(dir, durable.Listen(listen))
	if err != nil {
		return connection{}, err
	}
	nc, err := server.Connect(nats.Name("timerd"))
	if err != nil {
		server.Close()
		return connection{}, err
	}
	return connection{nc, server}, nil
}

func (c connection) close() {
	c.Conn.Close()
	if c.server != nil {
		c.server.Close()
	}
}

// run runs the command of --exec.
func run(ctx context.Context, command string, f durable.Fired) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Env = append(cmd.Environ(), "TIMER_KEY="+f.Key, "TIMER_PAYLOAD="+string(f.Payload), "TIMER_ID="+f.ID,
		"TIMER_ATTEMPT="+strconv.Itoa(f.Attempt))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("command: %w: %.500s", err, out)
	}
	return nil
}
