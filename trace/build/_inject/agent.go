package trace

import (
	"errors"
	"fmt"
	"internal/runtime/exithook"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// agent writes the records of the runtime into a trace.
type agent struct {
	mu     sync.Mutex // guards the fields below
	file   *envFile
	timers *Observer
	buf    []runtime.TimerbenchRecord
	places map[uintptr]string
	lost   [eventKinds]uint64 // operations that the Observer knows
	named  string             // name of the file during an exec
	stop   func() error       // completes and renames the file
	ended  bool
}

func init() {
	since, on := runtime.TimerbenchOn()
	if !on {
		return
	}
	if err := start(since); err != nil {
		runtime.TimerbenchStop()
		fmt.Fprintln(os.Stderr, "timerbench:", err)
	}
}

func start(since int64) error {
	most, err := bufferFromEnv()
	if err != nil {
		return err
	}
	runtime.TimerbenchBound(most)
	h := Header{
		Name: programName(), Tick: 1e6,
		Description: fmt.Sprintf("the timers of Go's runtime, %s %s/%s",
			runtime.Version(), runtime.GOOS, runtime.GOARCH),
	}
	if by, n, _ := readBegun(); by == os.Getpid() { // and still it is the first trace of this program
		h.Name = fmt.Sprintf("%.*s-%d", maxName-20, h.Name, n+1)
		h.Description += ", after the process replaced its program by exec"
	}
	f, err := fileFromEnv(h)
	if f == nil && err == nil { // the program is the child of one that records
		runtime.TimerbenchStop()
		return nil
	}
	if err != nil {
		return err
	}
	a := &agent{
		file:   f,
		timers: NewObserver(f.w, since),
		buf:    make([]runtime.TimerbenchRecord, 4096),
		places: map[uintptr]string{},
	}
	a.stop = f.completeAfter(func() error { return a.timers.Close(runtime.TimerbenchStop()) })
	syscall.TimerbenchExec, syscall.TimerbenchExecFailed = a.beforeExec, a.execFailed
	exithook.Add(exithook.Hook{F: a.end, RunOnFailure: true})
	runtime.TimerbenchGo(a.run)
	return nil
}

// bufferFromEnv returns the bound of the memory for records.
func bufferFromEnv() (uint64, error) {
	const usual, least = 64 << 20, 1e6
	s := os.Getenv(EnvBuffer)
	if s == "" {
		return usual, nil
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n < least {
		return 0, fmt.Errorf("%s=%q: want a number of bytes, at least 1000000; nothing is recorded", EnvBuffer, s)
	}
	return n, nil
}

// programName makes a valid name for a trace from the name of the program.
func programName() string {
	name := regexp.MustCompile(`[^A-Za-z0-9._-]+`).ReplaceAllString(filepath.Base(os.Args[0]), "-")
	name = strings.TrimLeft(strings.TrimSuffix(name, ".exe"), "._-")
	if name == "" {
		return "program"
	}
	return name[:min(len(name), maxName)]
}

// run reads the records until the program is about to end, or until the trace cannot be written.
// Once a second it writes the operations to the file, so a program that is killed loses the last
// second. A signal that would have ended the program ends it after the trace is complete.
func (a *agent) run() {
	const pause = 25e6 // at 80,000 operations a second, a chunk is then full
	for n := 1; a.drain(n%40 == 0) && runtime.TimerbenchSignal() == 0; n++ {
		runtime.TimerbenchWait(pause)
	}
	a.end()
	if s := runtime.TimerbenchSignal(); s != 0 {
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Signal(syscall.Signal(s))
		}
		if err != nil {
			os.Exit(2) // as for Ctrl-C where a process cannot send itself a signal
		}
	}
}

// drain reads the records of the runtime, and reports whether the recording goes on. If flush is
// true, it writes them to the file at once.
func (a *agent) drain(flush bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for n := len(a.buf); n == len(a.buf) && !a.ended; {
		n = runtime.TimerbenchRead(a.buf)
		for _, r := range a.buf[:n] {
			e := Event{Kind: EventKind(r.Kind), Timer: r.Timer, Now: r.Now, When: r.When, Pending: r.Pending}
			if r.PC != 0 {
				e.Site = Site{Place: a.place(r.PC), Form: Form(r.Form), Reset: r.Again, Period: time.Duration(r.Short)}
			}
			a.timers.Observe(e)
		}
	}
	on := !a.ended && a.timers.Err() == nil
	if on && flush {
		a.timers.w.flush()
	}
	return on
}

// place returns the place in the program of a return address.
func (a *agent) place(pc uintptr) string {
	name, known := a.places[pc]
	if known {
		return name
	}
	function, file, line := runtime.TimerbenchSite(pc)
	name = fmt.Sprintf("%s %s:%d", function, filepath.Base(file), line)
	a.places[pc] = name
	return name
}

// end completes the trace.
func (a *agent) end() {
	runtime.TimerbenchStop()
	a.drain(false)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return
	}
	a.ended = true
	a.addTotals()
	if err := a.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "timerbench:", err)
	}
	runtime.TimerbenchDone()
}

// addTotals adds what the runtime has counted. The Observer counts lost operations, too.
func (a *agent) addTotals() {
	lost, heaped := runtime.TimerbenchTotals()
	for kind, n := range lost {
		a.timers.Lose(EventKind(kind), n-a.lost[kind])
	}
	a.lost = lost
	a.timers.w.totals.Heaped = heaped
}

// beforeExec completes the trace before the process replaces its program. It returns the environment of the new program,
// so that a trace of that program gets the next number. The recording goes on if exec fails.
func (a *agent) beforeExec(env []string) []string {
	a.drain(false)
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ended {
		a.timers.endTick(runtime.TimerbenchNow())
		a.timers.w.flush()
		a.addTotals()
	}
	if f := a.file; !a.ended && a.timers.Err() == nil {
		at, err := f.temp.Seek(0, io.SeekCurrent)
		if err == nil {
			_, err = f.temp.WriteAt(f.w.footer(), at)
		}
		if err == nil {
			a.named, err = f.giveName()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "timerbench:", err)
		}
	}
	const key = envBegun + "="
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, key) })
	return append(env, key+os.Getenv(envBegun))
}

// execFailed goes on with the recording.
func (a *agent) execFailed() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.named == "" {
		return
	}
	at, err := a.file.temp.Seek(0, io.SeekCurrent)
	err = errors.Join(err, a.file.temp.Truncate(at), os.Rename(a.named, a.file.temp.Name()))
	a.named = ""
	if err != nil {
		fmt.Fprintln(os.Stderr, "timerbench:", err)
	}
}
