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

	"github.com/timerbench/timerbench/bench/internal/turns"
	"github.com/timerbench/timerbench/bench/results"
)

const (
	// The resident timers are due in 5 to 10 minutes: none of them fires.
	residentMin  = 5 * time.Minute
	residentSpan = 5 * time.Minute

	timeout     = time.Minute // delay of timers that are started and stopped
	maxInFlight = 256         // timers that a goroutine starts before it stops the first one
	maxFiring   = 8192        // timers that a goroutine starts before it waits for them
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
	fired    atomic.Int64
	workers  []*worker
	maxOps   int // maximum number of operations of a goroutine in a slice
}

// worker is the private state of one goroutine.
type worker struct {
	resident Timers // this worker's share
	scratch  map[results.Form]Timers
	burst    burst
	handover handover
	timeouts []time.Duration // all equal to timeout
	delays   []time.Duration // at least residentMin
	victims  []uint32
	next     int // index into delays and victims
}

// newPopulation prepares the resident timers and the workers. form is the form of the resident timers.
func newPopulation(e *member, s System, form results.Form, goroutines int, cfg Config) *population {
	room := maxFiring // timers that fire, per goroutine
	if e.Limit > 0 {
		room = max(1, e.Limit/(2*goroutines))
	}
	p := &population{
		member: e, system: s, form: form, each: e.row.Resident / goroutines,
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

// neverFires returns the shared function of timers that are not due during the run.
func (p *population) neverFires(int) func() { return p.notDue }

// newWorker returns the state of one goroutine. room limits the timers that fire.
func (p *population) newWorker(room int, r *rand.Rand) *worker {
	w := &worker{
		resident: p.system.Timers(p.form, p.each, p.neverFires),
		scratch:  make(map[results.Form]Timers), timeouts: slices.Repeat([]time.Duration{timeout}, p.inFlight),
		delays: make([]time.Duration, numbers), victims: make([]uint32, numbers),
	}
	for _, form := range results.Forms {
		if timers := p.system.Timers(form, p.inFlight, p.neverFires); timers != nil {
			w.scratch[form] = timers
		}
	}
	for i := range w.delays {
		w.delays[i] = residentMin + time.Duration(r.Int64N(int64(residentSpan)))
		w.victims[i] = r.Uint32()
	}
	for i := range w.handover.batches {
		w.handover.batches[i] = p.system.Timers(p.form, p.inFlight, p.neverFires)
	}
	w.burst.init(p.system, p.form, min(maxFiring, room), p.Early, r)
	return w
}

// pending returns the number of resident timers.
func (p *population) pending() int { return p.each * len(p.workers) }

// fill starts the resident timers from GOMAXPROCS goroutines.
func (p *population) fill() error {
	return p.share(func(w *worker) error {
		for i := range p.each {
			w.resident.Start(i, w.delays[i%numbers])
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
	if fired := p.fired.Load(); err == nil && fired > 0 {
		return fmt.Errorf("%d timers fired that were stopped or not due for minutes", fired)
	}
	return err
}

// share runs f for each worker, on all processors.
func (p *population) share(f func(*worker) error) error {
	return cmp.Or(turns.SideBySide(context.Background(), p.workers, f)...)
}

// can reports whether the system supports an operation.
func (p *population) can(op results.Op) bool {
	switch op {
	case results.OpRandomStop, results.OpStopElsewhere:
		return true
	case results.OpReset, results.OpResetRandom:
		_, ok := p.workers[0].resident.(Mover)
		return ok
	case results.OpFire:
		_, fires := p.system.(nothing)
		return !fires
	}
	return p.workers[0].scratch[op.Form()] != nil
}

// slice runs op on n goroutines for about length and reports the throughput.
func (p *population) slice(op results.Op, n int, length time.Duration) (results.LiveThroughput, error) {
	var before, after runtime.MemStats
	var start time.Time
	counts := make([]int, n)
	errs := make([]error, n)
	begin := make(chan struct{})
	var ready, done sync.WaitGroup
	for g := range n {
		p.workers[g].handover.over.Store(false)
	}
	for g := range n {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-begin
			errs[g] = turns.Try(context.Background(), func() (err error) {
				counts[g], err = p.repeat(op, g, n, start, length)
				return err
			})
		})
	}
	ready.Wait()
	runtime.ReadMemStats(&before)
	usedBefore := used()
	start = time.Now()
	close(begin)
	done.Wait()
	took := time.Since(start)
	usedAfter := used()
	runtime.ReadMemStats(&after)
	t := results.LiveThroughput{
		Op: op, Goroutines: n,
		NS: max(1, float64(took)), CPUNS: float64(usedAfter.cpu - usedBefore.cpu), AllocBytes: after.TotalAlloc - before.TotalAlloc,
	}
	for _, ops := range counts {
		t.Ops += ops
	}
	return t, cmp.Or(errs...)
}

// repeat runs batches of an operation for length after start, at least one, and returns the
// number of operations. It yields after each batch, so goroutines share the processors evenly.
func (p *population) repeat(op results.Op, g, goroutines int, start time.Time, length time.Duration) (int, error) {
	w := p.workers[g]
	var batch func() (int, error)
	switch op {
	case results.OpStopElsewhere:
		return p.handOver(g, goroutines, start, length)
	case results.OpFire:
		batch = w.burst.fire
	case results.OpReset, results.OpResetRandom:
		batch = func() (int, error) { return p.move(w, g, goroutines, op == results.OpResetRandom) }
	case results.OpRandomStop:
		timers := w.scratch[p.form]
		batch = func() (int, error) { return startStop(timers, w.delays[w.take(p.inFlight):][:p.inFlight]) }
	default:
		timers := w.scratch[op.Form()]
		batch = func() (int, error) { return startStop(timers, w.timeouts) }
	}
	for n := 0; ; runtime.Gosched() {
		done, err := batch()
		n += done
		if err != nil || n >= p.maxOps || time.Since(start) >= length {
			return n, err
		}
	}
}

// startStop starts timers and stops them in the same order.
func startStop(timers Timers, delays []time.Duration) (int, error) {
	for i, delay := range delays {
		timers.Start(i, delay)
	}
	for i, delay := range delays {
		if !timers.Stop(i) {
			return 0, fmt.Errorf("a timer that was due in %v was not pending", delay)
		}
	}
	return len(delays), nil
}

// take returns the index of the next n random numbers.
func (w *worker) take(n int) int {
	if w.next+n > numbers {
		w.next = 0
	}
	w.next += n
	return w.next - n
}

// move resets random resident timers of the goroutine's shares. Each timer gets its original
// delay again, or a random one if anywhere is set.
func (p *population) move(w *worker, g, goroutines int, anywhere bool) (int, error) {
	next := w.take(p.inFlight)
	parts := uint32(len(p.workers) / goroutines)
	for k := next; k < next+p.inFlight; k++ {
		victim := w.victims[k]
		of := p.workers[g+int(victim%parts)*goroutines]
		i := int(victim/parts) % p.each
		delay := of.delays[i%numbers]
		if anywhere {
			delay = w.delays[k]
		}
		if !of.resident.(Mover).Reset(i, delay) {
			return 0, fmt.Errorf("a resident timer was not pending")
		}
	}
	return p.inFlight, nil
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
