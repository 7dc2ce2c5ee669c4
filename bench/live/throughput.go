package live

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/parallel"
)

const (
	// The resident timers are due in 5 to 10 minutes: none of them fires.
	residentMin  = 5 * time.Minute
	residentSpan = 5 * time.Minute

	maxInFlight = 256  // timers that a goroutine starts before it stops the first one
	maxFiring   = 8192 // timers that a goroutine starts before it waits for them
	fireSpan    = int64(time.Millisecond)
	numbers     = 1 << 14 // random numbers made beforehand
	fireAlarm   = 10 * time.Second
)

// population is a member with its resident timers and the workers that operate on them.
type population struct {
	*member
	system   System
	form     results.Form // of the resident timers
	each     int          // resident timers of a worker
	inFlight int          // timers that a goroutine starts before it stops the first one
	notDue   func()
	fired    atomic.Int64 // timers that fired before they were stopped or moved, or in spite of it
	expired  atomic.Int64 // timers that came due before they were stopped or moved
	epoch    time.Time
	workers  []*worker
	maxOps   int // maximum number of operations of a goroutine in a slice
}

// worker is the private state of one goroutine.
type worker struct {
	resident Timers // this worker's share
	scratch  map[results.Form]Timers
	burst    burst
	wake     burst // of one timer
	moving   moving
	left     []remains
	stopped  []time.Duration // of timers that are started and stopped
	moved    []time.Duration // of timers that are moved; nil: their own
	loops    loops
	far      []time.Duration // of the resident timers, at least residentMin
}

func randomDelays(least, span time.Duration, r *rand.Rand) []time.Duration {
	list := make([]time.Duration, numbers)
	for i := range list {
		list[i] = least + time.Duration(r.Int64N(int64(span)))
	}
	return list
}

// newPopulation prepares the resident timers and the workers. form is the form of the resident timers.
func newPopulation(e *member, s System, form results.Form, goroutines int, cfg Config) *population {
	room := maxFiring // timers that fire, per goroutine
	if e.Limit > 0 {
		room = max(1, e.Limit/(2*goroutines))
	}
	p := &population{
		member: e, system: s, form: form, each: e.row.Resident / goroutines, epoch: time.Now(),
		inFlight: min(maxInFlight, room), workers: make([]*worker, goroutines), maxOps: cfg.MaxOps,
	}
	p.notDue = func() { p.fired.Add(1) }
	var wg sync.WaitGroup
	for g := range goroutines {
		// Each goroutine creates its own timers, because a driver may use that for locality.
		wg.Go(func() {
			p.workers[g] = p.newWorker(room, rand.New(rand.NewPCG(cfg.Seed, uint64(g))))
		})
	}
	wg.Wait()
	return p
}

// neverFires returns the shared function of timers that are stopped or moved before they are due, unless the goroutine
// is interrupted for longer than their delay.
func (p *population) neverFires(int) func() { return p.notDue }

// now returns the time since the population was made.
func (p *population) now() time.Duration { return time.Since(p.epoch) }

// newWorker returns the state of one goroutine. room limits the timers that fire.
func (p *population) newWorker(room int, r *rand.Rand) *worker {
	w := &worker{
		resident: p.system.Timers(p.form, p.each, p.neverFires), left: make([]remains, 0, 2048),
		scratch: make(map[results.Form]Timers), far: randomDelays(residentMin, residentSpan, r),
		stopped: slices.Repeat([]time.Duration{p.delay()}, p.inFlight),
	}
	if p.movesSoon() {
		w.moved = slices.Repeat([]time.Duration{p.moveDelay()}, p.inFlight)
	}
	for _, form := range results.Forms {
		if timers := p.system.Timers(form, p.inFlight, p.neverFires); timers != nil {
			w.scratch[form] = timers
		}
	}
	w.moving = newMoving(p.each, p.inFlight, w.far, r)
	w.burst.init(p.system, p.form, min(maxFiring, room), p.Early, r)
	w.wake.init(p.system, p.form, 1, p.Early, r)
	w.wake.delays[0] = fireSpan
	w.loops.init(p, r)
	return w
}

// pending returns the number of resident timers.
func (p *population) pending() int { return p.each * len(p.workers) }

// fill starts the resident timers from GOMAXPROCS goroutines.
func (p *population) fill() error {
	return p.share(func(w *worker) error {
		for i := range p.each {
			w.resident.Start(i, w.far[i%numbers])
		}
		return nil
	})
}

// empty stops the resident timers. It fails if one was not pending, or if a stopped or distant timer has fired.
func (p *population) empty() error {
	err := p.share(func(w *worker) error {
		for i := range p.each {
			if !w.resident.Stop(i) {
				return fmt.Errorf("resident timer %d of %d was not pending", i, p.each)
			}
		}
		return nil
	})
	if wrong := p.fired.Load() - p.expired.Load(); err == nil && wrong > 0 && !p.Silent {
		return fmt.Errorf("%d timers fired that were stopped or not due for minutes", wrong)
	}
	return err
}

// share runs f for each worker, on all processors.
func (p *population) share(f func(*worker) error) error {
	return cmp.Or(parallel.Each(context.Background(), p.workers, f)...)
}

// can reports whether the system supports an operation.
func (p *population) can(op results.Op) bool {
	switch op {
	case results.OpReset:
		_, ok := p.workers[0].resident.(Mover)
		return ok
	case results.OpFire, results.OpWake:
		return p.Role != results.RoleFloor
	}
	if op.Loop() {
		return p.system.WithTimeout != nil
	}
	return p.system.Forms[op.Form()] != nil
}

// slice runs op on n goroutines for about length and reports the throughput. Before that it runs op untimed until the
// first of the timers that it stops and moves are due, so that they come due in the slice as fast as they are made. By then those
// of the slice before, of another contender, are due, too.
func (p *population) slice(op results.Op, n int, length time.Duration) (results.LiveThroughput, error) {
	moves := op.Moves() && p.movesSoon()
	warmUp, length := p.times(op, length)
	if moves {
		if err := p.rearm(true); err != nil {
			return results.LiveThroughput{}, err
		}
	}
	for _, w := range p.workers {
		w.left = w.left[:0]
	}
	if op == results.OpFire || op == results.OpWake || op == results.LoopBurst {
		time.Sleep(warmUp)
	} else if _, err := p.run(op, n, warmUp); err != nil {
		return results.LiveThroughput{}, err
	}
	before := used()
	from := p.now()
	ops, err := p.run(op, n, length)
	to := p.now()
	after := used()
	t := results.LiveThroughput{
		Op: op, Goroutines: n, Ops: ops,
		NS: max(1, float64(to-from)), CPUNS: float64(after.cpu - before.cpu),
	}
	for _, w := range p.workers {
		dead, due := count(w.left, from, to)
		t.Dead += dead
		t.Due += due
	}
	if moves && err == nil {
		err = p.rearm(false)
	}
	return t, err
}

// run repeats op on n goroutines for about length and returns the number of operations.
func (p *population) run(op results.Op, n int, length time.Duration) (ops int, err error) {
	counts, errs := make([]int, n), make([]error, n)
	begin := make(chan time.Duration)
	var done sync.WaitGroup
	for g := range n {
		done.Go(func() {
			start := <-begin
			errs[g] = parallel.Try(context.Background(), func() (err error) {
				counts[g], err = p.repeat(op, g, n, start+length)
				return err
			})
		})
	}
	start := p.now()
	for range n {
		begin <- start
	}
	done.Wait()
	for _, of := range counts {
		ops += of
	}
	return ops, cmp.Or(errs...)
}

// repeat runs batches of an operation until a time, at least one, and returns the number of operations. It yields after
// each batch, so goroutines share the processors evenly.
func (p *population) repeat(op results.Op, g, goroutines int, until time.Duration) (int, error) {
	w := p.workers[g]
	var batch func() (int, error)
	switch op {
	case results.OpFire:
		batch = w.burst.fire
	case results.OpWake:
		batch = w.wake.fire
	case results.OpReset:
		turn := 0
		batch = func() (int, error) {
			of := p.workers[g+turn%(len(p.workers)/goroutines)*goroutines]
			turn++
			return p.moveBatch(w, of, w.moved)
		}
	default:
		if batch = p.loop(op, w, g, goroutines); batch == nil {
			timers := w.scratch[op.Form()]
			batch = func() (int, error) { return p.startStop(w, timers, w.stopped) }
		}
	}
	for n := 0; ; {
		done, err := batch()
		n += done
		if err != nil || n >= p.maxOps || p.now() >= until {
			return n, err
		}
		if !op.Loop() {
			runtime.Gosched()
		}
	}
}

// startStop starts timers and stops them in the same order. A timer that is not pending must have been due.
func (p *population) startStop(w *worker, timers Timers, delays []time.Duration) (int, error) {
	at := p.now()
	for i, delay := range delays {
		timers.Start(i, delay)
	}
	for i, delay := range delays {
		if !timers.Stop(i) {
			if err := p.late(at, delay); err != nil {
				return 0, err
			}
		}
	}
	w.left = append(w.left, remains{p.now(), at, delays})
	return len(delays), nil
}

// late counts a timer that was not pending any more, although it was not due before at + delay.
func (p *population) late(at, delay time.Duration) error {
	if p.now() < at+delay-p.Early {
		return fmt.Errorf("a timer that was due in %v was not pending", delay)
	}
	p.expired.Add(1)
	return nil
}

// burst is a set of timers that one goroutine starts and lets fire.
type burst struct {
	timers Timers
	delays []int64
	early  int64
	start  time.Time
	base   atomic.Int64    // ns from start to the first Start of this round
	count  []atomic.Uint32 // firings of each timer
	round  uint32          // completed rounds
	left   atomic.Int64
	done   chan struct{}
	wrong  atomic.Int64 // firings that were early or came twice
}

func (b *burst) init(s System, form results.Form, n int, early time.Duration, r *rand.Rand) {
	*b = burst{early: int64(early), delays: make([]int64, n), start: time.Now(), count: make([]atomic.Uint32, n), done: make(chan struct{}, 1)}
	for i := range b.delays {
		b.delays[i] = 1 + r.Int64N(fireSpan)
	}
	b.timers = s.Timers(form, n, func(i int) func() { return func() { b.fired(i) } })
}

func (b *burst) fired(i int) {
	if int64(time.Since(b.start)) < b.base.Load()+b.delays[i]-b.early || b.count[i].Add(1) > b.round+1 {
		b.wrong.Add(1)
	}
	if b.left.Add(-1) == 0 {
		b.done <- struct{}{}
	}
}

// fire starts all timers and waits until all have fired.
func (b *burst) fire() (int, error) {
	b.left.Store(int64(len(b.delays)))
	b.base.Store(int64(time.Since(b.start)))
	for i, delay := range b.delays {
		b.timers.Start(i, time.Duration(delay))
	}
	alarm := time.NewTimer(fireAlarm)
	defer alarm.Stop()
	select {
	case <-b.done:
	case <-alarm.C:
		return 0, fmt.Errorf("%d of %d timers did not fire within %v", b.left.Load(), len(b.delays), fireAlarm)
	}
	b.round++
	if n := b.wrong.Load(); n > 0 {
		return 0, fmt.Errorf("%d timers fired early or twice", n)
	}
	return len(b.delays), nil
}
