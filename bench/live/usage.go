package live

import (
	"time"

	"github.com/timerbench/timerbench/bench/results"
)

// usage is what the process has used so far.
type usage struct {
	cpu    time.Duration
	sleeps int64
}

// meter measures what the process uses over a time.
type meter struct {
	s       System
	began   time.Time
	before  usage
	known   bool
	wakeups uint64
}

func startMeter(s System) meter {
	m := meter{s: s, wakeups: wakeups(s), began: time.Now()}
	m.before, m.known = used()
	return m
}

func (m meter) stop() results.LiveUse {
	after, ok := used()
	u := results.LiveUse{Seconds: time.Since(m.began).Seconds()}
	if m.known && ok {
		u.CPUSeconds = (after.cpu - m.before.cpu).Seconds()
		u.Sleeps = after.sleeps - m.before.sleeps
	}
	u.Wakeups = wakeups(m.s) - m.wakeups
	return u
}

func wakeups(s System) uint64 {
	if w, ok := s.(Waker); ok {
		return w.Wakeups()
	}
	return 0
}
