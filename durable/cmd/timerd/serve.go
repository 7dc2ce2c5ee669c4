package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"
	"golang.org/x/net/netutil"

	"github.com/timerbench/timerbench/durable"
)

// line is the line of output for a timer that is handled.
type line struct {
	Key           string    `json:"key,omitempty"`
	KeyBase64     []byte    `json:"key_base64,omitempty"` // if it is not valid UTF-8
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

// output writes lines of JSON. A line never continues another one that a crash or an error has cut short.
type output struct {
	out   io.Writer
	log   *slog.Logger
	turn  chan struct{} // holds a token while a line is written
	inner bool          // the output may end inside a line
	stuck atomic.Bool   // a line has not been written within stallTime
}

const stallTime = 10 * time.Second

func newOutput(out io.Writer, log *slog.Logger) *output {
	o := &output{out: out, log: log, turn: make(chan struct{}, 1)}
	if f, ok := out.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			o.inner = !endsLine(f.Name(), info.Size()) // f itself may be open for writing only
		}
	}
	return o
}

// endsLine reports whether a file of this size ends with a newline.
func endsLine(name string, size int64) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // nothing was written
	last := make([]byte, 1)
	_, err = f.ReadAt(last, size-1)
	return err == nil && last[0] == '\n'
}

// write writes l. It returns an error if ctx ends before that.
func (o *output) write(ctx context.Context, l line) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	select {
	case o.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	written := make(chan error, 1)
	go func() {
		defer func() { <-o.turn }()
		written <- o.writeNow(append(text, '\n'))
	}()
	select {
	case err = <-written:
		return err
	case <-ctx.Done():
		return fmt.Errorf("standard output has not taken a line: %w", ctx.Err())
	}
}

func (o *output) writeNow(text []byte) error {
	late := time.AfterFunc(stallTime, func() {
		o.stuck.Store(true)
		o.log.Error(errStuck.Error())
	})
	if o.inner {
		text = append([]byte{'\n'}, text...)
	}
	n, err := o.out.Write(text)
	late.Stop()
	o.stuck.Store(false)
	o.inner = err != nil && (o.inner || n > 0)
	return err
}

var errStuck = fmt.Errorf("standard output has taken nothing for %v: the program that reads it hangs", stallTime)

// ready is the handler of a client, but not ready while the output is stuck.
func (o *output) ready(client http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ready" && o.stuck.Load() {
			http.Error(w, errStuck.Error(), http.StatusServiceUnavailable)
			return
		}
		client.ServeHTTP(w, r)
	})
}

const serveHelp = `Be a worker: fire timers and handle them. With --embedded, this process also runs the server
that stores them; without it, the worker connects to the server at --nats. A timer has been
handled when its line is written and, with --exec, its command has exited with status 0. If a
command fails, it runs again, up to 10 times in all. After a crash a timer may be handled again.
Its id stays the same.

A line is a JSON object with the fields key, payload, deadline, lateness, attempt (1 for the
first) and id. If a key or payload is not valid UTF-8, the line has key_base64 or payload_base64
instead, and the id begins with the key in base64. If the output is a file that ends inside a line,
because timerd was killed while it wrote, the first line begins after a newline.

sh runs the command of --exec, in a process group of its own. The command reads the payload from
standard input. Its environment has TIMER_KEY, TIMER_ID, TIMER_ATTEMPT and TIMER_PAYLOAD, but not
NATS_PASSWORD and NATS_TOKEN. TIMER_PAYLOAD is missing if the payload has a NUL byte or more than
64 kB, and TIMER_KEY and TIMER_ID if the key has a NUL byte. Of the output of a command that fails,
the first 500 bytes are kept with the error. A command that runs longer than --timeout gets SIGTERM
and, after --grace, SIGKILL; so do its children. If the timer has a --timeout of its own, that
covers both, and one more second.

SIGTERM or Ctrl-C ends timerd: it takes no more timers, and kills commands that have not exited
after --grace. Timers whose lines have not been written are handed over again. A second signal kills them at once. If timerd is killed by SIGKILL, Linux kills its
commands, but not their children. On other systems the commands keep running, and another worker
may run them again at the same time.`

type serving struct {
	dir, listen, http             string
	verbose, insecure, acceptLoss bool
	maxStore                      int64 // 0: the default of the server
}

func serveCommand(o *options) *cobra.Command {
	s := serving{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Be a worker: fire timers and handle them",
		Long:  serveHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.check(cmd, o); err != nil {
				return err
			}
			if e := &o.exec; e.timeout <= 0 || e.grace < 0 || e.timeout > longest || e.grace > longest {
				return fmt.Errorf("--timeout %v and --grace %v: want more than 0, and at least 0, up to %v", e.timeout, e.grace, longest)
			}
			if i := &o.identity; s.dir != "" && i.ca != "" && i.cert == "" {
				return errors.New("--tlsca: an embedded server needs --tlscert and --tlskey as well")
			}
			o.runs = true
			// The handler has longer than its command, so that the command never runs twice at the same time.
			o.cfg.HandlerTimeout = o.exec.timeout + o.exec.grace + afterGrace
			level := slog.LevelWarn
			if s.verbose {
				level = slog.LevelDebug
			}
			handler := &slog.HandlerOptions{Level: level}
			o.cfg.Logger = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), handler))
			ctx, cancel := context.WithCancelCause(cmd.Context())
			defer cancel(nil)
			nc, closeAll, err := s.connect(ctx, o, cancel)
			if err != nil {
				return err
			}
			defer closeAll()
			c, err := durable.Open(ctx, nc, o.cfg)
			if err != nil {
				return err
			}
			out := newOutput(cmd.OutOrStdout(), o.cfg.Logger)
			if s.http != "" {
				l, err := net.Listen("tcp", s.http)
				if err != nil {
					return fmt.Errorf("--http %s: %w", s.http, err)
				}
				web := webServer(out.ready(c.Handler()))
				l = netutil.LimitListener(l, maxConnections)
				go func() { _ = web.Serve(l) }()   // until it is closed
				defer func() { _ = web.Close() }() // nobody waits for an answer
			}
			where := fmt.Sprintf("of %q", hosts(o.url))
			if s.dir != "" {
				where = fmt.Sprintf("in folder %q at %s", s.dir, s.listen)
			}
			fmt.Fprintln(cmd.ErrOrStderr(), "timerd: serving the timers", where)
			return c.Serve(ctx, func(handler context.Context, f durable.Fired) error {
				// Beyond its timeout it keeps its place: a call that failed would be followed by others.
				if err := out.write(ctx, newLine(f)); err != nil || o.exec.text == "" {
					return err
				}
				return o.exec.run(handler, f)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&s.dir, "embedded", "",
		"run a server in this process that stores the timers in this `folder`")
	flags.StringVar(&s.listen, "listen", defaultAddress,
		"`address` of the embedded server")
	flags.StringVar(&s.http, "http", "",
		"serve /metrics, /live and /ready at this `address`, without authentication")
	flags.BoolVar(&s.insecure, "insecure", false, "let other machines connect to the embedded server without authentication")
	flags.Func("max-store",
		"`bytes` that the embedded server may store, such as 500M or 20G (default half of the free disk); "+
			"the last tenth is reserved for moving, cancelling and firing timers",
		func(text string) (err error) {
			s.maxStore, err = parseSize(text)
			return err
		})
	flags.BoolVar(&s.acceptLoss, "accept-loss", false, "start even if timers are missing from the folder")
	flags.StringVar(&o.exec.text, "exec", "", "shell `command` to run for each timer")
	flags.DurationVar(&o.exec.timeout, "timeout", time.Minute, "how long a command may run")
	flags.DurationVar(&o.exec.grace, "grace", 10*time.Second, "how long a command may take to exit after SIGTERM")
	flags.BoolVar(&s.verbose, "verbose", false, "also log operations that are retried")
	flags.IntVar(&o.cfg.Concurrency, "concurrency", 64, "how many timers are handled at a time")
	return cmd
}

// check refuses flags that contradict each other or would have no effect, and an address that cannot be.
func (s *serving) check(cmd *cobra.Command, o *options) error {
	if s.dir != "" && cmd.Flags().Changed("nats") {
		return errors.New("--nats: cannot be used with --embedded, which runs a server of its own")
	}
	for _, name := range []string{"listen", "insecure", "max-store", "accept-loss"} {
		if s.dir == "" && cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s: needs --embedded, because it is about the server", name)
		}
	}
	if s.dir != "" && o.cfg.Replicas > 1 {
		return fmt.Errorf("--replicas %d: the embedded server is a single node: want 1", o.cfg.Replicas)
	}
	if s.http == "" {
		return nil
	}
	if _, err := net.ResolveTCPAddr("tcp", s.http); err != nil {
		return fmt.Errorf("--http %s: %w: want host:port, such as 127.0.0.1:9090", s.http, err)
	}
	return nil
}

// connect connects to the server, and starts it first if it is embedded. It calls failed if the
// embedded server stops with an error.
func (s *serving) connect(ctx context.Context, o *options, failed func(error)) (nc *nats.Conn, closeAll func(), err error) {
	if s.dir == "" {
		nc, err := o.connect(ctx, nats.RetryOnFailedConnect(true))
		if err != nil {
			return nil, nil, err
		}
		return nc, nc.Close, nil
	}
	options, err := o.identity.server()
	if err != nil {
		return nil, nil, err
	}
	options = append(options, durable.Listen(s.listen), durable.Log(o.cfg.Logger))
	if s.insecure {
		options = append(options, durable.Insecure())
	}
	if s.acceptLoss {
		options = append(options, durable.AcceptLoss())
	}
	if s.maxStore > 0 {
		options = append(options, durable.MaxStore(s.maxStore))
	}
	server, err := durable.Embedded(s.dir, options...)
	if errors.Is(err, durable.ErrLoss) {
		err = fmt.Errorf("%w: restore the folder from a copy, or start with --accept-loss", err)
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

// maxConnections is how many connections --http keeps open at a time. Others wait.
const maxConnections = 64

// webServer returns a server that closes connections which are slow or idle.
func webServer(handler http.Handler) *http.Server {
	const most = 10 * time.Second
	return &http.Server{Handler: handler, ReadHeaderTimeout: most, ReadTimeout: most, WriteTimeout: most, IdleTimeout: most}
}

// parseSize parses a number of bytes. The suffixes K, M, G and T are powers of 1024.
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
