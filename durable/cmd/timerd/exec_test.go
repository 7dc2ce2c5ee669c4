//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/timerbench/timerbench/durable"
)

// The tests that send signals start this binary again as timerd. This variable holds its arguments.
const childEnv = "TIMERD_TEST_ARGS"

func TestMain(m *testing.M) {
	if text := os.Getenv(childEnv); text != "" {
		os.Args = append(os.Args[:1], strings.Split(text, "\n")...)
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The command gets any payload on standard input, and as variables if they can hold it.
func TestExecInput(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		key     string
		payload []byte
		want    []string
		not     string
	}{
		"text": {"key", []byte("payload"), []string{
			"TIMER_KEY=key", "TIMER_PAYLOAD=payload", "TIMER_ID=key@1", "TIMER_ATTEMPT=3"}, "none"},
		"empty": {"key", nil, []string{"TIMER_PAYLOAD="}, "none"},
		"NUL":   {"k\x00y", []byte("a\x00b"), []string{"TIMER_ATTEMPT=3"}, "TIMER_KEY"},
		"large": {"key", bytes.Repeat([]byte("x"), 1<<20), []string{"TIMER_KEY=key"}, "TIMER_PAYLOAD"},
	} {
		dir := t.TempDir()
		text := fmt.Sprintf("cd %s; cat >input; env | grep TIMER_ >variables", dir)
		c := commands{text: text, timeout: time.Minute, grace: time.Second}
		f := durable.Fired{Key: test.key, Payload: test.payload, ID: test.key + "@1", Attempt: 3}
		if err := c.run(t.Context(), f); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		input, err := os.ReadFile(filepath.Join(dir, "input"))
		if err != nil || !bytes.Equal(input, test.payload) {
			t.Errorf("%s: input of %d bytes, %v", name, len(input), err)
		}
		variables, err := os.ReadFile(filepath.Join(dir, "variables"))
		for _, want := range test.want {
			if err != nil || !strings.Contains("\n"+string(variables), "\n"+want+"\n") {
				t.Errorf("%s: want %s: %s, %v", name, want, variables, err)
			}
		}
		if strings.Contains(string(variables), test.not) {
			t.Errorf("%s: want no %s: %s", name, test.not, variables)
		}
	}
	c := commands{text: "true", timeout: time.Minute, grace: time.Second} // which does not read
	if err := c.run(t.Context(), durable.Fired{Key: "key", Payload: make([]byte, 1<<20)}); err != nil {
		t.Error(err)
	}
}

// Little of the output of a command is kept, and it does not get the secrets of timerd.
func TestExecOutput(t *testing.T) {
	t.Setenv("NATS_PASSWORD", "secret")
	t.Setenv("NATS_TOKEN", "secret")
	c := commands{text: `env | grep -c ^NATS_; printf begin; head -c 100M /dev/zero; exit 3`, timeout: time.Minute, grace: time.Second}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := c.run(t.Context(), durable.Fired{Key: "key"})
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "exit status 3: 0\nbegin") || len(err.Error()) > maxHead+100 {
		t.Errorf("run = %.600q, want the status and the first %d bytes", err, maxHead)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 10<<20 {
		t.Errorf("%d bytes were allocated for the output", n)
	}
}

// Errors do not contain the secrets in a URL.
func TestSecretURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"nats://me:secret@127.0.0.1:1", "nats://secret@127.0.0.1:1", "me:secret@127.0.0.1:1",
		"nats://me:%secret@127.0.0.1:1", "nats://me:secret/x@127.0.0.1:1"} {
		_, err := timerd(t, "stats", "--nats", url)
		if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "127.0.0.1:1") {
			t.Errorf("%s: %v, want an error without the secret", url, err)
		}
	}
}

// startTimerd starts this binary as timerd, for a minute at most.
func startTimerd(t *testing.T, out, log *os.File, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	fatalIf(t, err)
	cmd := exec.Command(exe)
	if out != nil { // or it would be an io.Writer that is not nil
		cmd.Stdout, cmd.Stderr = out, log
	}
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join(args, "\n"))
	fatalIf(t, cmd.Start())
	late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { late.Stop(); _ = cmd.Process.Kill() })
	return cmd
}

// beats is a command with a child that writes to a file for a minute and ignores SIGTERM.
func beats(file string) string {
	return fmt.Sprintf(`(trap "" TERM; for i in $(seq 3000); do echo >>'%s'; sleep 0.02; done) & wait`, file)
}

// stopped fails the test if the file still grows.
func stopped(t *testing.T, file string) {
	t.Helper()
	before, err := os.Stat(file)
	fatalIf(t, err)
	time.Sleep(200 * time.Millisecond)
	if after, err := os.Stat(file); err != nil || after.Size() != before.Size() {
		t.Errorf("a child of the command still runs: %v", err)
	}
}

// A command that takes too long is ended with its children, after --timeout or the timer's own limit.
func TestExecTimeout(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		own, timeout, grace time.Duration
		want                string
	}{
		"timeout":   {0, 300 * time.Millisecond, 200 * time.Millisecond, "300ms"},
		"own limit": {800 * time.Millisecond, time.Minute, time.Minute, "ended by timerd"},
	} {
		ctx := t.Context()
		if test.own > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, test.own)
			defer cancel()
		}
		file := filepath.Join(t.TempDir(), "beats")
		c := commands{text: beats(file), timeout: test.timeout, grace: test.grace}
		begin := time.Now()
		err := c.run(ctx, durable.Fired{Key: "key"})
		if err == nil || !strings.Contains(err.Error(), test.want) || time.Since(begin) > 30*time.Second {
			t.Errorf("%s: run = %v after %v, want an error with %q", name, err, time.Since(begin), test.want)
		}
		stopped(t, file)
	}
	c := commands{text: "exit 3", timeout: time.Minute, grace: time.Second}
	err := c.run(t.Context(), durable.Fired{Key: "key"})
	if err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("run = %v, want the exit status", err)
	}
}

// After the first signal a command has the grace to exit. The second signal kills it at once. On Linux a command does not
// outlive timerd, even if that is killed.
func TestSignals(t *testing.T) {
	t.Parallel()
	slow := func(file string) string {
		return fmt.Sprintf("echo begun >>'%[1]s'; sleep 1; echo done >>'%[1]s'", file)
	}
	forever := func(file string) string { return fmt.Sprintf("while true; do echo >>'%s'; sleep 0.02; done", file) }
	for name, test := range map[string]struct {
		command func(file string) string
		grace   string
		signals []syscall.Signal
	}{
		"within the grace": {slow, "20s", []syscall.Signal{syscall.SIGTERM}},
		"beyond the grace": {beats, "300ms", []syscall.Signal{syscall.SIGTERM}},
		"twice":            {beats, "1h", []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}},
		"killed":           {forever, "2h", []syscall.Signal{syscall.SIGKILL}},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "killed" && runtime.GOOS != "linux" {
				t.Skip("only Linux can do it")
			}
			t.Parallel()
			file := filepath.Join(t.TempDir(), "file")
			address, web := freeAddress(t), freeAddress(t)
			cmd := startTimerd(t, nil, nil, "serve", "--embedded", t.TempDir(), "--listen", address,
				"--http", web, "--exec", test.command(file), "--grace", test.grace)
			until(t, func() bool {
				response, err := http.Get("http://" + web + "/live")
				return err == nil && response.StatusCode == http.StatusOK
			})
			_, err := timerd(t, "schedule", "key", "0s", "--nats", "nats://"+address)
			fatalIf(t, err)
			until(t, func() bool { _, err := os.Stat(file); return err == nil })
			for _, s := range test.signals {
				_ = cmd.Process.Signal(s)
				time.Sleep(100 * time.Millisecond) // or the two are one
			}
			if err := cmd.Wait(); (err == nil) != slices.Equal(test.signals, []syscall.Signal{syscall.SIGTERM}) {
				t.Errorf("it ends with %v", err)
			}
			if stopped(t, file); test.grace != "20s" {
				return
			}
			if text, err := os.ReadFile(file); string(text) != "begun\ndone\n" {
				t.Errorf("the command wrote %q, %v", text, err)
			}
		})
	}
}

// Nobody reads standard output, or standard error either: timerd is not ready, ends at the first signal, and hands over again
// what was not written.
func TestStuckOutput(t *testing.T) {
	t.Parallel()
	for _, logged := range []bool{true, false} {
		t.Run(fmt.Sprint("logged=", logged), func(t *testing.T) {
			t.Parallel()
			testStuckOutput(t, logged)
		})
	}
}

// fill fills a pipe that nobody reads.
func fill(t *testing.T, pipe *os.File) {
	var written atomic.Int64
	go func() { // until the reader is closed
		for {
			n, err := pipe.Write([]byte{'\n'})
			if written.Add(int64(n)); err != nil {
				return
			}
		}
	}()
	for before := int64(-1); before != written.Load(); time.Sleep(time.Second) {
		before = written.Load()
	}
}

func testStuckOutput(t *testing.T, logged bool) {
	dir, address, web := t.TempDir(), freeAddress(t), freeAddress(t)
	args := []string{"serve", "--embedded", dir, "--listen", address, "--http", web, "--grace", "300ms"}
	unread, out, err := os.Pipe()
	fatalIf(t, err)
	defer func() { _ = unread.Close() }()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	fatalIf(t, err)
	unreadLog, errs, err := os.Pipe()
	fatalIf(t, err)
	defer func() { _ = unreadLog.Close() }()
	if logged {
		errs = log
	}
	cmd := startTimerd(t, out, errs, args...)
	ready := func() (int, string) {
		response, err := http.Get("http://" + web + "/ready")
		if err != nil {
			return 0, ""
		}
		defer func() { _ = response.Body.Close() }()
		text, _ := io.ReadAll(response.Body)
		return response.StatusCode, string(text)
	}
	until(t, func() bool { code, _ := ready(); return code == http.StatusOK })
	if !logged {
		fill(t, errs)
	}
	for _, key := range []string{"a", "b", "c"} { // more than a pipe holds
		_, err := timerd(t, "schedule", key, "0s", strings.Repeat(key, 200_000), "--nats", "nats://"+address)
		fatalIf(t, err)
	}
	until(t, func() bool {
		code, text := ready()
		return code == http.StatusServiceUnavailable && strings.Contains(text, "standard output has taken nothing for 10s")
	})
	fatalIf(t, cmd.Process.Signal(syscall.SIGTERM))
	if err := cmd.Wait(); err != nil { // after closeTime it would end with an error
		t.Errorf("it ends with %v", err)
	}
	text, err := os.ReadFile(log.Name())
	if !logged {
		text = make([]byte, 1000)
		_, err = unreadLog.Read(text)
	}
	if serving := fmt.Sprintf("timerd: serving the timers in folder %q at %s\n", dir, address); err != nil ||
		!strings.HasPrefix(string(text), serving) || logged != strings.Contains(string(text), "standard output has taken nothing") {
		t.Errorf("the log is %s, %v", text, err)
	}
	var again lines
	end := serveIn(t, &again, args[1:]...)
	until(t, func() bool {
		out, err := timerd(t, "stats", "--nats", "nats://"+address)
		return err == nil && strings.Contains(strings.Join(strings.Fields(out), " "), "timers pending 0 fired, not handled 0")
	})
	end()
	for _, key := range []string{"a", "b", "c"} {
		if !strings.Contains(again.String(), `"key":"`+key+`"`) {
			t.Errorf("%s is not handed over again", key)
		}
	}
}

// A key or payload that is not valid UTF-8 is written as base64.
func TestLine(t *testing.T) {
	for _, test := range []struct{ key, payload, want string }{
		{"key", "payload", `"key":"key","payload":"payload",`},
		{"key", "", `"key":"key","payload":"",`},
		{"k\x00", "\x00", `"key":"k\u0000","payload":"\u0000",`},
		{"k\xff", "\xff", `"key_base64":"a/8=","payload_base64":"/w==",`},
	} {
		f := durable.Fired{Key: test.key, Payload: []byte(test.payload), ID: test.key + "@1"}
		text, err := json.Marshal(newLine(f))
		if err != nil || !strings.HasPrefix(string(text), "{"+test.want) {
			t.Errorf("%q, %q: %s, %v", test.key, test.payload, text, err)
		}
	}
	if id := newLine(durable.Fired{Key: "k\xff", ID: "k\xff@1"}).ID; id != "a/8=@1" {
		t.Errorf("id %q", id)
	}
}

func TestServeRefuses(t *testing.T) {
	t.Parallel()
	lossy := t.TempDir()
	note := `{"Streams":{"timers":[5]}}`
	fatalIf(t, os.WriteFile(filepath.Join(lossy, "timers.json"), []byte(note), 0o600))
	port := freeAddress(t)[len("127.0.0.1"):]
	for want, args := range map[string][]string{
		"--accept-loss":                   {"--embedded", lossy, "--listen", freeAddress(t)},
		"Insecure":                        {"--embedded", t.TempDir(), "--listen", "0.0.0.0" + port},
		"want a number of bytes":          {"--max-store", "5X"},
		"--timeout 0s":                    {"--timeout", "0s"},
		"--timeout 2562047h0m0s":          {"--timeout", "2562047h"}, // sums are out of range
		"--grace 2562047h0m0s":            {"--grace", "2562047h"},
		"--grace -1s":                     {"--grace", "-1s"},
		"--tlscert and --tlskey":          {"--tlscert", "c"},
		"--tlscert /none, --tlskey /none": {"--embedded", t.TempDir(), "--tlscert", "/none", "--tlskey", "/none"},
		"--tlsca: an embedded server":     {"--embedded", t.TempDir(), "--tlsca", "c"},
	} {
		if _, err := timerd(t, append([]string{"serve"}, args...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", args, err, want)
		}
	}
	for text, want := range map[string]int64{"1": 1, "500M": 500 << 20, "20G": 20 << 30,
		"0": -1, "-1": -1, "G": -1, "9999999T": -1, "5g": -1} {
		if got, err := parseSize(text); err == nil && got != want || err != nil && want != -1 {
			t.Errorf("size %q: %d, %v", text, got, err)
		}
	}
}
