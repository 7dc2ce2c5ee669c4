package live

import (
	"time"

	"github.com/timerbench/timerbench/bench/results"
)

// usage is the resource use of the process so far. It is 0 on systems that do not report it.
type usage struct {
	cpu    time.Duration
	sleeps int64
}

// meter measures the resource use of the process over an interval.
type meter struct {
	s       System
	began   time.Time
	before  usage
	wakeups uint64
}

func startMeter(s System) meter {
	return meter{s: s, wakeups: s.wakeups(), began: time.Now(), before: used()}
}

func (m meter) stop() results.LiveUse {
	after := used()
	return results.LiveUse{
		Seconds: time.Since(m.began).Seconds(), CPUSeconds: (after.cpu - m.before.cpu).Seconds(),
		Sleeps: after.sleeps - m.before.sleeps, Wakeups: m.s.wakeups() - m.wakeups,
	}
}

func (s System) wakeups() uint64 {
	if s.Stats == nil {
		return 0
	}
	return s.Stats().Wakeups
}
