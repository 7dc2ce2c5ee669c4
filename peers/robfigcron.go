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
			s := &cronSystem{c: cron.New()}
			s.c.Start()
			return s, nil
		},
	}
}

type cronSystem struct{ c *cron.Cron }

func (s *cronSystem) Timers(form results.Form, n int, function func(i int) func()) live.Timers {
	if form != results.FormSchedule {
		return nil
	}
	t := &cronTimers{c: s.c, entries: make([]cronEntry, n)}
	for i := range t.entries {
		t.entries[i].f = function(i)
	}
	return t
}

func (s *cronSystem) Close() error {
	s.c.Stop()
	return nil
}

type cronTimers struct {
	c       *cron.Cron
	entries []cronEntry
}

// cronEntry is a timer. Its job removes it, because cron keeps entries after their time.
type cronEntry struct {
	f  func()
	mu sync.Mutex
	id cron.EntryID
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

func (t *cronTimers) Start(i int, delay time.Duration) {
	e := &t.entries[i]
	e.mu.Lock()
	defer e.mu.Unlock()
	e.id = t.c.Schedule(&once{at: time.Now().Add(delay)}, cron.FuncJob(func() {
		e.mu.Lock()
		t.c.Remove(e.id)
		e.mu.Unlock()
		e.f()
	}))
}

func (t *cronTimers) Stop(i int) bool {
	e := &t.entries[i]
	e.mu.Lock()
	defer e.mu.Unlock()
	t.c.Remove(e.id)
	return true
}
