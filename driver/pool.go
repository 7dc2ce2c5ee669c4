package driver

import (
	"runtime/debug"
	"slices"
	"sync"

	"github.com/timerbench/timerbench/driver/internal/machine"
	"github.com/timerbench/timerbench/structures"
)

// pool runs the functions of timers that have fired. They wait in a queue. A goroutine of the pool takes one
// function after the other. Before it runs a function, it makes sure that another goroutine can take the next
// one, in case this function blocks. It starts none if one has been started that has not run yet. So short
// functions are run by as many goroutines as there are processors, and a function that blocks delays no other
// one. Goroutines end when the queue is empty.
//
// If many functions wait, the pool starts more goroutines, one for each helpEvery functions:
// other programs may keep the processors busy, and every goroutine gets a share of them.
type pool struct {
	execution

	mu      sync.Mutex
	queue   fifo[call]
	known   []*worker // all workers so far
	free    []*worker // the workers without a goroutine
	coming  int       // number of goroutines that were started and have no worker yet
	running int       // number of functions that are running
	waiting int       // number of functions in the queue that have not been taken back
	dead    int       // number of calls in the queue that have been taken back, or more
	begun   uint64    // number of functions that have begun
	closed  bool
	dropped int           // number of functions that were dropped because of close
	quiet   chan struct{} // closed when no function is running, after close

	// The handles of Schedule find their functions here. The map is filled when a Handle is stopped that is not in its structure.
	places map[handled]int // by the number of functions that were in the queue before
	placed int             // functions up to this number are in the map
}

const helpEvery = 64

// call is a function to run, and its Timer, if it has one. Without a function it is run of the every of the Timer. A call
// of a Timer has been taken back if when of the Timer is no longer waits(number), or byWall for run. The zero call is one
// that was taken back from a Handle.
type call struct {
	f      func()
	t      *Timer
	number int64
	handled
}

// handled names the timer of a Handle.
type handled struct {
	sh *shard
	id structures.ID
}

// begin reports whether the function has not been taken back. If so, its Timer is idle, and Stop is too late.
func (c call) begin() bool {
	if c.t == nil || c.f == nil {
		return !c.takenBack()
	}
	return c.t.when.CompareAndSwap(waits(c.number), idle)
}

func (c call) takenBack() bool {
	switch {
	case c.t == nil:
		return c.f == nil
	case c.f == nil:
		return c.t.when.Load() != byWall
	}
	return c.t.when.Load() != waits(c.number)
}

// functions returns the number of functions of timers that have fired. A timer of Every fires when run begins.
func functions(calls []call) (n int) {
	for _, c := range calls {
		if c.f != nil {
			n++
		}
	}
	return n
}

// worker is a goroutine of the pool. The lock of the pool guards it.
type worker struct {
	goroutine uintptr
	t         *Timer        // the timer whose function it runs, or nil
	done      chan struct{} // closed when the function returns; nil if nothing waits for it
}

func (p *pool) init(e execution) { p.execution, p.quiet = e, make(chan struct{}) }

// submit adds functions to the queue. If more follow, it makes sure that a goroutine works on
// them meanwhile. Otherwise the caller must call work.
func (p *pool) submit(fs []call, more bool) {
	p.mu.Lock()
	if p.closed {
		p.dropped += functions(fs)
		p.mu.Unlock()
		return
	}
	p.waiting += functions(fs)
	p.queue.push(fs...)
	help := more && p.help()
	p.mu.Unlock()
	if help {
		go p.work(true)
	}
}

// help reports whether to start a goroutine. The lock is held.
func (p *pool) help() bool {
	waiting := p.queue.len()
	if p.inline || waiting == 0 || p.coming > waiting/helpEvery || p.goroutines() >= p.workers {
		return false
	}
	p.coming++
	return true
}

func (p *pool) goroutines() int { return p.coming + len(p.known) - len(p.free) }

// work runs functions until the queue is empty. counted is true on a goroutine for which help has reported true.
func (p *pool) work(counted bool) {
	goroutine := machine.Goroutine()
	p.mu.Lock()
	if counted {
		p.coming--
	} else if p.goroutines() >= p.workers {
		p.mu.Unlock()
		return
	}
	w := p.enter(goroutine)
	returned := true
	defer func() {
		if returned {
			return
		}
		// The function has called runtime.Goexit, or the program ends.
		p.mu.Lock()
		p.returned(w)
		p.free = append(p.free, w)
		again := p.help()
		p.mu.Unlock()
		if again {
			go p.work(true)
		}
	}()
	for {
		c, ok := p.queue.pop()
		if !ok {
			break
		}
		if !c.begin() {
			p.dead--
			continue
		}
		if c.f != nil {
			p.waiting--
			p.begun++
		}
		p.running++
		w.t = c.t
		help := p.help()
		p.mu.Unlock()
		if help {
			go p.work(true)
		}
		returned = false
		p.call(c)
		returned = true
		p.mu.Lock()
		p.returned(w)
	}
	p.free = append(p.free, w)
	p.mu.Unlock()
}

func (p *pool) enter(goroutine uintptr) (w *worker) {
	if n := len(p.free); n > 0 {
		w, p.free = p.free[n-1], p.free[:n-1]
	} else {
		w = new(worker)
		p.known = append(p.known, w)
	}
	w.goroutine = goroutine
	return w
}

// takeBack notes that a call in the queue has been taken back, of n functions. It reports false after close, which has
// dropped it.
func (p *pool) takeBack(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.tookBack(n)
	return true
}

// tookBack is takeBack while the pool is open. The lock is held.
func (p *pool) tookBack(n int) {
	p.waiting -= n
	if p.dead++; p.dead > p.queue.len()/2+helpEvery {
		p.queue.remove(call.takenBack)
		p.dead, p.placed = 0, 0
	}
}

// isEmpty reports whether no function waits.
func (p *pool) isEmpty() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waiting == 0
}

// takeHandle takes the function of a Handle back. It reports whether the function was in the queue. A call costs O(1), and
// the first one after a function has entered the queue costs a place in a map for it.
func (p *pool) takeHandle(h handled) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := &p.queue
	if q.len() == 0 {
		return false
	}
	if p.placed <= q.gone || len(p.places) > 2*q.len()+helpEvery {
		p.places, p.placed = make(map[handled]int), q.gone
	}
	for ; p.placed < q.gone+q.len(); p.placed++ {
		if c := q.at(p.placed); c.id != 0 {
			p.places[c.handled] = p.placed
		}
	}
	place, ok := p.places[h]
	if !ok || place < q.gone || q.at(place).handled != h {
		return false
	}
	*q.at(place) = call{} // close empties the queue, so the pool is open
	p.tookBack(1)
	return true
}

// withdraw returns channels that are closed when the function of a timer returns, if it is running, and whether it is the
// caller. The cost is a scan of all functions that are running.
func (p *pool) withdraw(t *Timer) (running []chan struct{}, own bool) {
	goroutine := machine.Goroutine()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.known {
		switch {
		case w.t != t:
		case w.goroutine == goroutine:
			own = true
		default:
			if w.done == nil {
				w.done = make(chan struct{})
			}
			running = append(running, w.done)
		}
	}
	return running, own
}

// returned notes that a function has returned. The lock is held.
func (p *pool) returned(w *worker) {
	w.t = nil
	if w.done != nil {
		close(w.done)
		w.done = nil
	}
	p.running--
	if p.closed && p.running == 0 {
		close(p.quiet)
	}
}

func (p *pool) call(c call) {
	if p.onPanic != nil {
		defer func() {
			if value := recover(); value != nil {
				p.onPanic(value, debug.Stack())
			}
		}()
	}
	if c.f == nil {
		c.t.every().run()
		return
	}
	c.f()
}

// close drops the functions that are not running. It reports whether this was the first call.
func (p *pool) close() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.closed = true
	p.dropped, p.waiting, p.queue = p.waiting, 0, fifo[call]{}
	if p.running == 0 {
		close(p.quiet)
	}
	return true
}

func (p *pool) left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dropped
}

type fifo[T any] struct {
	all  []T
	head int
	gone int // number of items that were popped
}

func (q *fifo[T]) len() int { return len(q.all) - q.head }

// at returns the item before which n others have come, if it is in the queue and none was removed.
func (q *fifo[T]) at(n int) *T { return &q.all[q.head+n-q.gone] }

func (q *fifo[T]) push(all ...T) {
	if q.head > len(q.all)/2 {
		n := copy(q.all, q.all[q.head:])
		clear(q.all[n:])
		q.all, q.head = q.all[:n], 0
	}
	q.all = append(q.all, all...)
}

func (q *fifo[T]) pop() (item T, ok bool) {
	if q.head == len(q.all) {
		return item, false
	}
	var none T
	item, q.all[q.head] = q.all[q.head], none
	q.head++
	q.gone++
	if q.head == len(q.all) {
		q.all, q.head = q.all[:0], 0
	}
	return item, true
}

func (q *fifo[T]) remove(unwanted func(T) bool) {
	q.all = q.all[:q.head+len(slices.DeleteFunc(q.all[q.head:], unwanted))]
}
