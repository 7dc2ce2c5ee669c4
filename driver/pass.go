package driver

import (
	"sync"

	"github.com/timerbench/timerbench/structures"
)

// pass is the state of the pass that is under way: there is one at a time at most.
type pass struct {
	batch []func() // functions of timers that have fired, not handed over yet
	fired uint64   // timers that fired in this pass

	mu       sync.Mutex // guards lateness
	lateness Lateness
}

// next returns the first tick at which a shard has something to do, or never.
func (d *Driver) next() structures.Tick {
	next := never
	for i := range d.shards {
		next = min(next, structures.Tick(d.shards[i].next.Load()))
	}
	return next
}

// wake is called by the alarm, on a goroutine of its own. It makes a pass, and then
// runs functions on this goroutine: a timer that fires alone costs no other one.
func (d *Driver) wake() {
	if !d.alarm.begin() {
		return
	}
	d.pass.fired = 0
	d.serve()
	if !d.pool.inline {
		d.pool.work(false)
	}
}

// serve serves all that is due, tick by tick, and sets the alarm.
func (d *Driver) serve() {
	over := false
	defer func() {
		if !over { // a function has called runtime.Goexit
			go d.serve()
		}
	}()
	if d.pool.inline {
		d.pool.work(false) // what such a function has left
	}
	for !over {
		tick := d.clock.ticks(d.clock.now())
		for at := d.next(); at <= tick; at = d.next() {
			for i := range d.shards {
				sh := &d.shards[i]
				for structures.Tick(sh.next.Load()) <= at {
					d.serveShard(sh, at)
				}
			}
		}
		if d.alarm.ticking {
			d.tick(tick)
		}
		over = d.alarm.end(d.pass.fired)
	}
}

// tick asks all structures that hold a timer, as a driver does that knows nothing of Next.
func (d *Driver) tick(tick structures.Tick) {
	for i := range d.shards {
		if sh := &d.shards[i]; structures.Tick(sh.next.Load()) != never {
			d.serveShard(sh, tick)
		}
	}
}

// serveShard takes what is due at a tick out of a shard, as far as the budget goes, and
// hands it over.
func (d *Driver) serveShard(sh *shard, at structures.Tick) {
	p := &d.pass
	sh.mu.Lock()
	fired, more := sh.collect(at, d.budget)
	sh.mu.Unlock()
	if fired > 0 {
		late := d.clock.now() - d.clock.begin(at)
		p.mu.Lock()
		p.lateness.add(late, fired)
		p.mu.Unlock()
		p.fired += fired
	}
	if len(p.batch) > 0 {
		d.pool.submit(p.batch, more)
		clear(p.batch)
		p.batch = p.batch[:0]
		if d.pool.inline {
			d.pool.work(false)
		}
	}
}

// collect takes timers that are due at a tick out of the structure, at most budget, and
// adds the functions to run to the batch. It returns how many timers have fired, and
// whether more may be due. The lock is held.
func (sh *shard) collect(at structures.Tick, budget int) (fired uint64, more bool) {
	if sh.s == nil {
		return 0, false
	}
	sh.stale = max(sh.stale, sh.clock.begin(at+1))
	before := sh.fired
	for range budget {
		timer, ok := sh.s.Pop(at)
		if !ok {
			sh.look()
			return sh.fired - before, false
		}
		sh.fire(timer.Value, at)
	}
	return sh.fired - before, true
}

// look asks the structure when it has something to do next. The lock is held.
func (sh *shard) look() {
	next, ok := sh.s.Next()
	if !ok {
		sh.vacate()
		return
	}
	sh.next.Store(int64(next))
}

// fire deals with a timer that has come out of the structure. The lock is held.
func (sh *shard) fire(task Task, at structures.Tick) {
	t := task.timer(sh)
	var f func()
	switch {
	case t == nil:
		f = task.function()
	case t.when.Load() == internally:
		sh.pending--
		t.internal().due()
		return
	case !t.expire(at):
		t.id = sh.s.Schedule(structures.Tick(t.when.Load()), task)
		return
	default:
		f = t.f
	}
	sh.pending--
	sh.fired++
	sh.d.pass.batch = append(sh.d.pass.batch, f)
}

// expire makes a timer that is pending idle, unless it has been moved to later.
func (t *Timer) expire(at structures.Tick) bool {
	for {
		when := t.when.Load()
		if structures.Tick(when) > at {
			return false
		}
		if t.when.CompareAndSwap(when, idle) {
			return true
		}
	}
}
