package driver

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// ErrClosed is the error of what is closed.
var ErrClosed = errors.New("driver: closed")

// Driver runs timers. Make it with New. All methods can be called from any goroutine,
// also from the functions that it runs.
type Driver struct {
	clock     clock
	budget    int
	shards    []shard
	preferred [stackHashes]preferred
	alarm     alarm
	pool      pool
	pass      pass
	done      chan struct{} // closed by Close
	random    struct {
		sync.Mutex
		*rand.Rand
	}
	wall func() time.Time // the wall clock, without a reading of the monotonic one
}

// New returns a driver without timers. It starts no goroutine: there is none as long as
// there is nothing to do. A driver made inside a testing/synctest bubble runs by the
// clock of the bubble, and is for the goroutines of the bubble alone, as one made outside
// is for those outside: its methods panic in the wrong place, but for those that only stop.
func New(opts ...Option) (*Driver, error) {
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	d := &Driver{
		budget: c.budget,
		shards: make([]shard, c.shards),
		done:   make(chan struct{}),
		wall:   func() time.Time { return time.Now().Round(0) },
	}
	d.random.Rand = rand.New(rand.NewPCG(c.seed, 0))
	d.clock.init(c.tick, c.uptime)
	for i := range d.shards {
		sh := &d.shards[i]
		sh.clock, sh.d = &d.clock, d
		sh.slack = d.clock.ticks(int64(c.slack))
		sh.next.Store(int64(never))
		sh.wall.look = never
		if c.structure == nil {
			continue
		}
		if sh.s, err = d.newStructure(c.structure, i); err != nil {
			return nil, fmt.Errorf("driver: Structure: %w", err)
		}
	}
	given, err := refs.allocate(d.shards)
	if err != nil {
		return nil, err
	}
	runtime.AddCleanup(d, refs.release, given)
	for i := range d.shards {
		sh := &d.shards[i]
		sh.watch = newWatch(sh, c.profiling)
		sh.marked.Store(sh.watch != nil)
	}
	for i := range d.preferred {
		d.preferred[i].shard.Store(uint32(i % c.shards))
	}
	d.pool.init(c.execution, c.onPanic)
	d.pass.batch = make([]call, 0, c.budget)
	d.alarm.init(d, c.ticking)
	return d, nil
}

func (d *Driver) newStructure(newScheduler func() structures.Scheduler[Task],
	i int) (structures.Scheduler[Task], error) {
	s := newScheduler()
	if s == nil {
		return nil, fmt.Errorf("the function returned nil, want a scheduler")
	}
	if n := s.Len(); n > 0 {
		return nil, fmt.Errorf("the function returned a %T with %d timers pending, want an empty one",
			s, n)
	}
	if reflect.TypeOf(s).Comparable() {
		for j := range i {
			if d.shards[j].s == s {
				return nil, fmt.Errorf("the function returned the same %T twice, want one for each of %d shards",
					s, len(d.shards))
			}
		}
	}
	return s, nil
}

// AfterFunc makes f run once delay has passed, as time.AfterFunc does, and returns the
// timer that it waits for. It allocates 32 bytes for that. A timer without a delay has fired
// when AfterFunc returns, and f runs at once. After Close f never runs, and Err says so.
// AfterFunc panics if f is nil.
func (d *Driver) AfterFunc(delay time.Duration, f func()) *Timer {
	mustRun(f, "AfterFunc")
	t := &Timer{f: f}
	d.start(t, delay)
	return t
}

// AfterWindow is AfterFunc for a timer that may fire at any time between two delays. The driver
// chooses the tick of the window at which the fewest wake-ups serve the most timers: the one
// that is a multiple of the largest power of two. Windows of w ticks are served by at most one
// wake-up in w/2 ticks, however many there are; so are windows of different widths together, as
// the ticks of the wide ones are among those of the narrow ones. It panics if earliest is after
// latest or f is nil.
func (d *Driver) AfterWindow(earliest, latest time.Duration, f func()) *Timer {
	mustRun(f, "AfterWindow")
	mustBeWindow(earliest, latest, "AfterWindow")
	t := &Timer{f: f}
	now := d.clock.soon()
	deadline := d.clock.beginOf(meet(d.clock.between(now, earliest, latest)))
	t.sh = d.lock()
	t.sh.arm(t, now, deadline)
	return t
}

// start starts a timer that has no shard yet.
func (d *Driver) start(t *Timer, delay time.Duration) {
	now := d.clock.soon()
	t.sh = d.lock()
	t.sh.arm(t, now, d.clock.deadline(now, delay))
}

// Init makes t a timer of d that runs f. It is for timers that are a field of what
// they time, and allocates nothing. t is not pending after it: Reset starts it. Init panics
// if t is pending or f is nil.
//
// What t is a field of must not be overwritten while t is pending: Stop it before. Where it
// is all the same, a panic says so in the place of f.
func (d *Driver) Init(t *Timer, f func()) {
	mustRun(f, "Init")
	if t.when.Load() != idle && !t.sh.closed.Load() {
		panic("driver: Init: the Timer is pending: Stop it before")
	}
	t.f, t.id = f, 0
	t.sh = d.assign()
	t.when.Store(idle)
}

// Schedule makes f run once delay has passed. It is AfterFunc for those who do not
// start the timer again after it has fired, and allocates nothing in the steady state. A
// timer without a delay has fired when Schedule returns. After Close f never runs, and the
// Handle is the zero one. Schedule panics if f is nil.
func (d *Driver) Schedule(delay time.Duration, f func()) Handle {
	mustRun(f, "Schedule")
	now := d.clock.soon()
	deadline := d.clock.deadline(now, delay)
	sh := d.lock()
	if sh.closed.Load() {
		sh.mu.Unlock()
		return Handle{}
	}
	h := Handle{ref: sh.ref}
	var wake structures.Tick
	if deadline.tick == atOnce {
		wake = sh.urge(now, call{f: f})
	} else {
		h.id, wake = sh.schedule(now, deadline, taskOf(f))
	}
	sh.unlock(wake, now)
	return h
}

// Len returns the number of pending timers. It costs a lock for each shard.
func (d *Driver) Len() int {
	n := 0
	for i := range d.shards {
		sh := &d.shards[i]
		sh.mu.Lock()
		n += sh.pending
		sh.mu.Unlock()
	}
	return n
}

// Close ends the driver: when it has returned no function is called any more. It does not
// wait for those that were called before: of these, one that its goroutine was interrupted
// at has its first statement still to come. Shutdown waits for them. Timers that were pending
// are not pending any more, and there will be no new ones: nothing that is started fires, and
// Err says so. The error of Close is always nil.
func (d *Driver) Close() error {
	d.close()
	return nil
}

// Done returns a channel that is closed by Close.
func (d *Driver) Done() <-chan struct{} { return d.done }

// Err returns ErrClosed after Close, and nil before. AfterFunc and those like it return no
// error: whoever starts timers while another one may close the driver asks after it.
func (d *Driver) Err() error {
	select {
	case <-d.done:
		return ErrClosed
	default:
		return nil
	}
}

// Shutdown is Close, and waits until no function runs any more or ctx ends. It returns
// how many timers were pending, those included whose function was about to run. The
// error is that of ctx. A function that calls it waits for itself.
func (d *Driver) Shutdown(ctx context.Context) (pending int, err error) {
	pending = d.close()
	for _, end := range []chan struct{}{d.alarm.quiet, d.pool.quiet} {
		select {
		case <-end:
			continue
		default:
		}
		select {
		case <-end:
		case <-ctx.Done():
			return pending + d.pool.left(), ctx.Err()
		}
	}
	return pending + d.pool.left(), nil
}

// close closes all parts, and returns how many timers were in the structures.
func (d *Driver) close() int {
	if len(d.shards) == 0 {
		panic(errZero)
	}
	if d.pool.close() {
		close(d.done)
	}
	pending := 0
	for i := range d.shards {
		pending += d.shards[i].close()
	}
	d.alarm.close()
	return pending
}
