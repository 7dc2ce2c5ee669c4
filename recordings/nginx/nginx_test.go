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
)

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
	return what
}

// served is what nginx 1.22 said, without the lines of other subjects: three requests by two connections that their
// clients closed, one of them to an upstream, and one connection that nginx closed after keepalive_timeout 2s.
//
//go:embed testdata/nginx.txt
var served string

func TestTheLogOfNginxBecomesATrace(t *testing.T) {
	const want = "tick 1ms, accept in 60000, cancelled, http close request in 2000, cancelled, " +
		"http close request in 2001, cancelled, accept in 60000, cancelled, " +
		"http upstream connect in 60000, moved to 60001, accept in 60001, cancelled, cancelled, " +
		"http close request in 2001, cancelled, accept in 60000, cancelled, http close request in 2001, fired"
	out := filepath.Join(t.TempDir(), "ng.trace")
	if err := write(out, "a try", []string{"testdata/nginx.txt"}); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if got := told(t, file); got != want {
		t.Errorf("%q, want\n%q", got, want)
	}
}

// A log that is refused leaves no file.
func TestALogThatIsNotOfNginxIsRefused(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "my.log")
	for want, text := range map[string]string{
		"my.log: no timer: want lines":              "hello\n",
		`my.log:6: "event timer add: 5: 60000:soon`: strings.Replace(served, "60000:740951", "60000:soon", 1),
		"my.log:19: nginx's clock is at 650951 ms":  strings.Replace(served, "2000:682951", "2000:652951", 1),
		"timers of process 7 after those of 24532":  strings.Replace(served, "24532#24532: *1 event timer add: 5: 2000:", "7#7: *1 event timer add: 5: 2000:", 1),
	} {
		if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := write(filepath.Join(dir, "new.trace"), "", []string{log}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if err := write("new.trace", "", []string{"none"}); err == nil {
		t.Error("a file that is not there")
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left %v", left)
	}
}

// FuzzNginx checks that every log results in a whole trace or in an error.
func FuzzNginx(f *testing.F) {
	f.Add(served)
	f.Fuzz(func(t *testing.T, log string) {
		var file bytes.Buffer
		w, err := trace.NewWriter(&file, trace.Header{Name: "nginx", Tick: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if readLog(strings.NewReader(log), "my.log", w) == nil {
			told(t, &file)
		}
	})
}
