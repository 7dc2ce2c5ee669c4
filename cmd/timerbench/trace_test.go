//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// asProgram makes the test binary behave as a program that can be recorded.
const asProgram = "TIMERBENCH_TEST_AS_PROGRAM"

// program uses timers, as its user would write it.
func program(how string) (code int) {
	switch how {
	case "bare":
		return 0
	case "time":
		return timeProgram()
	}
	timers, stop, err := trace.FromEnv(hwheel.New[string](), trace.Header{Name: "program", Tick: time.Millisecond})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	for now := range structures.Tick(5000) {
		for range structures.Due(timers, now) {
		}
		timers.Schedule(now+30, "hello")
	}
	switch how {
	case "forgets to stop":
		return 0
	case "fails":
		code = 7
	case "serves":
		interrupt := make(chan os.Signal, 1)
		signal.Notify(interrupt, os.Interrupt, syscall.SIGTERM) // whichever comes first
		fmt.Println("ready")
		<-interrupt
	}
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 4
	}
	return code
}

// timeProgram uses Go's own timers.
func timeProgram() (code int) {
	timers, stop, err := trace.TimersFromEnv(trace.Header{Name: "time", Tick: time.Millisecond})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	for range 1000 {
		t := timers.AfterFunc(time.Hour, func() {})
		t.Reset(2 * time.Hour)
		t.Stop()
	}
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 4
	}
	return 0
}

// files returns what is in a directory.
func files(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestRecordInfoReplayReport(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "my.trace"), filepath.Join(dir, "out")
	t.Setenv(asProgram, "ends")
	code, _, stderr := run("trace", "record", "-o", path, "--", os.Args[0], "--flag", "-o", "of the program")
	if code != 0 || !strings.Contains(stderr, path+": 10000 operations in ") {
		t.Fatalf("record: exit %d: %s", code, stderr)
	}
	if got := files(t, dir); got != "my.trace" {
		t.Errorf("record left %q", got)
	}
	t.Setenv(asProgram, "")

	code, stdout, stderr := run("trace", "info", path)
	if code != 0 {
		t.Fatalf("info: exit %d: %s", code, stderr)
	}
	for _, want := range []string{"4,999 ticks, 4.999s", "2,000 operations a second", "29.9 timers on average, 30 at most, 30 at the end", "schedule                   5,000"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("info does not say %q:\n%s", want, stdout)
		}
	}

	code, _, stderr = run("trace", "replay", path, "-s", "^(minheap|hwheel|hwheel-linux)$", "--trials", "6", "--out", out)
	if code != 0 {
		t.Fatalf("replay: exit %d: %s", code, stderr)
	}
	r, err := results.Read(filepath.Join(out, resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Cells[0]; !r.Complete || c.Workload != "trace-program" || c.N != 30 || len(c.Rows) != 5 || c.TickNS != 1e6 {
		t.Errorf("complete %v, cell %s, n %d, tick %d ns, %d rows", r.Complete, c.Workload, c.N, c.TickNS, len(c.Rows))
	}
	if code, _, stderr = run("report", "--out", out); code != 0 {
		t.Fatalf("report: exit %d: %s", code, stderr)
	}
	page, err := os.ReadFile(filepath.Join(out, "report.md"))
	if err != nil || !strings.Contains(string(page), "trace-program (per operation)") {
		t.Errorf("the report does not show the trace: %v", err)
	}
}

func TestGosOwnTimersAreRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "my.trace")
	t.Setenv(asProgram, "time")
	if code, _, stderr := run("trace", "record", "-o", path, "--", os.Args[0]); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	s, err := tracestat.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if ops := s.Totals.Ops; ops[trace.Schedule] != 1000 || ops[trace.Reschedule] != 1000 || ops[trace.Cancel] != 1000 || s.Totals.Pending() != 0 {
		t.Errorf("recorded %+v", s.Totals)
	}
}

func TestWhatIsNotRecordedIsReported(t *testing.T) {
	for how, want := range map[string]string{
		"bare":            "recorded nothing: does it call trace.FromEnv or trace.TimersFromEnv",
		"forgets to stop": "was not completed: ",
	} {
		dir := t.TempDir()
		t.Setenv(asProgram, how)
		code, _, stderr := run("trace", "record", "-o", filepath.Join(dir, "my.trace"), "--", os.Args[0])
		if code != exitError || !strings.Contains(stderr, want) || files(t, dir) != "" {
			t.Errorf("a program that is %q: exit %d, %q, files %q", how, code, stderr, files(t, dir))
		}
	}
	// What a program that fails has recorded is whole all the same.
	dir := t.TempDir()
	t.Setenv(asProgram, "fails")
	code, _, stderr := run("trace", "record", "-o", filepath.Join(dir, "my.trace"), "--", os.Args[0])
	if code != exitError || !strings.Contains(stderr, "exit status 7") || files(t, dir) != "my.trace" {
		t.Errorf("a program that fails: exit %d, %q, files %q", code, stderr, files(t, dir))
	}
}

func TestASignalToTheRecordingEndsTheProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "my.trace")
	cmd := exec.Command(os.Args[0], "trace", "record", "-o", path, "--", "env", "-u", asCommand, asProgram+"=serves", os.Args[0])
	cmd.Env = append(os.Environ(), asCommand+"=1")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stdout.Read(make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err, stderr.String())
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM) // at once: both are one wish, and no kill
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	if _, err := tracestat.Read(path); err != nil {
		t.Error(err)
	}
}

// The file is a pipe that nobody writes to.
func TestCtrlCEndsTheReadingOfATrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "my.trace")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"info", "replay"} {
		cmd := exec.Command(os.Args[0], "trace", command, path)
		cmd.Env = append(os.Environ(), asCommand+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		pipe, err := os.OpenFile(path, os.O_WRONLY, 0) // waits until the command reads
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
			t.Errorf("%s ended with %v, want exit %d", command, err, exitInterrupted)
		}
		if err := pipe.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMakeWritesTheSameBytesForTheSameSeed(t *testing.T) {
	dir := t.TempDir()
	var data []string
	for i, seed := range []string{"1", "1", "2"} {
		path := filepath.Join(dir, fmt.Sprint(i))
		if code, _, stderr := run("trace", "make", "-w", "mixed", "-n", "100", "--ops", "1e4", "--seed", seed, "-o", path); code != 0 {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		s, err := tracestat.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if s.Totals.Count() != 10_000 || s.Header.Name != "mixed" {
			t.Errorf("%q with %d operations", s.Header.Name, s.Totals.Count())
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, string(content))
	}
	if data[0] != data[1] || data[1] == data[2] {
		t.Error("the bytes do not follow from the seed")
	}
}

// Of a trace that is damaged anywhere, nothing is replayed.
func TestADamagedTraceReplaysNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "my.trace")
	if code, _, stderr := run("trace", "make", "-w", "churn", "--ops", "2e5", "-o", path); code != 0 {
		t.Fatal(stderr)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := []byte(string(whole))
	flipped[len(flipped)-200] ^= 1
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"cut short": {whole[:len(whole)-1], "cut short"},
		"damaged":   {flipped, "checksum"},
	} {
		if err := os.WriteFile(path, c.data, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, command := range [][]string{{"trace", "info", path}, {"trace", "replay", path, "-o", filepath.Join(dir, "out")}} {
			code, stdout, stderr := run(command...)
			if code != exitError || stdout != "" || !strings.Contains(stderr, path+": byte ") || !strings.Contains(stderr, c.want) {
				t.Errorf("%s, %s: exit %d, %q, %q", name, command[1], code, stdout, stderr)
			}
		}
		if got := files(t, dir); got != "my.trace" {
			t.Errorf("%s: left %q", name, got)
		}
	}
}

func TestBadTraceCommandsAreRefusedWithAReason(t *testing.T) {
	dir := t.TempDir()
	tiny := filepath.Join(t.TempDir(), "tiny.trace")
	if code, _, stderr := run("trace", "make", "-w", "churn", "-n", "10", "--ops", "1e4", "-o", tiny); code != 0 {
		t.Fatal(stderr)
	}
	path := filepath.Join(dir, "my.trace")
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"no such trace":       {[]string{"replay", path}, []string{path, "no such file"}},
		"no trace":            {[]string{"info", os.Args[0]}, []string{os.Args[0], "byte 0", "no trace of timerbench"}},
		"unknown structure":   {[]string{"replay", tiny, "-s", "hweel"}, []string{`did you mean "hwheel"?`}},
		"no trials":           {[]string{"replay", tiny, "--trials", "0"}, []string{"--trials 0"}},
		"too many trials":     {[]string{"replay", tiny, "--trials", "1000"}, []string{tiny, "10000 operations are too few for 1000 trials"}},
		"twice the same name": {[]string{"replay", tiny, tiny}, []string{`both traces named "churn"`}},
		"no command":          {[]string{"record", "-o", path}, []string{"want the command to record"}},
		"no file":             {[]string{"record", "--", "true"}, []string{`"out"`}},
		"an unknown command":  {[]string{"record", "-o", path, "--", "no-such-program"}, []string{"no-such-program"}},
		"an unwritable file":  {[]string{"record", "-o", filepath.Join(dir, "a", "b"), "--", "true"}, []string{"--out", "no such file"}},
		"unknown workload":    {[]string{"make", "-w", "chrun", "-o", path}, []string{`did you mean "churn"?`}},
		"two sizes":           {[]string{"make", "-w", "churn", "-n", "1,2", "-o", path}, []string{"want one number"}},
		"half an operation":   {[]string{"make", "-w", "churn", "--ops", "0.5", "-o", path}, []string{`"0.5"`}},
		"make into nowhere":   {[]string{"make", "-w", "churn", "-o", filepath.Join(dir, "a", "b")}, []string{"no such file"}},
	} {
		code, _, stderr := run(append([]string{"trace"}, c.args...)...)
		if code != exitError {
			t.Errorf("%s: exit %d, want %d", name, code, exitError)
		}
		for _, want := range c.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: %q does not say %q", name, stderr, want)
			}
		}
	}
	if got := files(t, dir); got != "" {
		t.Errorf("the refused calls left %q behind", got)
	}
}

// The figures in traces/README.md are those of the trace beside it.
func TestTracesREADMEShowsTheTrace(t *testing.T) {
	const page, begin, end = "../../traces/README.md", "-update -->\n```\n", "```\n<!-- end of info -->"
	code, stdout, stderr := run("trace", "info", "../../traces/http.trace")
	if code != 0 {
		t.Fatal(stderr)
	}
	var info strings.Builder
	for line := range strings.Lines(stdout) {
		info.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	shown, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the output", page)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+info.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if shown != info.String() {
		t.Errorf("%s shows (rewrite it with -update):\n%swant:\n%s", page, shown, info.String())
	}
}
