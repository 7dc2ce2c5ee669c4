package driver

import (
	"fmt"
	"iter"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
)

// Stats counts what a driver has done since it was made.
type Stats struct {
	Pending     uint64       // timers that are pending now
	Started     uint64       // timers that were started; each tick of a Ticker counts
	Fired       uint64       // timers whose functions have begun, or that have sent a value; each tick of a Ticker counts
	Stopped     uint64       // timers that were stopped before their functions began, by Close, too
	Moved       uint64       // timers that were pending at a Reset; 0 without Profiling
	Wakeups     uint64       // times that the driver woke up
	IdleWakeups uint64       // of these, times when nothing fired
	Alarm       string       // what wakes the driver up: "timerfd" or "time.Timer"
	Delays      Distribution // of the timers that were started; empty without Profiling
	Lateness    Distribution // of the timers that have come due
}

// Stats returns the counters of d. It takes the lock of each shard. Started is the sum of Fired, Stopped and Pending. All but
// Pending only rise.
//
// Lateness is the time from the tick to which a deadline was rounded up, until the function was
// handed to the goroutines that run it.
func (d *Driver) Stats() Stats {
	var s Stats
	d.pool.mu.Lock() // before the shards, in which each of them has been started
	s.Fired, s.Stopped = d.pool.begun, uint64(d.pool.dropped)
	d.pool.mu.Unlock()
	for i := range d.shards {
		sh := &d.shards[i]
		sh.emptyBoxes()
		sh.mu.Lock()
		s.Started += sh.started
		s.Fired += sh.fired
		s.Stopped += sh.stopped
		if sh.watch != nil {
			s.Moved += sh.watch.moved.Load()
			s.Delays.merge(sh.watch.delays)
		}
		sh.mu.Unlock()
	}
	s.Pending = s.Started - s.Fired - s.Stopped
	d.alarm.mu.Lock()
	s.Wakeups, s.IdleWakeups = d.alarm.wakeups, d.alarm.idle
	s.Alarm = d.alarm.kind()
	d.alarm.mu.Unlock()
	d.pass.mu.Lock()
	defer d.pass.mu.Unlock()
	s.Lateness.merge(d.pass.lateness)
	return s
}

// String names the counters. It leaves out what is only counted with Profiling if it is 0.
func (s Stats) String() string {
	out := fmt.Sprintf("pending %d, started %d, fired %d, stopped %d, wake-ups %d (%d idle), lateness of %v",
		s.Pending, s.Started, s.Fired, s.Stopped, s.Wakeups, s.IdleWakeups, s.Lateness)
	if s.Moved+s.Delays.n > 0 {
		out += fmt.Sprintf(", moved %d, delays of %v", s.Moved, s.Delays)
	}
	return out
}

// String returns Stats as JSON, with durations in ns. It makes a Driver a variable of package expvar:
//
//	expvar.Publish("timers", d)
func (d *Driver) String() string {
	s := d.Stats()
	return fmt.Sprintf(`{"pending": %d, "started": %d, "fired": %d, "stopped": %d, "moved": %d, `+
		`"wakeups": %d, "idle_wakeups": %d, "delays": %s, "lateness": %s}`,
		s.Pending, s.Started, s.Fired, s.Stopped, s.Moved, s.Wakeups, s.IdleWakeups, s.Delays.json(), s.Lateness.json())
}

// Distribution is a distribution of durations. Its quantiles are exact to 3 %.
type Distribution struct {
	counts []uint64 // by bucket; nil while there are none
	n      uint64
	max    int64 // ns
}

// A power of two is divided into 32 buckets of the same width.
const (
	latenessBits    = 5
	latenessBuckets = (64 - latenessBits) << latenessBits
)

func latenessBucket(ns uint64) int {
	if ns < 1<<latenessBits {
		return int(ns)
	}
	shift := bits.Len64(ns) - latenessBits - 1
	return shift<<latenessBits + int(ns>>shift)
}

// latenessAt returns the largest duration in a bucket, in ns.
func latenessAt(bucket int) uint64 {
	if bucket < 1<<latenessBits {
		return uint64(bucket)
	}
	shift := bucket>>latenessBits - 1
	return (uint64(bucket)&(1<<latenessBits-1)+1<<latenessBits+1)<<shift - 1
}

func (l *Distribution) add(ns int64, n uint64) {
	if l.counts == nil {
		l.counts = make([]uint64, latenessBuckets)
	}
	ns = max(ns, 0)
	l.counts[latenessBucket(uint64(ns))] += n
	l.n += n
	l.max = max(l.max, ns)
}

func (l *Distribution) merge(other Distribution) {
	if l.counts == nil && other.counts != nil {
		l.counts = make([]uint64, latenessBuckets)
	}
	for bucket, count := range other.counts {
		l.counts[bucket] += count
	}
	l.n += other.n
	l.max = max(l.max, other.max)
}

func (l Distribution) json() string {
	return fmt.Sprintf(`{"count": %d, "p50": %d, "p99": %d, "p999": %d, "max": %d}`,
		l.n, l.Quantile(0.5), l.Quantile(0.99), l.Quantile(0.999), l.max)
}

// Count returns the number of timers.
func (l Distribution) Count() uint64 { return l.n }

// Max returns the largest duration, or 0 if there is none.
func (l Distribution) Max() time.Duration { return time.Duration(l.max) }

// All returns the timers in order of their duration: the number of those that have about the same one, and the longest
// duration that counts as about the same. So the number of timers up to a duration never falls.
func (l Distribution) All() iter.Seq2[time.Duration, uint64] {
	return func(yield func(time.Duration, uint64) bool) {
		for bucket, count := range l.counts {
			if count > 0 && !yield(time.Duration(latenessAt(bucket)), count) {
				return
			}
		}
	}
}

// Quantile returns the duration that a share q of the timers does not exceed, where q is from 0
// to 1. It returns 0 if there are no timers.
func (l Distribution) Quantile(q float64) time.Duration {
	rank := max(1, uint64(q*float64(l.n)+0.5))
	for most, count := range l.All() {
		if count >= rank {
			return min(most, l.Max())
		}
		rank -= count
	}
	return l.Max()
}

// String returns the number of timers and some quantiles, to three digits.
func (l Distribution) String() string {
	digits := func(d time.Duration) time.Duration {
		unit := time.Duration(1)
		for unit < d/1000 {
			unit *= 10
		}
		return d.Round(unit)
	}
	return fmt.Sprintf("%d timers: p50 %v, p99 %v, max %v", l.n, digits(l.Quantile(0.5)), digits(l.Quantile(0.99)), digits(l.Max()))
}

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
