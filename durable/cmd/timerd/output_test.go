package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/durable"
)

// The output of timerd continues a file whose last line was cut short, and begins a new line.
func TestContinuesOutput(t *testing.T) {
	t.Parallel()
	_, address, must := serveAt(t)
	name := filepath.Join(t.TempDir(), "out")
	for i, test := range []struct{ before, after string }{
		{"", ""}, {"{}\n", "{}\n"}, {`{"key":"cut sh`, "{\"key\":\"cut sh\n"}, {"\n", "\n"},
	} {
		key := string(rune('a' + i))
		if err := os.WriteFile(name, []byte(test.before), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		must("schedule", key, "0s")
		ctx, cancel := context.WithCancel(t.Context())
		cmd := command(&options{})
		cmd.SetOut(out)
		cmd.SetErr(io.Discard)
		cmd.SetArgs([]string{"serve", "--nats", "nats://" + address})
		ended := make(chan struct{})
		go func() { _ = cmd.ExecuteContext(ctx); close(ended) }() // ctx ends
		var text string
		until(t, func() bool {
			b, err := os.ReadFile(name)
			text = string(b)
			return err == nil && strings.HasSuffix(text, "}\n") && text != test.before
		})
		cancel()
		<-ended
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
	o := newOutput(out)
	write := func() error { return o.write(newLine(durable.Fired{Key: "key"})) }
	for range 2 {
		if write() == nil {
			t.Fatal("there is no error")
		}
	}
	out.room = 1000
	for range 2 {
		if err := write(); err != nil {
			t.Fatal(err)
		}
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
		"":                              {},
		"CRON_TZ=Europe/Berlin @hourly": {Cron: "CRON_TZ=Europe/Berlin @hourly"},
		`"@hourly\x1b[2J"`:              {Cron: "@hourly\x1b[2J"},
		`@hourly cannot be computed: "unknown \x1b zone"`: {Cron: "@hourly", Error: "unknown \x1b zone"},
	} {
		if got := recurrence(timer); got != want {
			t.Errorf("%+v: %s, want %s", timer, got, want)
		}
	}
}
