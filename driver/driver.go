package driver

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// ErrClosed is returned by operations on a driver, or a queue, that is closed.
var ErrClosed = errors.New("driver: closed")

// Driver runs timers. Make one with New. Any goroutine may call its methods, and so may the functions that it runs.
type Driver struct {
	clock     clock
	budget    int
	shards    []shard
	preferred [stackHashes]preferred
	seen      atomic.Uint32 // number of preferred that are in use
	alarm     alarm
	pool      pool
	pass      pass
	done      chan struct{} // closed by Close
	queues    atomic.Uint32 // number of Queues so far
	random    struct {
		sync.Mutex
		*rand.Rand
	}
	wall func() time.Time // the wall clock, without a monotonic reading
}

// New returns a driver without timers. It starts no goroutine. A driver that is made inside a testing/synctest
// bubble runs by the clock of the bubble, and only goroutines of the bubble may use it. A driver that is made
// outside is for goroutines outside. On the wrong side, all methods panic except those that only stop timers.
// The error names the option and the value that are invalid.
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
	given, err := refs.allocate(d.shards)
	if err != nil {
		return nil, err
	}
	runtime.AddCleanup(d, refs.release, given)
	for i := range d.shards {
		sh := &d.shards[i]
		sh.clock, sh.d, sh.index = &d.clock, d, uint32(i)
		sh.next.Store(int64(never))
		sh.settles.Store(int64(never))
		sh.wall.look = never
		sh.watch = newWatch(sh, c.profiling)
		sh.marked.Store(sh.watch != nil || c.execution.workers == 1)
		if c.structure != nil {
			if sh.s, err = d.newStructure(c.structure, i); err != nil {
				return nil, fmt.Errorf("driver: Structure: %w", err)
			}
		}
	}
	for i := range d.preferred {
		d.preferred[i].shard.Store(noShard)
	}
	d.pool.init(c.execution, c.onPanic)
	d.pass.batch = make([]call, 0, c.budget)
	d.alarm.init(d, c.ticking, d.clock.real && (c.precise || c.uptime != nil))
	return d, nil
}

func (d *Driver) newStructure(newScheduler func() structures.Scheduler[Task],
	i int) (structures.Scheduler[Task], error) {
	s := newScheduler()
	if s == nil {
		return nil, fmt.Errorf("the function returned nil, want a scheduler")
	}
	if n := s.Len(); n > 0 {
		return nil, fmt.Errorf("the function returned a %T with %d timers pending, want an empty one", s, n)
	}
	if i > 0 && reflect.TypeOf(s).Comparable() && s == d.shards[0].s {
		return nil, fmt.Errorf("the function returned the same %T twice, want one for each of %d shards", s, len(d.shards))
	}
	return s, nil
}

// Init makes t a timer of d that runs f. Use it for a Timer that is a field of your own struct. It does not
// allocate. The timer is not pending until Reset starts it. Init panics if t is pending or if f is nil.
//
// Do not overwrite the struct while t is pending: call Stop first. If the struct is overwritten
// all the same, the driver panics when the timer is due, instead of calling f.
func (d *Driver) Init(t *Timer, f func()) {
	mustRun(f, "Init")
	if t.when.Load() != idle && !t.sh.closed.Load() {
		panic("driver: Init: the Timer is pending: Stop it before")
	}
	t.f, t.id = f, 0
	t.sh = d.assign()
	t.when.Store(idle)
}

// Now returns the time since d was made, by the clock of its timers. Callers share a reading of the clock for up to
// 4 µs, so Now costs a few ns and is up to 8 µs after the true time, and never before it.
func (d *Driver) Now() time.Duration { return time.Duration(d.clock.soon()) }

// Len returns the number of pending timers. It takes the lock of each shard.
func (d *Driver) Len() int {
	n := 0
	for i := range d.shards {
		sh := &d.shards[i]
		sh.emptyBoxes()
		sh.mu.Lock()
		n += sh.pending + sh.handed
		sh.mu.Unlock()
	}
	d.pool.mu.Lock()
	defer d.pool.mu.Unlock()
	return n + d.pool.waiting
}

// Close ends the driver. After it returns, no function is called. It does not wait for functions
// that were called before; one of them may still be about to execute its first statement. Use
// Shutdown to wait. All pending timers are dropped, and a timer that is started later never
// fires; Err tells whether the driver is closed. The error is always nil.
func (d *Driver) Close() error {
	d.close()
	return nil
}

// Done returns a channel that Close closes.
func (d *Driver) Done() <-chan struct{} { return d.done }

// Err returns ErrClosed after Close, and nil before. AfterFunc and similar methods return no
// error, so call Err to find out whether another goroutine has closed the driver.
func (d *Driver) Err() error {
	select {
	case <-d.done:
		return ErrClosed
	default:
		return nil
	}
}

// Shutdown closes the driver, as Close does, and waits until no function is running or ctx ends. It returns the
// number of timers that were pending, including those whose functions had not started. The error is that of
// ctx. A function of a timer must not call Shutdown with a context that never ends: it would wait for itself.
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

// close closes all parts, and returns the number of timers in the structures.
func (d *Driver) close() int {
	if len(d.shards) == 0 {
		panic(errZero)
	}
	if d.pool.close() {
		close(d.done)
	}
	pending := 0
	for i := range d.shards {
		d.shards[i].emptyBoxes()
		pending += d.shards[i].close()
	}
	d.alarm.close()
	return pending
}
