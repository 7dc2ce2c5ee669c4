package main

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-co-op/gocron/v2"
	"github.com/jonboulle/clockwork"
)

// clock shows a millisecond more each time that it is read. Who reads it for ever is stopped.
type clock struct {
	*clockwork.FakeClock
	reads   atomic.Int64
	forever chan struct{}
}

func (c *clock) Now() time.Time {
	n := c.reads.Add(1)
	if n == 10_000 {
		close(c.forever)
		runtime.Goexit()
	}
	return c.FakeClock.Now().Add(time.Duration(n) * time.Millisecond)
}

// gocron v2.21.2 accepts a one-time job if its time is in the future. If that time has passed when the scheduler's
// goroutine looks at the job, the goroutine searches for the next time forever. Nothing fires any more,
// and the search occupies a processor. So gocron is not measured: loads with short delays never end.
func TestGocronHangsOnAJobWhoseTimeComesWhileItIsAdded(t *testing.T) {
	c := &clock{FakeClock: clockwork.NewFakeClock(), forever: make(chan struct{})}
	s, err := gocron.NewScheduler(gocron.WithClock(c))
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	read := c.reads.Load()
	go func() {
		at := c.FakeClock.Now().Add(time.Duration(read+2) * time.Millisecond)
		_, err := s.NewJob(gocron.OneTimeJob(gocron.OneTimeJobStartDateTime(at)), gocron.NewTask(func() {}))
		t.Errorf("the job was accepted or refused, %v: it is expected to hang", err)
	}()
	select {
	case <-c.forever:
	case <-time.After(10 * time.Second):
		t.Errorf("after %d readings of the clock: it is expected to be read for ever", c.reads.Load())
	}
}
