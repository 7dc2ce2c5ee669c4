package live

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/parallel"
)

// Counts are the numbers of calls and firings in a check.
type Counts struct{ Started, Stopped, Moved, Fired int }

// Check is a load that compares every firing and every answer with a model of each timer.
type Check struct {
	Goroutines int
	Timers     int // of each goroutine
	Steps      int // of each goroutine: an operation on one of its timers, chosen at random
	Delay      time.Duration
	Seed       uint64
	Tolerance  time.Duration
}

// pace is the number of steps between two sleeps of a millisecond.
const pace = 64

// Run applies the load to each form of the system. It returns the counts of all forms together.
func (c Check) Run(ctx context.Context, contender Subject) (counts Counts, wrong Wrong, err error) {
	for _, form := range results.Forms {
		if form == results.FormChannel {
			continue // runs nothing
		}
		if err := c.run(ctx, contender, form, &counts, &wrong); err != nil {
			return counts, wrong, fmt.Errorf("%s: %w", form, err)
		}
	}
	return counts, wrong, nil
}

// checked is one form of a system under check.
type checked struct {
	Check
	contender Subject
	form      results.Form
	start     time.Time
}

func (c checked) now() int64 { return int64(time.Since(c.start)) }

func (c Check) run(ctx context.Context, contender Subject, form results.Form, counts *Counts, wrong *Wrong) error {
	s, err := contender.Open()
	if err != nil {
		return err
	}
	ch := checked{c, contender, form, time.Now()}
	sets := make([][]slot, c.Goroutines)
	errs := make([]error, c.Goroutines)
	var wg sync.WaitGroup
	for g := range sets {
		sets[g] = make([]slot, c.Timers)
		timers := s.Timers(form, c.Timers, func(i int) func() {
			sl := &sets[g][i]
			return func() { sl.fire(ch.now()) }
		})
		if timers == nil {
			return s.Close()
		}
		r := rand.New(rand.NewPCG(c.Seed, uint64(g)))
		wg.Go(func() {
			errs[g] = parallel.Try(ctx, func() error { ch.steps(ctx, timers, sets[g], r); return nil })
		})
	}
	wg.Wait()
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	ch.settle(ctx, sets)
	if err := s.Close(); err != nil {
		return err
	}
	for _, set := range sets {
		for i := range set {
			of, _ := set[i].end(wrong)
			counts.Started += of.Started
			counts.Stopped += of.Stopped
			counts.Moved += of.Moved
			counts.Fired += of.Fired
		}
	}
	return ctx.Err()
}

// steps makes one goroutine's steps.
func (c checked) steps(ctx context.Context, timers Timers, slots []slot, r *rand.Rand) {
	_, moves := timers.(Mover)
	for step := range c.Steps {
		if step%pace == pace-1 {
			time.Sleep(time.Millisecond)
			if ctx.Err() != nil {
				return
			}
		}
		i := r.IntN(len(slots))
		sl := &slots[i]
		delay := c.randomDelay(r)
		armed, due := sl.ask()
		op := none
		switch choice := r.IntN(8); {
		case sl.unjudged || c.contender.Silent && armed && c.now() > due-int64(c.margin()):
		case !armed && (choice < 5 || sl.counts.Started == 0):
			op = toStart
		case choice < 2 || !armed && choice == 5:
			op = toStop
		case moves && (choice < 5 || !armed):
			op = toMove
		}
		c.operate(op, timers, i, sl, delay)
	}
}

// operation is an operation on a timer.
type operation int

const (
	none operation = iota
	toStart
	toStop
	toMove
)

// operate performs an operation on timer i, of which sl.ask was told. It records the answer, or the one that a silent system owes.
func (c checked) operate(op operation, timers Timers, i int, sl *slot, delay time.Duration) {
	due, pending := c.now()+int64(delay-c.contender.Early), false
	switch op {
	case toStart:
		timers.Start(i, delay)
	case toStop:
		pending = timers.Stop(i)
	case toMove:
		pending = timers.(Mover).Reset(i, delay)
	}
	now, latest := c.now(), c.latest(delay)
	sl.answered(func() {
		if op == toStop || op == toMove {
			if c.contender.Silent {
				sl.unjudged = sl.unjudged || sl.armed && now > sl.due-int64(c.margin())/2
				pending = sl.armed
			}
			// Reset of a Handle refuses a timer that is due, and Stop may take it back all the same.
			if refused := op == toMove && c.form == results.FormSchedule && !pending; !refused || !sl.armed || now < sl.due {
				sl.disarm(pending, now)
			}
		}
		switch {
		case op == toStop:
			sl.stopped = pending
			if pending {
				sl.counts.Stopped++
			}
		case op == toMove && pending:
			sl.counts.Moved++
			sl.arm(due, latest)
		case op == toStart || op == toMove && c.form != results.FormSchedule:
			sl.counts.Started++
			sl.arm(due, latest)
		}
	})
}

// randomDelay returns a delay, often one below a tick.
func (c checked) randomDelay(r *rand.Rand) time.Duration {
	most := c.delay()
	if r.IntN(3) == 0 {
		most = min(most, time.Millisecond)
	}
	return 1 + time.Duration(r.Int64N(int64(most)))
}

// margin is the time before a deadline in which the check does not touch a timer of a silent system.
func (c checked) margin() time.Duration { return 10*time.Millisecond + 2*c.contender.late(0) }

// delay is the longest delay. It exceeds the margin, so the check touches timers of silent systems too.
func (c checked) delay() time.Duration {
	if c.contender.Silent {
		return c.Delay + 2*c.margin() + c.contender.Early
	}
	return c.Delay
}

// latest returns the latest time at which a timer with this delay, set now, may fire.
func (c checked) latest(delay time.Duration) int64 {
	return c.now() + int64(delay) + int64(c.contender.late(delay)) + int64(c.Tolerance)
}

// settle waits until all expected firings have come or are too late. Then it waits a little
// longer, to catch firings that must not come.
func (c checked) settle(ctx context.Context, sets [][]slot) {
	const nap = time.Millisecond
	end := c.latest(c.delay()) + int64(nap)
	for _, set := range sets {
		for i := range set {
			for !set[i].settled() && c.now() < end && ctx.Err() == nil {
				time.Sleep(nap)
			}
		}
	}
	time.Sleep(10*nap + 2*c.contender.late(0))
}
