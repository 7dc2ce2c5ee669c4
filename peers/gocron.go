package main

import (
	"errors"
	"time"

	"github.com/go-co-op/gocron/v2"
	"github.com/google/uuid"

	"github.com/timerbench/timerbench/bench/live"
	"github.com/timerbench/timerbench/bench/results"
)

// goCron is go-co-op/gocron with jobs that run once. It is meant for few. RemoveJob tells
// whether the job was there, which it is while it runs too; none can be moved.
func goCron() live.Contender {
	return live.Contender{
		Name: "gocron", Role: results.RolePeer, Silent: true, Limit: 1000,
		Open: func() (live.System, error) {
			s, err := gocron.NewScheduler()
			if err != nil {
				return nil, err
			}
			s.Start()
			return &goCronSystem{s}, nil
		},
	}
}

type goCronSystem struct{ s gocron.Scheduler }

func (s *goCronSystem) Timers(form live.Form, n int, function func(i int) func()) live.Timers {
	if form != live.Schedule {
		return nil
	}
	t := &goCronTimers{s: s.s, ids: make([]uuid.UUID, n), tasks: make([]gocron.Task, n)}
	for i := range t.tasks {
		t.tasks[i] = gocron.NewTask(function(i))
	}
	return t
}

func (s *goCronSystem) Close() error { return s.s.Shutdown() }

type goCronTimers struct {
	s     gocron.Scheduler
	ids   []uuid.UUID
	tasks []gocron.Task
}

// Start starts a job. One whose time has passed when it is accepted is refused, and
// started at once instead.
func (t *goCronTimers) Start(i int, delay time.Duration) {
	job, err := t.s.NewJob(gocron.OneTimeJob(gocron.OneTimeJobStartDateTime(time.Now().Add(delay))), t.tasks[i])
	if errors.Is(err, gocron.ErrOneTimeJobStartDateTimePast) {
		job, err = t.s.NewJob(gocron.OneTimeJob(gocron.OneTimeJobStartImmediately()), t.tasks[i])
	}
	if err != nil {
		panic(err)
	}
	t.ids[i] = job.ID()
}

func (t *goCronTimers) Stop(i int) bool { return t.s.RemoveJob(t.ids[i]) == nil }
