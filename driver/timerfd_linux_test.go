package driver

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/timerbench/timerbench/driver/internal/machine"
)

// mustHaveTimerfd skips the test if the system refuses a timerfd, and waits until none is in use.
func mustHaveTimerfd(t *testing.T) {
	t.Helper()
	system, err := machine.NewTimerfd(false)
	if err != nil {
		t.Skip(err)
	}
	system.Close()
	mustRest(t)
}

// mustRest waits until no timerfd is open and no goroutine waits for one.
func mustRest(t *testing.T) {
	t.Helper()
	for begin := time.Now(); len(openTimerfds(t))+readers() > 0; runtime.GC() {
		if time.Since(begin) > m {
			t.Fatalf("open: %v, %d goroutines wait", openTimerfds(t), readers())
		}
	}
}

// openTimerfds returns the flags of each open timerfd, in octal digits.
func openTimerfds(t *testing.T) (flags []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || len(all) == 0 {
		t.Skip("no list of descriptors: ", err)
	}
	for _, fd := range all {
		if kind, _ := os.Readlink(fd); kind == "anon_inode:[timerfd]" {
			info, _ := os.ReadFile(strings.Replace(fd, "/fd/", "/fdinfo/", 1))
			_, rest, _ := strings.Cut(string(info), "flags:")
			flags = append(flags, strings.Fields(rest)[0])
		}
	}
	return flags
}

// readers returns the number of goroutines that wait for a timerfd.
func readers() int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "(*Timerfd).Wait(")
}

// Precise drivers share one descriptor and one goroutine, which end with the last of them.
func TestAThousandPreciseDriversTakeOneDescriptor(t *testing.T) {
	mustHaveTimerfd(t)
	var all []*Driver
	var fired sync.WaitGroup
	for i := range 1000 {
		d := Made(t, Precise(), Shards(1))
		all = append(all, d)
		begin, delay := time.Now(), time.Duration(1+i%300)*ms
		fired.Add(1)
		d.AfterFunc(delay, func() {
			if after := time.Since(begin); after < delay {
				t.Errorf("%v have passed, want %v", after, delay)
			}
			fired.Done()
		})
		if kind := d.Stats().Alarm; kind != "timerfd" {
			t.Fatalf("the alarm is a %s", kind)
		}
	}
	flags := openTimerfds(t)
	var closeOnExec int
	if len(flags) == 1 {
		_, _ = fmt.Sscanf(flags[0], "%o", &closeOnExec)
	}
	if closeOnExec&syscall.O_CLOEXEC == 0 || readers() != 1 {
		t.Errorf("timerfds with the flags %v, and %d goroutines, want one that is closed on exec, and one", flags, readers())
	}
	fired.Wait()
	for _, d := range all {
		_ = d.Close()
	}
	mustRest(t)
}

// A precise driver that is forgotten goes, although its alarm is set, and its descriptor goes, too.
func TestAForgottenPreciseDriverGoes(t *testing.T) {
	mustHaveTimerfd(t)
	gone := func() weak.Pointer[Driver] {
		d, _ := New(Boottime()) // not kept by the test
		d.AfterFunc(h, func() {}).Stop()
		if kind := d.Stats().Alarm; kind != "timerfd" {
			t.Errorf("the alarm is a %s", kind)
		}
		return weak.Make(d)
	}()
	mustRest(t)
	if gone.Value() != nil {
		t.Error("the driver does not go")
	}
}

// An alarm that is far, or set already, makes no system call.
func TestAFarOrUnchangedAlarmIsNotSet(t *testing.T) {
	mustHaveTimerfd(t)
	d := Made(t, Precise())
	startAndStop := func(d *Driver) {
		for i := range 1000 {
			timer := d.AfterFunc(h+time.Duration(i)*ms, func() {})
			timer.Reset(2 * h)
			timer.Stop()
		}
	}
	if startAndStop(d); len(openTimerfds(t)) > 0 {
		t.Error("a timerfd is open for a timer of an hour")
	}
	boot := Made(t, Boottime())
	boot.AfterFunc(h, func() {})
	at := timerfds[1].at
	if startAndStop(boot); timerfds[1].at != at || len(openTimerfds(t)) != 1 {
		t.Errorf("the timerfd is set to %d instead of %d", timerfds[1].at, at)
	}
}

// Where the system refuses a timerfd, and in a bubble, timers of the runtime take its place.
func TestWithoutATimerfd(t *testing.T) {
	mustHaveTimerfd(t)
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	least := syscall.Rlimit{Cur: uint64(null.Fd()), Max: limit.Max}
	_ = null.Close()
	d, boot := Made(t, Precise()), Made(t, Boottime())
	fired := make(chan struct{})
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &least); err != nil {
		t.Fatal(err)
	}
	boot.AfterFunc(h, func() {})
	d.AfterFunc(50*ms, func() { close(fired) })
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if <-fired; d.Stats().Alarm != "time.Timer" {
		t.Error("there is a timerfd")
	}
	boot.alarm.mu.Lock()
	defer boot.alarm.mu.Unlock()
	if at := boot.clock.begin(boot.alarm.bells[0].at); at > boot.clock.now()+int64(lookEvery)+boot.clock.tick {
		t.Errorf("with Boottime a bell rings after %d ns, want a second", at)
	}
	synctest.Test(t, func(t *testing.T) {
		d, l := Made(t, Precise(), Boottime()), NewLog()
		d.AfterFunc(ms, l.Note("1ms"))
		d.AfterFunc(h, l.Note("1h"))
		Pass(h)
		if l.Want(t, "1ms 1ms", "1h0m0s 1h"); d.Stats().Alarm != "time.Timer" {
			t.Error("there is a timerfd")
		}
	})
}

// While the processors are busy, bells ring on time. Otherwise one bell serves many alarms.
func TestBellsAreOnTimeWhileProcessorsAreBusy(t *testing.T) {
	mustHaveTimerfd(t)
	d := Made(t, Precise())
	a := &d.alarm
	d.clock.start = d.clock.start.Add(-h)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.client.busy.Store(0)                   // of other tests
	late := func(delay time.Duration) bool { // the bell of a timer is later than its timerfd
		now := d.clock.now()
		at, bell, _ := a.setTimerfd(d.clock.deadline(now, delay).tick, now)
		return bell > at
	}
	if !late(5*ms) || late(50*ms) || late(2*s) {
		t.Error("the bell is on time after 5ms, or late after 50ms or 2s")
	}
	now := d.clock.now()
	a.fdAt, a.served = d.clock.ticks(now-int64(20*ms)), d.clock.ticks(now-int64(s))
	if a.bellRang(); late(5 * ms) {
		t.Error("the bell is late although one has rung 20ms after the timerfd should have")
	}
	rung := func() {
		tick := d.clock.ticks(d.clock.now()) + 1
		a.at.Store(int64(tick))
		a.mu.Unlock()
		a.rung(tick)
		a.mu.Lock()
	}
	if rung(); late(5 * ms) {
		t.Error("the bell is late although the processors were busy less than a second ago")
	}
	a.client.busy.Store(1)
	if rung(); !late(5 * ms) {
		t.Error("the bell is on time although the timerfd was first")
	}
}
