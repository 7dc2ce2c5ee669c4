package driver

import (
	"sync"

	"github.com/timerbench/timerbench/structures"
)

// pass is the state of the current pass. At most one pass runs at a time.
type pass struct {
	batch []call  // functions of fired timers that were not handed over yet
	due   []int64 // when fired timers were due that were not counted yet, in ns
	fired int     // timers that fired in this pass

	mu       sync.Mutex // guards lateness
	lateness Distribution
}

// next returns the first tick at which a shard has work to do, or never.
func (d *Driver) next() structures.Tick {
	next := never
	for i := range d.shards {
		next = min(next, structures.Tick(d.shards[i].next.Load()))
	}
	return next
}

// wake runs a pass. The alarm calls it on a goroutine of its own. Functions then run on the same
// goroutine, so a timer that fires alone needs no other one.
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

// serve serves all that is due, tick by tick, and then sets the alarm.
func (d *Driver) serve() {
	over := false
	defer func() {
		if !over { // a function has called runtime.Goexit
			go d.serve()
		}
	}()
	if d.pool.inline {
		d.pool.work(false) // the functions that a Goexit has left
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

// tick calls Pop of every structure that holds a timer, as a driver without Next does.
func (d *Driver) tick(tick structures.Tick) {
	for i := range d.shards {
		if sh := &d.shards[i]; structures.Tick(sh.next.Load()) != never {
			d.serveShard(sh, tick)
		}
	}
}

// serveShard pops the timers of a shard that are due at a tick, at most budget, and hands them over.
func (d *Driver) serveShard(sh *shard, at structures.Tick) {
	p := &d.pass
	sh.mu.Lock()
	for sh.crowded.Swap(false) {
		sh.mu.Unlock()
		sh.emptyBoxes() // a stopped timer may no longer be a Timer
		sh.mu.Lock()
	}
	sh.popping = true
	more := sh.collect(at, d.budget)
	sh.popping = false
	sh.crowded.Store(sh.pending >= crowd && !sh.marked.Load())
	if len(p.due) > 0 {
		p.count(d.clock.now())
	}
	n := len(p.batch)
	if n > 0 {
		d.pool.submit(p.batch, more) // with the lock held, so that StopWait finds all that has fired
		clear(p.batch)
		p.batch = p.batch[:0]
	}
	sh.mu.Unlock()
	if n > 0 && d.pool.inline {
		d.pool.work(false)
	}
}

// count counts the lateness of the timers that have fired. Timers of the same tick are counted together.
func (p *pass) count(now int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := 0; i < len(p.due); {
		first := i
		for i < len(p.due) && p.due[i] == p.due[first] {
			i++
		}
		p.lateness.add(now-p.due[first], uint64(i-first))
	}
	p.fired += len(p.due)
	p.due = p.due[:0]
}

func (p *pass) countAtOnce() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lateness.add(0, 1)
}

// collect pops at most budget timers that are due at a tick, and adds their functions to the
// batch. It reports whether more may be due. The lock is held.
func (sh *shard) collect(at structures.Tick, budget int) (more bool) {
	if at >= sh.wall.look {
		sh.lookAtWall(at)
	}
	if sh.s == nil {
		return sh.collectUrgent(at, budget)
	}
	if at >= structures.Tick(sh.settles.Load()) {
		sh.settle(at)
	}
	sh.stale = max(sh.stale, sh.clock.begin(at+1))
	p := &sh.d.pass
	for n := range budget {
		timer, ok := sh.s.Pop(at)
		if !ok {
			return sh.collectUrgent(at, budget-n)
		}
		fired := sh.fire(timer, at)
		if sh.watch != nil {
			sh.watch.notePop(timer)
		}
		if fired {
			p.due = append(p.due, int64(timer.Deadline)*sh.clock.tick)
		}
	}
	return true
}

// collectUrgent is collect for the urgent functions. They come last in a tick.
func (sh *shard) collectUrgent(at structures.Tick, budget int) (more bool) {
	p := &sh.d.pass
	for ; sh.urgentAt() <= at; budget-- {
		if budget == 0 {
			return true
		}
		u, _ := sh.urgent.pop()
		if u.f == nil {
			continue // it was taken back
		}
		p.batch, p.due = append(p.batch, u.call), append(p.due, u.since)
		sh.pending--
	}
	sh.look()
	return false
}

// look computes the next tick at which the shard has work to do. The lock is held.
func (sh *shard) look() {
	if sh.pending == 0 {
		sh.vacate()
		return
	}
	if h := &sh.hasty; h.ids != nil && h.free == len(h.ids) {
		sh.calmAll()
	}
	next := min(sh.wall.look, sh.urgentAt(), structures.Tick(sh.settles.Load()))
	if sh.s != nil {
		if at, ok := sh.s.Next(); ok {
			next = min(next, at)
		}
	}
	sh.next.Store(int64(next))
}

// fire handles a timer that was popped from the structure. It reports whether the timer has fired. The lock is held.
func (sh *shard) fire(timer structures.Timer[Task], at structures.Tick) bool {
	t := timer.Value.timer()
	var c call
	if t != nil && t.sh == sh {
		sh.calm(t, t.when.Load())
	}
	switch {
	case t == nil:
		c = call{f: timer.Value.function(), handled: handled{sh, timer.ID}}
	case t.sh != sh || t.id != timer.ID:
		c.f = overwritten
	case t.when.Load() == byWall:
		sh.pending--
		return t.internal().owner.due()
	case !t.expire(at):
		t.id = sh.s.Schedule(structures.Tick(t.when.Load()), timer.Value)
		return false
	case t.f == nil:
		sh.pending--
		return t.internal().owner.due()
	default:
		c = call{f: t.f, t: t, number: sh.given + 1}
	}
	sh.pending--
	sh.given++
	sh.d.pass.batch = append(sh.d.pass.batch, c)
	return true
}

// due returns the tick at which the timer is due, or idle, also if its function waits.
func (t *Timer) due() structures.Tick {
	when := t.when.Load()
	if when < hastiest {
		return idle
	}
	return structures.Tick(max(when, -when))
}

// expire makes a pending timer idle, or one whose function waits. It reports false if the timer has been moved to a later deadline, which is then that
// of the structure.
func (t *Timer) expire(at structures.Tick) bool {
	for {
		when := t.when.Load()
		later := max(when, -when)
		fires := structures.Tick(later) <= at
		switch {
		case !fires:
		case t.f == nil:
			later = idle
		default:
			later = waits(t.sh.given + 1)
		}
		if when == later || t.when.CompareAndSwap(when, later) {
			return fires
		}
	}
}
