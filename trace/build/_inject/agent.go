package trace

import (
	"fmt"
	"internal/runtime/exithook"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// agent writes the records of the runtime into a trace.
type agent struct {
	mu     sync.Mutex // guards the fields below
	timers *Observer
	buf    []runtime.TimerbenchRecord
	places map[uintptr]string
	stop   func() error // completes and renames the file
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
	f, err := fileFromEnv(h)
	if f == nil && err == nil { // the program is the child of one that records
		runtime.TimerbenchStop()
		return nil
	}
	if err != nil {
		return err
	}
	a := &agent{
		timers: NewObserver(f.w, since),
		buf:    make([]runtime.TimerbenchRecord, 4096),
		places: map[uintptr]string{},
	}
	a.stop = f.completeAfter(func() error { return a.timers.Close(runtime.TimerbenchStop()) })
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
	lost, heaped := runtime.TimerbenchTotals()
	for kind, n := range lost {
		a.timers.Lose(EventKind(kind), n) // the Observer counts lost operations, too
	}
	a.timers.w.totals.Heaped = heaped
	if err := a.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "timerbench:", err)
	}
	runtime.TimerbenchDone()
}
