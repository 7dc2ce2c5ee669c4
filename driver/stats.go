package driver

import (
	"fmt"
	"iter"
	"math/bits"
	"time"
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
	s.Lateness.merge(d.pass.lateness)
	d.pass.mu.Unlock()
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
		s.Pending, s.Started, s.Fired, s.Stopped, s.Moved, s.Wakeups, s.IdleWakeups,
		s.Delays.json(), s.Lateness.json())
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
