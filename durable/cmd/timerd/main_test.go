package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/netutil"

	"github.com/timerbench/timerbench/durable"
)

// timerd runs the command with arguments and returns its output.
func timerd(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := command(&options{})
	cmd.SetOut(&out)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// fatalIf ends the test with an error, if there is one.
func fatalIf(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// freeAddress returns an address at which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	fatalIf(t, err)
	defer l.Close()
	return l.Addr().String()
}

// serveAt runs a server until the test ends. must runs timerd with it, and returns its output.
func serveAt(t *testing.T, options ...durable.ServerOption) (server *durable.Server, at string, must func(args ...string) string) {
	t.Helper()
	at = freeAddress(t)
	server, err := durable.Embedded(t.TempDir(), append(options, durable.Listen(at))...)
	fatalIf(t, err)
	t.Cleanup(func() { server.Close() })
	return server, at, func(args ...string) string {
		t.Helper()
		out, err := timerd(t, append(args, "--nats", "nats://"+at)...)
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		return out
	}
}

// The commands of the README, without the shell.
func TestCommands(t *testing.T) {
	_, address, must := serveAt(t)
	must("schedule", "now", "0s", "payload")
	must("schedule", "later", "36h")
	must("schedule", "then", "2100-01-01T00:00:00Z", "> \n*")
	must("schedule", "--every", "tick", "@every 24h", "x", "--absent", "--attempts", "3", "--timeout", "1h")
	if out := must("list"); strings.Count(out, "\n") != 4 || !strings.Contains(out, `"@every 24h"`) || !strings.Contains(out, `"> \n*"`) {
		t.Errorf("list:\n%s", out)
	}
	if out := must("list", "la"); strings.Count(out, "\n") != 1 || !strings.Contains(out, `"later"`) {
		t.Errorf("list la:\n%s", out)
	}
	for want, args := range map[string]string{
		`"later"`: "--after 30h --before 48h", `"now"`: "--before 1h", `"then"`: "--after 2099-12-31T00:00:00Z"} {
		out := must(append([]string{"list"}, strings.Fields(args)...)...)
		if !strings.Contains(out, want) || strings.Count(out, "\n") != 1 {
			t.Errorf("list %s:\n%s", args, out)
		}
	}
	must("move", "later", "72h")
	must("cancel", "later")
	for _, args := range [][]string{{"schedule", "--absent", "then", "1h"}, {"schedule", "then", "1h", "--attempts", "-1"}, {"list", "--before", "soon"}, {"list", "--after", "soon"}, {"list", "--state", "lost"}, {"cancel", "later"}, {"move", "later", "1h"}, {"move", "then", "soon"},
		{"revive", "later"}, {"discard", "later"}, {"schedule", "key", "soon"}, {"schedule", "key"}, {"schedule", "--every", "key", "soon"}} {
		if _, err := timerd(t, append(args, "--nats", "nats://"+address)...); err == nil {
			t.Errorf("%q: no error", args)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	var out lines
	cmd := command(&options{})
	cmd.SetOut(&out)
	cmd.SetErr(&lines{})
	out.cancel = cancel // the first line ends it
	cmd.SetArgs([]string{"serve", "--nats", "nats://" + address, "--exec", `test "$TIMER_KEY $TIMER_PAYLOAD" = "now payload"`})
	if err := cmd.ExecuteContext(ctx); err == nil {
		t.Error("serve returned no error when its context ended")
	}
	if text := out.String(); !strings.Contains(text, `"key":"now","payload":"payload"`) {
		t.Errorf("serve wrote %q", text)
	}
	if text := must("stats"); !strings.Contains(text, "timers pending") || !strings.Contains(text, "2\n") {
		t.Errorf("stats:\n%s", text)
	}
}

// The exit code tells a wrong argument from another error, and no message has a control character.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	_, at, _ := serveAt(t)
	for _, test := range []struct {
		code int
		want string
		args []string
	}{
		{0, "timers pending", []string{"stats"}},
		{0, "", []string{"schedule", "key", "1h"}},
		{1, `no timer "\x1b[2J"`, []string{"cancel", "\x1b[2J"}},
		{1, `timer "key" exists already`, []string{"schedule", "key", "1h", "--absent"}},
		{1, `no dead letter "key"`, []string{"revive", "key"}},
		{0, "exit code is 2", []string{"help"}}, {0, "WHEN is a duration", []string{"help", "schedule"}},
		{2, "unknown command", []string{"nope"}}, {2, "want 0 to 59", []string{"explain", "60 * * * *"}}, {2, "unknown command", []string{"help", "nope"}}, {2, "unknown command", []string{"completion"}}, {2, "unknown flag: --nope", []string{"stats", "--nope"}}, {2, "accepts 2 arg", []string{"move", "key"}},
		{2, "", []string{"\x1b[2J"}}, {2, "", []string{"stats", "--\x1b[2J"}}, {2, "", []string{"stats", "--replicas", "\x1b[2J"}},
		{2, "the delay -5s is negative: want at least 0s", []string{"schedule", "a", "-5s"}},
		{2, "the delay -1h30m0s is negative", []string{"move", "a", "-1.5h"}},
		{2, "the delay -5s is negative", []string{"schedule", "--", "a", "-5s"}},
		{2, `WHEN is "\x1b[2J": want a duration`, []string{"schedule", "a", "\x1b[2J"}}, {2, `WHEN is "soon"`, []string{"move", "a", "soon"}},
		{2, `descriptor "@\x1b[2Jx"`, []string{"schedule", "--every", "k", "@\x1b[2Jx"}}, {2, "depends on the machine", []string{"schedule", "--every", "k", "TZ=Local @daily"}},
		{2, "--attempts -1", []string{"schedule", "a", "1h", "--attempts", "-1"}}, {2, "--timeout -1s", []string{"schedule", "a", "1h", "--timeout", "-1s"}},
		{2, "--before", []string{"list", "--before", "soon"}}, {2, `--state "lost"`, []string{"list", "--state", "lost"}},
		{2, `--name is "a b"`, []string{"stats", "--name", "a b"}}, {2, "--replicas is 9", []string{"stats", "--replicas", "9"}},
		{2, "--concurrency is -1", []string{"serve", "--concurrency", "-1"}}, {2, "--listen: address", []string{"serve", "--embedded", t.TempDir(), "--listen", "x"}},
		{2, "--grace -1s", []string{"serve", "--grace", "-1s"}},
		{2, "want timerd move KEY WHEN", []string{"move", "key"}}, {2, "want timerd explain SPEC", []string{"explain", "30", "4", "*", "*", "*"}},
		{2, `--replicas "two": want a whole number`, []string{"stats", "--replicas", "two"}}, {2, `--grace "5": want a time such as 30s`, []string{"serve", "--grace", "5"}},
		{2, `KEY "" has 0 bytes: want 1 to 512`, []string{"cancel", ""}}, {2, `KEY "a": deadline 3000-01-01 `, []string{"schedule", "a", "3000-01-01T00:00:00Z"}},
		{2, "--exec: its value is empty", []string{"serve", "--exec", ""}}, {2, "--embedded: its value is empty", []string{"serve", "--embedded", ""}},
		{2, "--nats: cannot be used with --embedded", []string{"serve", "--nats", "nats://" + at, "--embedded", t.TempDir()}},
		{2, "--max-store: needs --embedded", []string{"serve", "--max-store", "1G"}}, {2, "--insecure: needs --embedded", []string{"serve", "--insecure"}},
		{2, "--listen: other machines would have full access", []string{"serve", "--embedded", t.TempDir(), "--listen", "0.0.0.0:4222", "--insecure=false"}},
		{2, "--http 9090: address 9090: missing port in address: want host:port", []string{"serve", "--http", "9090"}}, {2, "want host:port", []string{"serve", "--http", "127.0.0.1:99999"}},
		{2, "--replicas 3: the embedded server is a single node", []string{"serve", "--embedded", t.TempDir(), "--replicas", "3"}},
		{2, `WHEN is "*/5 * * * *", a cron expression: want --every`, []string{"schedule", "a", "*/5 * * * *"}},
		{2, "--nats h:x: not a valid URL", []string{"stats", "--nats", "nats://user:secret@h:x"}},
		{2, "--after and --before: want ", []string{"list", "--after", "2h", "--before", "1h"}},
		{2, "--max-store", []string{"serve", "--max-store", "5X"}}, {2, "--tlsca", []string{"serve", "--embedded", t.TempDir(), "--tlsca", "c"}},
	} {
		var out, errs strings.Builder
		args := test.args
		if !slices.Contains(args, "--embedded") {
			args = append([]string{"--nats", "nats://" + at}, args...)
		}
		if code := (&options{}).execute(t.Context(), args, &out, &errs); code != test.code || !strings.Contains(out.String()+errs.String(), test.want) ||
			strings.ContainsAny(errs.String(), "\x1b") || (code == 0) != (errs.Len() == 0) {
			t.Errorf("%q: exit code %d, output %q, errors %q; want %d, %q", test.args, code, &out, &errs, test.code, test.want)
		}
	}
}

// A command waits for a server that starts after it.
func TestWaitsForServer(t *testing.T) {
	t.Parallel()
	for range 10 { // a busy server may take too long
		at, dir := freeAddress(t), t.TempDir()
		started := make(chan *durable.Server)
		time.AfterFunc(300*time.Millisecond, func() {
			s, err := durable.Embedded(dir, durable.Listen(at))
			if err != nil {
				t.Error(err)
			}
			started <- s
		})
		_, err := timerd(t, "schedule", "key", "1h", "--nats", "nats://"+at)
		if s := <-started; s != nil {
			s.Close()
		}
		if err == nil {
			return
		}
		t.Log(err)
	}
	t.Error("it has never waited long enough")
}

// Dead letters are revived and discarded.
func TestDeadLetters(t *testing.T) {
	_, address, must := serveAt(t, durable.Token("secret"))
	if _, err := timerd(t, "stats", "--nats", "nats://"+address); err == nil {
		t.Error("without the token there is no error")
	}
	t.Setenv("NATS_TOKEN", "secret")
	must("schedule", "key", "0s", "payload", "--attempts", "1")
	must("schedule", "other", "0s", "--attempts", "1")
	gate, out := filepath.Join(t.TempDir(), "gate"), &lines{}
	end := serveIn(t, out, "--nats", "nats://"+address, "--exec", "while [ ! -e '"+gate+"' ]; do sleep 0.05; done; exit 1")
	listed := func(lines int, args ...string) {
		t.Helper()
		until(t, func() bool { return strings.Count(must(append([]string{"list"}, args...)...), "\n") == lines })
	}
	listed(1, "k", "--state", "fired")
	fatalIf(t, os.WriteFile(gate, nil, 0o600))
	listed(2, "--state", "dead")
	must("revive", "key")
	listed(2, "--state", "dead")
	end()
	if n := strings.Count(out.String(), `"key":"key"`); n != 2 {
		t.Errorf("it is handled %d times, want twice", n)
	}
	must("discard", "key")
	listed(1, "--state", "dead")
	if out := must("stats"); !strings.Contains(out, "bytes in the whole store") {
		t.Errorf("stats:\n%s", out)
	}
}

// serveIn runs timerd serve in this process until end is called.
func serveIn(t *testing.T, out io.Writer, args ...string) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := command(&options{})
	cmd.SetOut(out)
	cmd.SetErr(io.Discard)
	cmd.SetArgs(append([]string{"serve"}, args...))
	ended := make(chan struct{})
	go func() { _ = cmd.ExecuteContext(ctx); close(ended) }() // ctx ends
	return func() { cancel(); <-ended }
}

// until waits until is returns true, for a minute at most.
func until(t *testing.T, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the condition is still false after a minute")
		}
	}
}

// lines is a buffer that ends a context shortly after the first line.
type lines struct {
	bytes.Buffer
	cancel context.CancelFunc
}

func (l *lines) Write(p []byte) (int, error) {
	if l.cancel != nil {
		time.AfterFunc(300*time.Millisecond, l.cancel)
		l.cancel = nil
	}
	return l.Buffer.Write(p)
}

// The output of timerd continues a file whose last line was cut short, and begins a new line.
func TestContinuesOutput(t *testing.T) {
	t.Parallel()
	_, address, must := serveAt(t)
	name := filepath.Join(t.TempDir(), "out")
	for i, test := range []struct{ before, after string }{
		{"", ""}, {"{}\n", "{}\n"}, {`{"key":"cut sh`, "{\"key\":\"cut sh\n"}, {"\n", "\n"},
	} {
		key := string(rune('a' + i))
		fatalIf(t, os.WriteFile(name, []byte(test.before), 0o600))
		out, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
		fatalIf(t, err)
		must("schedule", key, "0s")
		end := serveIn(t, out, "--nats", "nats://"+address)
		var text string
		until(t, func() bool {
			b, err := os.ReadFile(name)
			text = string(b)
			return err == nil && strings.HasSuffix(text, "}\n") && text != test.before
		})
		end()
		_ = out.Close()
		rest, ok := strings.CutPrefix(text, test.after)
		if !ok || !json.Valid([]byte(rest)) || !strings.Contains(rest, `"key":"`+key+`"`) {
			t.Errorf("after %q there is %q", test.before, text)
		}
	}
}

// short is an output that is full after some bytes, until it has room again.
type short struct {
	strings.Builder
	room int
}

func (s *short) Write(p []byte) (int, error) {
	n, _ := s.Builder.Write(p[:min(len(p), s.room)])
	if s.room -= n; n < len(p) {
		return n, errors.New("no space left")
	}
	return n, nil
}

// After an error in the middle of a line the output goes on, with a new line.
func TestOutputGoesOn(t *testing.T) {
	out := &short{room: 10}
	o := newOutput(out, slog.New(slog.DiscardHandler))
	write := func() error { return o.write(t.Context(), newLine(durable.Fired{Key: "key"})) }
	for range 2 {
		if write() == nil {
			t.Fatal("there is no error")
		}
	}
	out.room = 1000
	for range 2 {
		fatalIf(t, write())
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 4 || len(lines[0]) != 10 || lines[1] != lines[2] || !json.Valid([]byte(lines[1])) || lines[3] != "" {
		t.Errorf("it has written %q", lines)
	}
}

// timerd knows time zones where the machine knows none.
func TestHasTimeZones(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil || !strings.Contains(string(out), "\ntime/tzdata\n") {
		t.Errorf("time/tzdata is not linked: %v", err)
	}
}

// list shows why a timer cannot run, and no control character of an expression.
func TestRecurrence(t *testing.T) {
	for want, timer := range map[string]durable.Timer{
		"":                 {},
		`"@hourly\x1b[2J"`: {Cron: "@hourly\x1b[2J"},
		`"@hourly" cannot be computed: "unknown \x1b zone"`: {Cron: "@hourly", Error: "unknown \x1b zone"},
	} {
		if got := recurrence(timer); got != want {
			t.Errorf("%+v: %s, want %s", timer, got, want)
		}
	}
}

// Idle connections are closed, so they cannot keep others out for long.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	web := webServer(http.NotFoundHandler())
	if web.ReadHeaderTimeout <= 0 || web.ReadTimeout <= 0 || web.WriteTimeout <= 0 || web.IdleTimeout <= 0 {
		t.Errorf("some time has no limit: %+v", web)
	}
	web.ReadHeaderTimeout, web.IdleTimeout = 100*time.Millisecond, 100*time.Millisecond
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	fatalIf(t, err)
	l := netutil.LimitListener(listener, 3)
	go func() { _ = web.Serve(l) }() // until it is closed
	t.Cleanup(func() { _ = web.Close() })
	address := "http://" + l.Addr().String()
	for _, used := range []bool{false, true} {
		var idle []net.Conn
		for range 9 { // three times as many as there is room for
			c, err := net.Dial("tcp", l.Addr().String())
			fatalIf(t, err)
			defer c.Close()
			if used {
				if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
					t.Fatal(err)
				}
			}
			idle = append(idle, c)
		}
		response, err := http.Get(address)
		fatalIf(t, err)
		_ = response.Body.Close()
		for _, c := range idle {
			_ = c.SetReadDeadline(time.Now().Add(time.Minute))
			if _, err := io.Copy(io.Discard, c); err != nil { // it is closed
				t.Errorf("an idle connection stays open: %v", err)
			}
		}
	}
}
