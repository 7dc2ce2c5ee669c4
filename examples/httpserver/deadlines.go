package main

import (
	"sync"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// deadlines drives a structure by the real clock: a mutex, since structures are
// for one goroutine at a time, and a goroutine that sleeps until the tick that
// Next names.
type deadlines struct {
	tick  time.Duration
	epoch time.Time // tick 0
	ended chan struct{}
	done  chan struct{}
	wake  *time.Timer

	mu     sync.Mutex
	timers structures.Scheduler[*side]
	clock  structures.Tick // of timers
	at     structures.Tick // that wake is set to
	set    bool            // whether it is
	over   bool            // after stop
}

// newDeadlines drives timers, whose clock must be at 0, until stop is called.
func newDeadlines(timers structures.Scheduler[*side], tick time.Duration) *deadlines {
	d := &deadlines{
		tick: tick, epoch: time.Now(), timers: timers,
		ended: make(chan struct{}), done: make(chan struct{}),
		wake: time.NewTimer(0),
	}
	d.wake.Stop()
	go d.run()
	return d
}

// stop ends the goroutine. Timers that are pending do not expire any more.
func (d *deadlines) stop() {
	d.mu.Lock()
	d.over = true
	d.mu.Unlock()
	close(d.ended)
	<-d.done
}

func (d *deadlines) run() {
	defer close(d.done)
	for {
		select {
		case <-d.ended:
			d.wake.Stop()
			return
		case <-d.wake.C:
			d.expire()
		}
	}
}

// expire lets all that is due expire.
func (d *deadlines) expire() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return
	}
	d.set = false
	d.advance()
	d.sleep()
}

// advance brings the structure's clock up to the last tick that has passed, and
// lets expire what is due. A structure goes by its own clock, so it is done before
// anything is scheduled too: a wheel would else take a delay for a longer one.
func (d *deadlines) advance() {
	now := structures.Tick(time.Since(d.epoch) / d.tick)
	if now == d.clock {
		return
	}
	d.clock = now
	for t := range structures.Due(d.timers, now) {
		_ = t.Value.interrupt() // it fails only where the connection is closed
	}
}

// after is the first tick at or after a moment: nothing expires early.
func (d *deadlines) after(t time.Time) structures.Tick {
	return structures.Tick((t.Sub(d.epoch) + d.tick - 1) / d.tick)
}

// sleep sets the alarm, if the one that is set is too late.
func (d *deadlines) sleep() {
	next, ok := d.timers.Next()
	if !ok || d.set && d.at <= next {
		return
	}
	d.at, d.set = next, true
	d.wake.Reset(time.Until(d.epoch.Add(time.Duration(next) * d.tick)))
}

// change moves the deadline of a side; the zero time means none.
func (d *deadlines) change(s *side, t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over || s.closed {
		return s.under(t) // it says what is wrong
	}
	d.advance()
	if t.IsZero() || !t.After(time.Now()) {
		d.timers.Cancel(s.id)
		if t.IsZero() {
			return s.resume()
		}
		return s.interrupt()
	}
	if err := s.resume(); err != nil {
		return err
	}
	if at := d.after(t); !d.timers.Reschedule(s.id, at) {
		s.id = d.timers.Schedule(at, s)
	}
	d.sleep()
	return nil
}

// forget takes the sides of a connection that is closed out of the structure.
func (d *deadlines) forget(sides ...*side) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range sides {
		if !d.over && !s.closed {
			d.timers.Cancel(s.id)
		}
		s.closed = true
	}
}
