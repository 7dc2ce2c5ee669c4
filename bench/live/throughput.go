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

	timeout     = time.Minute // the delay of those that are started and stopped
	maxInFlight = 256         // timers that a goroutine has started before it stops the first of them
	maxFiring   = 8192        // timers that a goroutine starts before it waits for them
	fireSpan    = int64(time.Millisecond)
	numbers     = 1 << 14 // random numbers made beforehand
	fireAlarm   = 10 * time.Second
)

// population is an entry with its resident timers, and what goroutines need to work on them.
type population struct {
	*entry
	system   System
	form     results.Form // of the resident timers
	each     int          // resident timers of a worker
	inFlight int          // timers that a goroutine has started before it stops the first of them
	notDue   func()
	fired    atomic.Int64
	workers  []*worker
	maxOps   int // of a goroutine in a slice
}

// worker is what one goroutine has for itself.
type worker struct {
	resident Timers // a part of them
	scratch  map[results.Form]Timers
	burst    burst
	handover handover
	timeouts []time.Duration // each the same
	delays   []time.Duration // from residentMin on
	victims  []uint32
	next     int // into delays and victims
}

// newPopulation prepares the resident timers, of a form, and so many goroutines.
func newPopulation(e *entry, s System, form results.Form, goroutines int, cfg Config) *population {
	room := maxFiring // of a goroutine
	if e.Limit > 0 {
		room = max(1, e.Limit/(2*goroutines))
	}
	p := &population{
		entry: e, system: s, form: form, each: e.row.Resident / goroutines,
		inFlight: min(maxInFlight, room), workers: make([]*worker, goroutines), maxOps: cfg.MaxOps,
	}
	p.notDue = func() { p.fired.Add(1) }
	var wg sync.WaitGroup
	for g := range goroutines {
		// What a goroutine uses it has made itself: a driver may go by that.
		wg.Go(func() {
			p.workers[g] = p.newWorker(room, rand.New(rand.NewPCG(cfg.Seed, uint64(g))))
		})
	}
	wg.Wait()
	return p
}

// neverFires returns the function of timers that are not due for minutes, the same for all.
func (p *population) neverFires(int) func() { return p.notDue }

// newWorker makes what one goroutine has, with room for so many timers.
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

// fill starts the resident timers, with as many goroutines as there are processors.
func (p *population) fill() error {
	return p.share(func(w *worker) error {
		for i := range p.each {
			w.resident.Start(i, w.delays[i%numbers])
		}
		return nil
	})
}

// empty stops the resident timers. All must have been pending, and nothing that was not
// to fire may have fired.
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

// can reports whether the system has what an operation needs.
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

// slice times so many goroutines that do the same for about so long.
func (p *population) slice(op results.Op, goroutines int, length time.Duration) (results.LiveThroughput, error) {
	var before, after runtime.MemStats
	var start time.Time
	counts := make([]int, goroutines)
	errs := make([]error, goroutines)
	begin := make(chan struct{})
	var ready, done sync.WaitGroup
	for g := range goroutines {
		p.workers[g].handover.over.Store(false)
	}
	for g := range goroutines {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-begin
			errs[g] = turns.Try(context.Background(), func() (err error) {
				counts[g], err = p.repeat(op, g, goroutines, start, length)
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
		Op: op, Goroutines: goroutines,
		NS: max(1, float64(took)), CPUNS: float64(usedAfter.cpu - usedBefore.cpu), AllocBytes: after.TotalAlloc - before.TotalAlloc,
	}
	for _, n := range counts {
		t.Ops += n
	}
	return t, cmp.Or(errs...)
}

// repeat does an operation until so long after the start, and at least a batch of it. It
// returns how often. After each batch other goroutines have their turn, where there are
// more than processors.
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

// startStop starts timers and stops them again, the first one first.
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

// take returns where the next n random numbers are.
func (w *worker) take(n int) int {
	if w.next+n > numbers {
		w.next = 0
	}
	w.next += n
	return w.next - n
}

// move moves resident timers at random, of the parts that belong to the goroutine. The
// delay of a timer that is moved to later is the one that it was started with.
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

// burst is timers of one goroutine that are to fire.
type burst struct {
	timers Timers
	delays []int64
	early  int64
	start  time.Time
	base   atomic.Int64 // ns since start, before the first timer of a burst was started
	count  []atomic.Uint32
	round  uint32 // how often each has fired before
	left   atomic.Int64
	done   chan struct{}
	wrong  atomic.Int64 // fired early, or once too often
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
