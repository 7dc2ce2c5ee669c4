//go:build unix

package build

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// needsBuild skips a test that builds programs under -short.
func needsBuild(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("a runtime of its own takes a minute to build, the first time: not under -short")
	}
	t.Parallel()
}

func TestAProgramIsRecorded(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	if !testing.Short() { // before the parallel tests, which would all compile the same standard library
		fail.If(t, Run(t.Context(), []string{"-C", "testdata/kinds", "-o", program, "."}, t.Output()))
	}
	needsBuild(t)
	t.Run("what it did", func(t *testing.T) { t.Parallel(); holdsWhatTheProgramDid(t, program) })
	t.Run("an exec", func(t *testing.T) { t.Parallel(); keepsBothProgramsOfAnExec(t, program) })
	t.Run("a burst", func(t *testing.T) { t.Parallel(); losesNoBurst(t, program) })
	t.Run("its end", func(t *testing.T) { t.Parallel(); endsWithTheProgram(t, program) })
}

// recorded runs a program to its end, which must say nothing, and returns the path of its trace.
func recorded(t *testing.T, program, how string, env ...string) (path string) {
	t.Helper()
	cmd := exec.Command(program, how)
	cmd.Dir = t.TempDir()
	cmd.Env = append(append(os.Environ(), trace.EnvFile+"=my.trace"), env...)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%s %s: %v: %s", program, how, err, out)
	}
	return filepath.Join(cmd.Dir, "my.trace")
}

// histories returns the operations on each timer, by the function that scheduled it.
func histories(t *testing.T, path string) (all map[string][]string, r *trace.Reader) {
	t.Helper()
	in, err := trace.Open(path)
	fail.If(t, err)
	defer func() { fail.If(t, in.Close()) }()
	r = in
	type history struct {
		function string
		index    int
	}
	all = map[string][]string{}
	pending := map[uint32]history{}
	add := func(key uint32, what string) {
		h := pending[key]
		all[h.function][h.index] += ", " + what
	}
	var clock structures.Tick
	for {
		op, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, r
		}
		fail.If(t, err)
		delay := about(time.Duration(op.At-clock) * r.Header().Tick)
		switch op.Kind {
		case trace.Schedule:
			function, _, _ := strings.Cut(r.Sites()[op.Site].Place, " ")
			pending[op.Key] = history{function, len(all[function])}
			all[function] = append(all[function], "set "+delay)
		case trace.Reschedule:
			add(op.Key, "moved "+delay)
		case trace.Cancel:
			add(op.Key, "stopped")
		case trace.Advance:
			clock = op.At
			for _, key := range op.Fired {
				add(key, "fired")
			}
		}
	}
}

// about returns the delay that the program asked for. The recorded delay is longer by at most a
// hundredth, 10 ms and a tick. It may be much shorter on a busy machine: if a ticker has fired late,
// or if the system has interrupted a thread that was about to record.
func about(d time.Duration) string {
	for _, want := range []time.Duration{10 * time.Millisecond, 200 * time.Millisecond, time.Hour, 3 * time.Hour} {
		if d >= want/16 && d <= want+min(want/100, 10*time.Millisecond)+2*time.Millisecond {
			return want.String()
		}
	}
	return d.String()
}

func holdsWhatTheProgramDid(t *testing.T, program string) {
	path := filepath.Join(t.TempDir(), "my.trace")
	cmd := exec.Command(program, "exit")
	cmd.Env = append(os.Environ(), trace.EnvFile+"="+path)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 3 || len(out) > 0 {
		t.Fatalf("%v: %s", err, out)
	}
	got, r := histories(t, path)
	const once, stopped = "set 10ms, fired", "set 1h0m0s, stopped"
	want := map[string][]string{
		"main.afterFunc":      {once},
		"main.stopped":        {stopped},
		"main.read":           {once},
		"main.unread":         {stopped},
		"main.abandoned":      {"set 3h0m0s"},
		"main.later":          {"set 1h0m0s, moved 3h0m0s, stopped"},
		"main.earlier":        {"set 3h0m0s, moved 1h0m0s, stopped"},
		"main.ticker":         {"set 200ms, fired", "set 200ms, fired", "set 200ms, stopped"},
		"main.sleep":          {once},
		"main.timeout":        {once},
		"main.cancelled":      {stopped},
		"main.deadline":       {"set 1h0m0s, moved 3h0m0s, stopped"},
		"main.expired":        {once},
		"main.both":           {stopped},
		"main.stopAfterFire":  {once},
		"main.resetAfterFire": {once, stopped},
		"main.resetUnread":    {"set 1h0m0s, moved 3h0m0s, stopped"},
		"main.deep":           slices.Repeat([]string{stopped}, 300),
		"main.descend":        slices.Repeat([]string{"set 3h0m0s, stopped"}, 300),
	}
	for function, w := range want {
		fail.UnlessSame(t, function, got[function], w)
	}
	for function, g := range got {
		if want[function] == nil {
			t.Errorf("%q: %q", function, g)
		}
	}
	forms := map[string]trace.Form{}
	for _, site := range r.Sites() {
		function, _, _ := strings.Cut(site.Place, " ")
		forms[function] = site.Form
	}
	for function, want := range map[string]trace.Form{
		"main.afterFunc": trace.FuncForm, "main.timeout": trace.FuncForm, "main.unread": trace.ChannelForm, "main.abandoned": trace.ChannelForm,
		"main.ticker": trace.TickerForm, "main.deadline": trace.DeadlineForm, "main.both": trace.DeadlineForm, "main.sleep": trace.SleepForm,
	} {
		fail.UnlessSame(t, function, forms[function], want)
	}
	totals := r.Totals()
	if n := totals.Ops[trace.RefusedCancel]; n != 3 || totals.Ops[trace.RefusedReschedule] != 0 {
		t.Errorf("refused %d, want those of timeout, expired and stopAfterFire: %+v", n, totals)
	}
	// 613 timers enter the heap once. Those of unread, abandoned and resetUnread never do. That of read does not if it is due
	// before the program receives, as on a busy machine, and that of ticker does so 0 to 3 times for the same reason.
	if totals.Heaped < 613 || totals.Heaped > 617 || totals.Lost != 0 {
		t.Errorf("%d times a timer was put into the heap, want 613 to 617: %+v", totals.Heaped, totals)
	}

	// The operations on each timer are in order, even if several processors record at once.
	got, _ = histories(t, recorded(t, program, "many", "GOMAXPROCS=8"))
	if many := slices.Repeat([]string{"set 1h0m0s, moved 3h0m0s, stopped"}, 8000); !slices.Equal(got["main.many.func1"], many) {
		t.Errorf("of many: %.200q", got["main.many.func1"])
	}
}

// run runs a program with a trace in a new folder, and sends it SIGTERM when it is ready.
func run(t *testing.T, program, env, how string) (ended, stderr, files string) {
	t.Helper()
	var said bytes.Buffer
	dir := t.TempDir()
	// The program has the PID of the shell, which is in the name of the temporary file.
	cmd := exec.Command("sh", "-c", env+` exec "$0" "$1"`, program, how)
	cmd.Dir, cmd.Stderr = dir, &said
	stdout, err := cmd.StdoutPipe()
	fail.If(t, err)
	fail.If(t, cmd.Start())
	if _, err := stdout.Read(make([]byte, len("ready\n"))); err == nil {
		_ = cmd.Process.Signal(syscall.SIGTERM)
	}
	_ = cmd.Wait() // its state says how it ended
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	fail.If(t, err)
	for _, path := range left {
		files += strings.ReplaceAll(filepath.Base(path), fmt.Sprint(cmd.Process.Pid), "PID") + " "
		if filepath.Ext(path) == ".trace" {
			histories(t, path) // it is whole
		}
	}
	return cmd.ProcessState.String(), said.String(), strings.TrimSpace(files)
}

func endsWithTheProgram(t *testing.T, program string) {
	const record, full = trace.EnvFile + "=my.trace", "ln -s /dev/full my.trace.$$.tmp; "
	for _, c := range []struct {
		env, how           string
		ended, says, files string
	}{
		{record, "exit", "exit status 3", "", "my.trace"},
		{record, "wait", "signal: terminated", "", "my.trace"},
		{record, "handle", "exit status 0", "", "my.trace"},
		{record, "chdir", "exit status 0", "", "my.trace"},
		{record, "exec", "exit status 0", "", "my-2.trace my.trace"},
		{trace.EnvFile + "=/dev/null", "chdir", "exit status 0", "timerbench: " + trace.EnvFile + ": /dev/null is a folder, a device or a pipe", ""},
		{trace.EnvBuffer + "=64M " + record, "chdir", "exit status 0", "timerbench: " + trace.EnvBuffer + "=\"64M\": want a number of bytes", ""},
		{record, "panic", "exit status 2", "panic: on demand", "my.trace.PID.tmp"},
		{"", "exit", "exit status 3", "", ""},
		{trace.EnvFile + "=none/x", "handle", "exit status 0", "timerbench: " + trace.EnvFile + ": stat /", ""},
		{full + record, "handle", "exit status 0", "timerbench: " + trace.EnvFile + ": writing a trace", ""},
	} {
		t.Run(c.env+" "+c.how, func(t *testing.T) {
			t.Parallel()
			ended, stderr, files := run(t, program, c.env, c.how)
			says := strings.Contains(stderr, c.says) && (c.says != "" || stderr == "")
			if ended != c.ended || !says || files != c.files {
				t.Errorf("%s, %q, left %q; want %s, %q, %q", ended, stderr, files, c.ended, c.says, c.files)
			}
		})
	}
}

// Exec replaces the program of a process. The trace of the first program is whole, and that of the second says so.
func keepsBothProgramsOfAnExec(t *testing.T, program string) {
	path := recorded(t, program, "exec")
	const once = "set 10ms, fired"
	first, r := histories(t, path)
	if want := fmt.Sprint(map[string][]string{"main.sleep": {once}, "main.afterFunc": {once}}); fmt.Sprint(first) != want || r.Header().Name != "program" || r.CutShort() != nil {
		t.Errorf("the first program: %+v, %q, want %s; %v", r.Header(), first, want, r.CutShort())
	}
	second, r := histories(t, filepath.Join(filepath.Dir(path), "my-2.trace"))
	if h := r.Header(); fmt.Sprint(second["main.sleep"]) != "["+once+"]" || h.Name != "program-2" || !strings.HasSuffix(h.Description, "replaced its program by exec") {
		t.Errorf("the second program: %+v, %q", h, second)
	}
}

// Beside a busy process on each processor, the recorder keeps 55,000 operations within 20 ms. With less memory it
// counts what it drops, and no operation becomes another one.
func losesNoBurst(t *testing.T, program string) {
	for range runtime.NumCPU() {
		busy := exec.Command("sh", "-c", "while :; do :; done")
		fail.If(t, busy.Start())
		defer func() { _, _ = busy.Process.Kill(), busy.Wait() }()
	}
	burst := func(buffer string) trace.Totals {
		_, r := histories(t, recorded(t, program, "burst", trace.EnvBuffer+"="+buffer))
		return r.Totals()
	}
	for range longtest.Scale(t, 1, 3, 10) {
		got := burst("")
		if ops := got.Ops; ops[trace.Schedule] != 20_001 || ops[trace.Reschedule] != 20_000 || ops[trace.Cancel] != 10_000 || got.Fired != 5_001 || got.Lost != 0 {
			t.Errorf("%+v, want 20,001 schedules, 20,000 reschedules, 10,000 cancels, 5,001 fired and none lost", got)
		}
	}
	got := burst("1000000")
	t.Logf("with a buffer of 1 MB: %+v", got)
	ops, lost := got.Ops, got.LostBy
	if sets := ops[trace.Schedule] + ops[trace.Reschedule] + lost[trace.EventSet]; sets != 40_001 || ops[trace.Cancel]+lost[trace.EventStop] != 10_000 ||
		got.Fired > 5_001 || ops[trace.RefusedCancel]+ops[trace.RefusedReschedule] > 0 || got.Lost != lost[0]+lost[1]+lost[2] {
		t.Errorf("with a buffer of 1 MB: %+v, want 40,001 sets and 10,000 stops with the lost ones, and none refused", got)
	}
}

// The recording of a program with a driver has the timers that the program starts on the driver, and not
// the timer that the driver sleeps on. A recorder of the program's own writes another file.
func TestTheTimersOfADriverAreRecorded(t *testing.T) {
	needsBuild(t)
	program := filepath.Join(t.TempDir(), "program")
	fail.If(t, Run(t.Context(), []string{"-o", program, "./testdata/driven"}, t.Output()))
	path := recorded(t, program, "")
	got, r := histories(t, path)
	want := map[string][]string{
		"main.requests":    slices.Repeat([]string{"set 1h0m0s, stopped"}, 1000),
		"main.connections": slices.Repeat([]string{"set 1h0m0s, moved 3h0m0s"}, 100),
		"main.ticker":      {"set 200ms, fired", "set 200ms, fired", "set 200ms, stopped"},
		"main.main":        {"set 10ms, fired"},
		"main.sleep":       {"set 10ms, fired"},
	}
	for function, w := range want {
		fail.UnlessSame(t, function, got[function], w)
		delete(got, function)
	}
	if len(got) > 0 || r.Totals().Lost > 0 {
		t.Errorf("%q, %+v", got, r.Totals())
	}
	if _, r := histories(t, filepath.Join(filepath.Dir(path), "my-2.trace")); r.Header().Name != "own" || r.Totals().Ops[trace.Schedule] != 1 {
		t.Errorf("%+v, %+v", r.Header(), r.Totals())
	}
}

// several is a module of three programs, one of them with cgo, and a vendored package.
var several = map[string]string{
	"go.mod": `module example.com/several

go 1.24

require example.com/dep v1.0.0
`,
	"vendor/modules.txt": `# example.com/dep v1.0.0
## explicit; go 1.24
example.com/dep
`,
	"vendor/example.com/dep/dep.go": `package dep

import "time"

func Wait() { time.Sleep(10 * time.Millisecond) }
`,
	"one/one.go": `package main

import "example.com/dep"

func main() { dep.Wait() }
`,
	"two/names.go": `package main

var os, time, signal, trace int
`,
	"two/two.go": `package main

// void nap(void);
import "C"
import "example.com/dep"

func main() { C.nap() }

//export called
func called() { dep.Wait() }
`,
	"two/two.c": `extern void called(void);
void nap(void) { called(); }
`,
	"stuck/stuck.go": `package main

import "example.com/dep"

func main() {
	dep.Wait()
	select {}
}
`,
	"lib/lib.go": "package lib\n",
}

// written writes files into a new folder.
func written(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range files {
		fail.Write(t, filepath.Join(dir, name), content)
	}
	return dir
}

// records checks that a program records a timer of dep.Wait.
func records(t *testing.T, program string, env ...string) {
	t.Helper()
	all, _ := histories(t, recorded(t, program, "", env...))
	fail.UnlessSame(t, program, all["example.com/dep.Wait"], []string{"set 10ms, fired"})
}

func TestSeveralProgramsWithVendoredPackagesAndCgo(t *testing.T) {
	needsBuild(t)
	dir := written(t, several)
	out := filepath.Join(dir, "bin") + "/"
	args := []string{"-C=" + dir, "-mod=vendor", "-o", out, "./one", "./two", "./stuck", "./lib"}
	fail.If(t, Run(t.Context(), args, t.Output()))
	records(t, out+"one")
	records(t, out+"two")
	ended, stderr, _ := run(t, out+"stuck", trace.EnvFile+"=my.trace", "")
	if ended != "exit status 2" || !strings.Contains(stderr, "all goroutines are asleep - deadlock!") {
		t.Errorf("a deadlock ends with %s: %s", ended, stderr)
	}

	one := filepath.Join(dir, "one")
	fail.If(t, Run(t.Context(), []string{"-C", one, "-o=file", "one.go"}, t.Output()))
	records(t, filepath.Join(one, "file"))
}

func TestTheRaceDetectorAndOtherGos(t *testing.T) {
	if longtest.Scale(t, 0, 0, 1) == 0 {
		t.Skip("each needs a standard library of its own, for a minute: with " + longtest.Env + "=1")
	}
	dir := written(t, several)
	program := filepath.Join(dir, "program")
	race := []string{"-C", dir, "-race", "-o", program, "./one"}
	fail.If(t, Run(t.Context(), race, t.Output()))
	records(t, program)
	for _, version := range []string{"go1.24.9", "go1.25.4", "go1.27.4"} { // from the module cache
		t.Setenv("GOTOOLCHAIN", version)
		args := []string{"-C", dir, "-o", program, "./two"}
		if err := Run(t.Context(), args, t.Output()); err != nil {
			t.Errorf("%s: %v", version, err)
			continue
		}
		records(t, program)
		if version == "go1.27.4" {
			counts(t)
		}
	}
}

// counted does a known number of operations on timers, and prints what package expvar counted meanwhile.
const counted = `package main

import (
	"encoding/json"
	"expvar"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"
)

type counts struct{ Pending, Stopped_in_heap, Started, Moved, Stopped, Fired int64 }

func now() (c counts) {
	if err := json.Unmarshal([]byte(expvar.Get("timerbench").String()), &c); err != nil {
		panic(err)
	}
	return c
}

func main() {
	before := now()
	var fired sync.WaitGroup
	fired.Add(5)
	for range 5 {
		time.AfterFunc(time.Millisecond, fired.Done)
	}
	fired.Wait()
	var timers []*time.Timer
	for range 100 {
		timers = append(timers, time.AfterFunc(time.Hour, func() {}))
	}
	for _, t := range timers[:4] {
		t.Reset(2 * time.Hour)
	}
	for _, t := range timers[50:60] {
		t.Stop()
	}
	timers[50].Stop()           // it is not pending
	timers[51].Reset(time.Hour) // that starts it
	left := time.After(time.Hour)
	after := now()
	fmt.Println(after.Pending-before.Pending, after.Started-before.Started, after.Moved-before.Moved, after.Stopped-before.Stopped, after.Fired-before.Fired)
	io.Copy(io.Discard, os.Stdin)
	runtime.KeepAlive(left)
}
`

// counts checks a program that counts its timers: what it counts, where it shows that, and what it says of bad addresses.
func counts(t *testing.T, flags ...string) {
	t.Helper()
	dir := written(t, map[string]string{"go.mod": "module example.com/counted\n\ngo 1.24\n", "main.go": counted})
	program := filepath.Join(dir, "program")
	fail.If(t, Run(t.Context(), slices.Concat([]string{"-C", dir, "-counters", "-o", program}, flags, []string{"."}), t.Output()))

	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "TIMERBENCH_COUNTERS=127.0.0.1:0")
	input, err := cmd.StdinPipe()
	fail.If(t, err)
	output, err := cmd.StdoutPipe()
	fail.If(t, err)
	said, err := cmd.StderrPipe()
	fail.If(t, err)
	fail.If(t, cmd.Start())
	var address string
	_, err = fmt.Fscanf(said, "timerbench: counters at %s\n", &address)
	fail.If(t, err)
	var got [5]int
	_, err = fmt.Fscan(output, &got[0], &got[1], &got[2], &got[3], &got[4])
	fail.If(t, err)
	for i, want := range [5]int{91, 107, 4, 10, 5} { // the runtime may set a few timers of its own meanwhile
		if got[i] < want || got[i] > want+10 {
			t.Errorf("pending, started, moved, stopped and fired: %d, want a little more than 91, 107, 4, 10, 5", got)
			break
		}
	}
	get := func(url string) string {
		answer, err := http.Get(url)
		fail.If(t, err)
		defer func() { fail.If(t, answer.Body.Close()) }()
		text, err := io.ReadAll(answer.Body)
		fail.If(t, err)
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %s: %s", url, answer.Status, text)
		}
		return string(text)
	}
	samples := map[string]int{}
	metrics := get(address)
	for _, m := range regexp.MustCompile(`# HELP (timerbench_time_timers_([a-z_]+)) [A-Z].*\.\n# TYPE (\S+) (gauge|counter)\n(\S+) (\d+)\n`).FindAllStringSubmatch(metrics, -1) {
		if m[1] != m[3] || m[1] != m[5] || strings.HasSuffix(m[1], "_total") != (m[4] == "counter") {
			t.Errorf("%q", m[0])
		}
		samples[strings.TrimSuffix(m[2], "_total")], err = strconv.Atoi(m[6])
		fail.If(t, err)
	}
	var vars struct{ Timerbench map[string]int }
	fail.If(t, json.Unmarshal([]byte(get(strings.Replace(address, "/metrics", "/debug/vars", 1))), &vars))
	for name, least := range map[string]int{"pending": 91, "stopped_in_heap": 0, "started": 107, "moved": 4, "stopped": 10, "fired": 5} {
		sample, inMetrics := samples[name]
		v, inVars := vars.Timerbench[name]
		if !inMetrics || !inVars || sample < least || v < least || sample > least+40 || v > least+40 {
			t.Errorf("%s: %d in metrics and %d in vars, want a little more than %d: %s", name, sample, v, least, metrics)
		}
	}
	if len(samples) != 6 || len(vars.Timerbench) != 6 {
		t.Errorf("%v, %v", samples, vars)
	}

	taken := strings.TrimSuffix(strings.TrimPrefix(address, "http://"), "/metrics")
	for address, want := range map[string]string{
		"nonsense":    "address nonsense: missing port in address; no counters are served\n",
		"127.0.0.1:x": "unknown port",
		taken:         "address already in use",
	} {
		second := exec.Command(program)
		second.Env = append(os.Environ(), "TIMERBENCH_COUNTERS="+address)
		out, err := second.CombinedOutput()
		begins := fmt.Sprintf("timerbench: TIMERBENCH_COUNTERS=%q: want a host and a free port, such as 127.0.0.1:9464: ", address)
		if err != nil || !strings.HasPrefix(string(out), begins) || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v: %s", address, err, out)
		}
	}
	fail.If(t, input.Close())
	fail.If(t, cmd.Wait())
}

func TestAProgramCountsItsTimers(t *testing.T) {
	needsBuild(t)
	counts(t, "-tags=netgo,osusergo,nethttpomithttp2", "-gcflags=all=-N -l") // half the time to compile net/http and all below it
}

// Each flag of go build, as go help build lists it, keeps its value.
func TestFlagsOfGoBuildKeepTheirValues(t *testing.T) {
	help, err := exec.Command("go", "help", "build").Output()
	fail.If(t, err)
	listed := regexp.MustCompile(`(?m)^\t-([a-z]+)( .+)?$`).FindAllStringSubmatch(string(help), -1)
	if len(listed) < 25 {
		t.Fatalf("%d flags in %s", len(listed), help)
	}
	for _, f := range listed {
		name, args := f[1], []string{"-" + f[1]}
		if name == "overlay" {
			continue
		}
		if f[2] != "" {
			args = append(args, "value")
		}
		want := append(slices.Clone(args), "./one")
		if slices.Contains(unlisted, name) {
			want = []string{"./one"}
		}
		a, err := parseArguments(append(args, "./one"))
		if err != nil || !slices.Equal(a.listed, want) {
			t.Errorf("-%s%s: go list %q, error %v, want %q", name, f[2], a.listed, err, want)
		}
	}

	t.Setenv("GOCACHE", t.TempDir()) // -n prints no command for what is built already
	dir, race := written(t, several), "-race"
	if cgo, err := exec.Command("go", "env", "CGO_ENABLED").Output(); err != nil || string(cgo) != "1\n" {
		race = "-trimpath" // the race detector needs cgo
	}
	for _, args := range []string{
		race + " -tags integration -o i.rec ./one", "-p 2 -gcflags all=-l -o=bin/ ./one ./two",
		"-mod vendor -json -v -x -ldflags -w -o i.rec -- ./one",
	} {
		var out bytes.Buffer
		line := append([]string{"-C", dir, "-n"}, strings.Fields(args)...)
		if err := Run(t.Context(), line, &out); err != nil || !strings.Contains(out.String(), "timerbench_recorder.go") {
			t.Errorf("%s: error %v: %s", args, err, &out)
		}
	}
}

const keeper = `package main

import "time"

type Timer struct{ *time.Timer }

func (t Timer) Mod() { t.Reset(time.Hour) }

func main() {
	t := Timer{time.AfterFunc(time.Hour, func() {})}
	for range 20 {
		t.Stop()
		t.Mod()
	}
	work := make(chan int)
	go func() {
		for range 20 {
			time.Sleep(2 * time.Millisecond)
			work <- 1
		}
	}()
	for range 20 {
		select {
		case <-work:
		case <-time.After(60 * time.Millisecond):
		}
	}
	for range 5 {
		<-time.After(30 * time.Millisecond)
	}
	short := time.NewTicker(100 * time.Microsecond)
	<-short.C
	short.Stop()
}
`

// A timer that is set by Reset is told from a new one, a ticker has its exact period if that is short, and a channel that a select has left from one that a goroutine waits for.
func TestKeptTimersAndLeftChannelsAreKnown(t *testing.T) {
	needsBuild(t)
	dir := written(t, map[string]string{"go.mod": "module example.com/keeper\n\ngo 1.24\n", "main.go": keeper})
	program := filepath.Join(dir, "program")
	fail.If(t, Run(t.Context(), []string{"-C", dir, "-o", program, "."}, t.Output()))
	s, err := tracestat.Read(recorded(t, program, ""))
	fail.If(t, err)
	found := map[string]tracestat.Site{}
	for _, p := range s.Sites {
		place, _, _ := strings.Cut(p.Name, " ")
		found[fmt.Sprintf("%s %v reset %t, %d", place, p.Form, p.Reset, p.Timers)] = p
	}
	fail.UnlessSame(t, "stops of Mod", found["main.Timer.Mod function reset true, 20"].Cancelled, 19)
	if i := slices.IndexFunc(s.Sites, func(p tracestat.Site) bool { return p.Form == trace.TickerForm }); i < 0 || s.Sites[i].Period != 100*time.Microsecond {
		t.Errorf("no ticker of 100µs: %+v", s.Sites)
	}
	left, waited := found["main.main channel reset false, 20"], found["main.main channel reset false, 5"]
	if left.Fired < 10 || left.Unread < 0.7 || waited.Fired != 5 || waited.Unread != 0 {
		t.Errorf("left %+v, waited for %+v", left, waited)
	}
}

// A program that is built for coverage records, too, and has its coverage.
func TestAProgramWithCoverageIsRecorded(t *testing.T) {
	needsBuild(t)
	dir := written(t, several)
	for i, args := range []string{"-cover ./one", "-coverpkg=./... -covermode atomic ./one", "-cover=false ./one"} {
		program, covered := filepath.Join(dir, fmt.Sprint("program", i)), t.TempDir()
		fail.If(t, Run(t.Context(), append([]string{"-C", dir, "-mod=vendor", "-o", program}, strings.Fields(args)...), t.Output()))
		records(t, program, "GOCOVERDIR="+covered)
		if files, err := os.ReadDir(covered); err != nil || (len(files) == 0) != strings.HasSuffix(args, "false ./one") {
			t.Errorf("%s: coverage in %v, %v", args, files, err)
		}
	}
}

func TestBadInputIsReported(t *testing.T) {
	dir, temp := written(t, several), t.TempDir()
	t.Setenv("TMPDIR", temp)
	for _, c := range []struct{ args, goflags, want string }{
		{"-overlay=x ./one", "", "-overlay=x: trace build needs -overlay itself"},
		{"./one", "-overlay=x", `GOFLAGS "-overlay=x": trace build needs -overlay itself`},
		{"-coverpkg ./lib,std ./one", "", "-coverpkg ./lib,std: trace build changes the standard library"},
		{"./lib", "", "no program: want a package main"},
		{"./none", "", "go list: exit status 1"},
		{"-o x -no-such-flag ./one", "", "go list: exit status 2"},
	} {
		t.Setenv("GOFLAGS", c.goflags)
		var out bytes.Buffer
		err := Run(t.Context(), append([]string{"-C", dir}, strings.Fields(c.args)...), &out)
		fail.UnlessError(t, err, c.want)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left %v, error %v", left, err)
	}
}

func TestTheSourceOfTheRuntimeIsPatched(t *testing.T) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	fail.If(t, err)
	read := func(file string) []byte {
		return []byte(fail.Read(t, filepath.Join(strings.TrimSpace(string(goroot)), "src", file)))
	}
	calls := regexp.MustCompile("[tT]imerbench")
	for _, a := range []addition{recorder, counters} {
		placed := 0
		for _, file := range a.patched() {
			source := read(file)
			got, err := patch(a.hooks, file, source)
			fail.If(t, err)
			placed += len(calls.FindAll(got, -1))
			fail.UnlessSame(t, "lines of "+file, bytes.Count(got, []byte("\n")), bytes.Count(source, []byte("\n")))
		}
		if want := len(calls.FindAllString(fmt.Sprint(a.hooks), -1)); placed != want || want == 0 {
			t.Errorf("%s: %d calls, want %d", a.imported, placed, want)
		}
	}
	for _, c := range []struct{ file, old, new, want string }{
		{"runtime/time.go", "\tt.when = 0\n", "\tt.when--\n",
			`runtime/time.go has "t.when = 0" 0 times in (*timer).stop, want it once, as in Go 1.24 to 1.27`},
		{"runtime/time.go", "\tt.when = next\n", "\tt.when = next\n\tt.when = next\n",
			`"t.when = next" 2 times in (*timer).unlockAndRun`},
		{"runtime/time.go", "func (t *timer) modify(", "func (t timer) modify(", `"t.when = when" 0 times`},
		{"runtime/signal_unix.go", "func sighandler(", "func handler(", ` 0 times in sighandler, want`},
		{"runtime/time.go", "package runtime", "package", "runtime/time.go:"},
	} {
		_, err := patch(recordingHooks, c.file, bytes.Replace(read(c.file), []byte(c.old), []byte(c.new), 1))
		fail.UnlessError(t, err, c.want)
	}
}
