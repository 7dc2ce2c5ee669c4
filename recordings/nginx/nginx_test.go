package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// importedNginx imports a log and returns the trace as text.
func importedNginx(t *testing.T, log string) (string, error) {
	t.Helper()
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, trace.Header{Name: "nginx", Tick: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if err := readLog(strings.NewReader(log), "my.log", w); err != nil {
		return "", err
	}
	return told(t, &file), nil
}

// told returns a trace as text. Delays are from the clock of the trace, which may be behind.
func told(t *testing.T, file io.Reader) (what string) {
	t.Helper()
	r, err := trace.NewReader(file, "my.trace")
	if err != nil {
		t.Fatal(err)
	}
	what = fmt.Sprintf("tick %v", r.Header().Tick)
	for clock := (trace.Op{}).At; ; {
		op, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch op.Kind {
		case trace.Schedule:
			what += fmt.Sprintf(", %s in %d", r.Sites()[op.Site].Place, op.At-clock)
		case trace.Reschedule:
			what += fmt.Sprintf(", moved to %d", op.At-clock)
		case trace.Cancel:
			what += ", cancelled"
		case trace.Advance:
			clock = op.At
			what += strings.Repeat(", fired", len(op.Fired))
		}
	}
	if n := r.Totals().Lost; n > 0 {
		what += fmt.Sprintf(", lost %d", n)
	}
	return what
}

// served is what nginx 1.22 said, without the lines of other subjects: three requests by two connections that their
// clients closed, one of them to an upstream, and one connection that nginx closed after keepalive_timeout 2s.
//
//go:embed testdata/nginx.txt
var served string

func TestLogOfNginxBecomesATrace(t *testing.T) {
	const want = "tick 1ms, accept in 60000, cancelled, http close request in 2000, cancelled, " +
		"http close request in 2001, cancelled, accept in 60000, cancelled, " +
		"http upstream connect in 60000, moved to 60001, accept in 60001, cancelled, cancelled, " +
		"http close request in 2001, cancelled, accept in 60000, cancelled, http close request in 2001, fired"
	got, err := importedNginx(t, served)
	if err != nil || got != want {
		t.Errorf("error %v\n%q, want\n%q", err, got, want)
	}
}

func TestLogThatIsNotOfNginxIsReported(t *testing.T) {
	lines := strings.SplitAfter(served, "\n")
	for want, log := range map[string]string{
		`my.log:1: "hello": want a line of nginx's error log`: "hello\n",
		"my.log: no timer: want lines":                        lines[0],
		"my.log:6: event timer":                               strings.Replace(served, "60000:740951", "60000:soon", 1),
		"my.log:128: cut short":                               strings.TrimSpace(served),
		"my.log:19: nginx's clock is at 650951 ms":            strings.Replace(served, "2000:682951", "2000:652951", 1),
	} {
		if _, err := importedNginx(t, log); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// FuzzNginx checks that every log results in a whole trace or in an error.
func FuzzNginx(f *testing.F) {
	f.Add(served)
	f.Fuzz(func(t *testing.T, log string) { _, _ = importedNginx(t, log) })
}

func TestALogBecomesATrace(t *testing.T) {
	out := filepath.Join(t.TempDir(), "ng.trace")
	if err := write(out, "a try", []string{"testdata/nginx.txt"}); err != nil {
		t.Fatal(err)
	}
	s, err := tracestat.Read(out)
	if err != nil || s.Header.Name != "ng" || s.Header.Description != "a try" || s.Totals.Count() == 0 {
		t.Fatalf("%v, %+v", err, s)
	}
}

// A log that is refused leaves no file.
func TestAForeignLogIsRefused(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "new.trace")
	for log, want := range map[string]string{"main.go": "main.go:1: ", "none": "open none"} {
		if err := write(out, "", []string{log}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", log, err, want)
		}
	}
	if err := write("", "", nil); err == nil {
		t.Error("neither file is refused")
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}
