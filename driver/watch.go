package driver

import (
	"math/rand/v2"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
)

var pendingTimers = sync.OnceValue(func() *pprof.Profile {
	return pprof.NewProfile("timerbench/driver.pending")
})

// recorder records an operation on a timer: 0 if the timer was set, 1 if it was stopped, 2 if it
// has fired. A set timer fires after delay. pending says that it was pending before. The runtime of
// a program that "timerbench trace build" has built sets recorder before any driver is made.
var recorder func(kind uint8, timer uint64, delay int64, pending bool)

const (
	recordSet = iota
	recordStop
	recordFire
)

// watch follows the timers of a shard, for Profiling and for a recording. The lock of the shard
// guards it, except moved.
type watch struct {
	record  func(kind uint8, timer uint64, delay int64, pending bool) // nil: there is no recording
	shard   uint32
	n       uint64 // one timer in n is sampled; 0: none, and nothing is counted
	sampled map[timerKey]*sample
	delays  Distribution
	moved   atomic.Uint64
}

// newWatch returns nil if there is nothing to follow.
func newWatch(sh *shard, profiling int) *watch {
	w := &watch{record: recorder, shard: sh.ref.number, n: uint64(profiling), sampled: make(map[timerKey]*sample)}
	if !sh.clock.real {
		w.record = nil // a recording is of the real time
	}
	if w.record == nil && w.n == 0 {
		return nil
	}
	return w
}

// timerKey names a pending timer: a Timer by its address, and other timers by their ID.
type timerKey struct {
	t  *Timer
	id structures.ID // if there is no Timer
}

// sample stands for a timer in the profile. It must not be empty, because each needs its own address.
type sample struct{ _ byte }

func keyOf(task Task, id structures.ID) timerKey {
	if t := task.timer(); t != nil {
		return timerKey{t: t}
	}
	return timerKey{id: id}
}

func (w *watch) note(kind uint8, key timerKey, delay int64, pending bool) {
	if w.record == nil {
		return
	}
	// The address of a Timer is even, so the name of a Handle is odd.
	name := uint64(uintptr(unsafe.Pointer(key.t)))
	if key.t == nil {
		name = uint64(key.id)*0x9e3779b97f4a7c15 ^ uint64(w.shard)<<32 | 1
	}
	w.record(kind, name, delay, pending)
}

// noteAtOnce notes a timer that fires when it is started.
func (w *watch) noteAtOnce(key timerKey) {
	w.note(recordSet, key, 0, false)
	w.note(recordFire, key, 0, true)
}

func (w *watch) noteMove(key timerKey, delay int64) { w.note(recordSet, key, delay, true) }

func (w *watch) countMoved() {
	if w.n > 0 {
		w.moved.Add(1)
	}
}

func (w *watch) countDelay(delay int64) {
	if w.n > 0 {
		w.delays.add(delay, 1)
	}
}

// noteSet notes that a timer has entered the structure, because it was started or by the pass.
//
//go:noinline
func (w *watch) noteSet(task Task, id structures.ID, delay int64) {
	key := keyOf(task, id)
	w.note(recordSet, key, delay, false)
	if w.n == 0 || w.sampled[key] != nil || rand.Uint64N(w.n) > 0 {
		return
	}
	// The stack begins where the driver was called.
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for skip := 0; ; skip++ {
		frame, more := frames.Next()
		switch {
		case strings.HasPrefix(frame.Function, "github.com/timerbench/timerbench/driver."):
			if more {
				continue
			}
		case frame.Function != "time.goFunc" && frame.Function != "runtime.goexit":
			s := new(sample)
			w.sampled[key] = s
			pendingTimers().Add(s, skip+1) // Add is a frame as well
		}
		return // a goroutine of the driver that restarts a Ticker
	}
}

// noteEnd notes that a timer has been stopped or has fired, as kind says.
func (w *watch) noteEnd(kind uint8, key timerKey) {
	w.note(kind, key, 0, true)
	if s := w.sampled[key]; s != nil {
		delete(w.sampled, key)
		pendingTimers().Remove(s)
	}
}

// notePop notes that a timer has left the structure. It may be there again already.
func (w *watch) notePop(timer structures.Timer[Task]) {
	if t := timer.Value.timer(); t == nil || t.when.Load() <= idle {
		w.noteEnd(recordFire, keyOf(timer.Value, timer.ID))
	}
}

// close stops all timers that are pending in s, which is then empty.
func (w *watch) close(s structures.Scheduler[Task]) {
	if s != nil {
		for timer := range structures.Due(s, never) {
			w.noteEnd(recordStop, keyOf(timer.Value, timer.ID))
		}
	}
	for key := range w.sampled { // a run of Every is handed over
		w.noteEnd(recordStop, key)
	}
}
