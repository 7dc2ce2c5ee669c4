package live

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
)

// Queue returns the usual alternative to locks: one goroutine owns a structure, and the others send it starts and stops
// through a lock-free stack. It is the design of DelayScheduler of JDK 25 and of HeapTimekeeper of folly.
//
//   - A start pushes a message. It wakes the owner if the timer is due before the owner would wake up, or if queueBatch
//     messages wait.
//   - A stop only marks a timer that the owner has not taken yet. Otherwise it pushes a message, too.
//   - The owner calls the functions, which saves the handing over to other goroutines.
//
// Structure, tick and clock are those of package driver.
func Queue() Subject {
	tick := defaultTick(results.Tickless)
	return Subject{
		Name: "auto behind a queue", Role: results.RolePeer, Late: func(time.Duration) time.Duration { return tick },
		Open: func() (System, error) {
			clock, err := driver.New()
			if err != nil {
				return System{}, err
			}
			q := &queue{clock: clock, start: time.Now(), tick: tick, s: auto.New[*queued](), wake: make(chan struct{}, 1), ended: make(chan struct{})}
			go q.run()
			return System{
				Forms: Forms{
					results.FormAfterFunc: func(functions []func()) Timers {
						return queuedTimers{q, make([]*queued, len(functions)), functions}
					},
				},
				Close: q.close,
			}, nil
		},
	}
}

// queueBatch is the number of waiting messages at which the owner wakes up. It is that of folly.
const queueBatch = 256

type queue struct {
	clock *driver.Driver
	start time.Time // not before that of clock, so that no timer is early
	tick  time.Duration
	s     structures.Scheduler[*queued] // of the owner
	wake  chan struct{}                 // holds an item if the owner is to wake up
	ended chan struct{}
	over  atomic.Bool
	until atomic.Int64 // the tick until which the owner sleeps
	_     [64]byte
	head  atomic.Pointer[message] // of the stack
	_     [64]byte
}

// queued is a timer.
type queued struct {
	f     func()
	due   structures.Tick
	state atomic.Int32
	id    structures.ID

	start, stop message
}

// message is an entry of the stack, and does not change while it is there.
type message struct {
	of    *queued
	next  *message
	depth int // of the stack from here on
}

// The states of a timer. Every start makes a new one.
const (
	waiting int32 = iota // its start is in the stack
	owned                // in the structure
	stopped
	fired
)

type queuedTimers struct {
	q *queue
	t []*queued
	f []func()
}

func (p queuedTimers) Start(i int, delay time.Duration) {
	t := &queued{f: p.f[i], due: structures.Tick((p.q.clock.Now() + max(delay, 0) + p.q.tick - 1) / p.q.tick)}
	p.t[i] = t
	p.q.push(&t.start, t, t.due)
}

func (p queuedTimers) Stop(i int) bool {
	t := p.t[i]
	if t.state.CompareAndSwap(waiting, stopped) {
		return true // the owner will drop it
	}
	was := t.state.CompareAndSwap(owned, stopped)
	if was {
		p.q.push(&t.stop, t, math.MaxInt64)
	}
	return was
}

func (q *queue) push(m *message, of *queued, due structures.Tick) {
	for m.of = of; ; {
		m.next, m.depth = q.head.Load(), 1
		if m.next != nil {
			m.depth = m.next.depth + 1
		}
		if q.head.CompareAndSwap(m.next, m) {
			break
		}
	}
	if m.depth == queueBatch || int64(due) < q.until.Load() {
		q.rouse()
	}
}

// rouse wakes the owner.
func (q *queue) rouse() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// run is the owner.
func (q *queue) run() {
	defer close(q.ended)
	for !q.over.Load() {
		next := q.take()
		for t, ok := q.pop(); ok; t, ok = q.pop() {
			if t.Value.state.CompareAndSwap(owned, fired) {
				t.Value.f()
			}
			next = 0
		}
		q.until.Store(int64(next))
		if q.take() < next || next == 0 { // a start that came too late to see until
			continue
		}
		alarm := time.NewTimer(q.at(next)) // a Reset to an earlier time would make the runtime walk its heap
		select {
		case <-q.wake:
			alarm.Stop()
		case <-alarm.C:
		}
		q.until.Store(0)
	}
}

func (q *queue) pop() (structures.Timer[*queued], bool) {
	return q.s.Pop(structures.Tick(time.Since(q.start) / q.tick))
}

// at returns the time until a tick.
func (q *queue) at(tick structures.Tick) time.Duration {
	if tick > structures.Tick(math.MaxInt64/q.tick) {
		return math.MaxInt64
	}
	return time.Duration(tick)*q.tick - time.Since(q.start)
}

// take empties the stack into the structure, and returns the next tick at which the structure has work to do.
func (q *queue) take() structures.Tick {
	for m := q.head.Swap(nil); m != nil; {
		switch t := m.of; {
		case m == &t.stop:
			q.s.Cancel(t.id)
		case t.state.CompareAndSwap(waiting, owned):
			t.id = q.s.Schedule(t.due, t)
		}
		next := m.next
		m.next = nil // so that m keeps no other timer
		m = next
	}
	if next, ok := q.s.Next(); ok {
		return next
	}
	return math.MaxInt64
}

func (q *queue) close() error {
	q.over.Store(true)
	q.rouse()
	<-q.ended
	return q.clock.Close()
}
