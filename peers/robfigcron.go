package main

import (
	"sync"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/timerbench/timerbench/bench/live"
	"github.com/timerbench/timerbench/bench/results"
)

// robfigCron is robfig/cron with a schedule of a single time. It sorts all entries whenever an entry is added, removed
// or fires, and is meant for few entries. Remove does not report whether the entry existed, and entries
// cannot be moved.
func robfigCron() live.Subject {
	return live.Subject{
		Name: "robfig/cron", Role: results.RolePeer, Silent: true, Limit: 1000,
		Open: func() (live.System, error) {
			c := cron.New()
			c.Start()
			timers := &keyed[cronEntry]{
				start: func(_ uint64, t *cronTimer, delay time.Duration) {
					e := &t.data
					e.mu.Lock()
					defer e.mu.Unlock()
					e.id = c.Schedule(&once{at: time.Now().Add(delay)}, cron.FuncJob(func() {
						e.remove(c)
						t.f()
					}))
				},
				stop: func(_ uint64, t *cronTimer) bool {
					t.data.remove(c)
					return true
				},
				end: func() { c.Stop() },
			}
			return timers.system(), nil
		},
	}
}

type cronTimer = keyedTimer[cronEntry]

// cronEntry is the entry of a timer. Its job removes it, because cron keeps entries after their time.
type cronEntry struct {
	mu sync.Mutex
	id cron.EntryID
}

func (e *cronEntry) remove(c *cron.Cron) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c.Remove(e.id)
}

// once is a schedule with a single time.
type once struct {
	at   time.Time
	over bool
}

// Next returns the time at the first call and the zero time after it. Only cron's goroutine calls it.
func (o *once) Next(time.Time) time.Time {
	if o.over {
		return time.Time{}
	}
	o.over = true
	return o.at
}
