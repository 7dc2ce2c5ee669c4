package driver

import (
	"fmt"
	"math/bits"
	"slices"
	"time"
)

// Stats is what a driver has done so far.
type Stats struct {
	Pending     uint64   // timers that wait
	Fired       uint64   // timers that have fired; each tick of a Ticker counts
	Stopped     uint64   // timers that were stopped before they fired
	Wakeups     uint64   // times that the driver woke up
	IdleWakeups uint64   // of these, times that nothing fired
	Lateness    Lateness // of the timers that have fired
}

// Stats returns what the driver has done so far. It costs a lock for each shard.
func (d *Driver) Stats() Stats {
	var s Stats
	for i := range d.shards {
		sh := &d.shards[i]
		sh.mu.Lock()
		s.Pending += uint64(sh.pending)
		s.Fired += sh.fired
		s.Stopped += sh.stopped
		sh.mu.Unlock()
	}
	s.Fired -= uint64(d.pool.left())
	d.alarm.mu.Lock()
	s.Wakeups, s.IdleWakeups = d.alarm.wakeups, d.alarm.idle
	d.alarm.mu.Unlock()
	d.pass.mu.Lock()
	s.Lateness = d.pass.lateness.clone()
	d.pass.mu.Unlock()
	return s
}

// Lateness is a distribution of how late timers fired: the time from the tick that a
// deadline was rounded up to until the function was handed to those who run it. What it
// tells is exact to 3 %.
type Lateness struct {
	counts []uint64 // by bucket; nil as long as there are none
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

// latenessAt returns the largest number of ns in a bucket.
func latenessAt(bucket int) uint64 {
	if bucket < 1<<latenessBits {
		return uint64(bucket)
	}
	shift := bucket>>latenessBits - 1
	return (uint64(bucket)&(1<<latenessBits-1)+1<<latenessBits+1)<<shift - 1
}

// add counts n timers that were late by so many ns.
func (l *Lateness) add(ns int64, n uint64) {
	if l.counts == nil {
		l.counts = make([]uint64, latenessBuckets)
	}
	ns = max(ns, 0)
	l.counts[latenessBucket(uint64(ns))] += n
	l.n += n
	l.max = max(l.max, ns)
}

func (l Lateness) clone() Lateness {
	l.counts = slices.Clone(l.counts)
	return l
}

// Count returns the number of timers.
func (l Lateness) Count() uint64 { return l.n }

// Max returns the largest lateness, or 0 if there is none.
func (l Lateness) Max() time.Duration { return time.Duration(l.max) }

// Quantile returns the lateness that a share q of the timers does not exceed, q from 0
// to 1. It returns 0 if there are none.
func (l Lateness) Quantile(q float64) time.Duration {
	rank := max(1, uint64(q*float64(l.n)+0.5))
	for bucket, count := range l.counts {
		if count >= rank {
			return time.Duration(min(latenessAt(bucket), uint64(l.max)))
		}
		rank -= count
	}
	return l.Max()
}

// String returns the number of timers and some quantiles.
func (l Lateness) String() string {
	return fmt.Sprintf("%d timers, p50 %v, p99 %v, max %v",
		l.n, l.Quantile(0.5), l.Quantile(0.99), l.Max())
}
