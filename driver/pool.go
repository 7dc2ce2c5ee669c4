package driver

import (
	"runtime/debug"
	"slices"
	"sync"
	"unsafe"

	"github.com/timerbench/timerbench/driver/internal/machine"
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
	onPanic func(value any, stack []byte)

	mu      sync.Mutex
	queue   fifo[call]
	known   []*worker // all workers so far
	free    []*worker // the workers without a goroutine
	coming  int       // number of goroutines that were started and have no worker yet
	running int       // number of functions that are running
	closed  bool
	dropped int           // number of functions that close has dropped
	quiet   chan struct{} // closed when no function is running, after close
}

const helpEvery = 64

// call is a function to run, and its Timer, if it has one. Without a function it is run of the every of the Timer.
type call struct {
	f func()
	t *Timer
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

func (p *pool) init(e execution, onPanic func(any, []byte)) {
	p.execution, p.onPanic = e, onPanic
	p.quiet = make(chan struct{})
}

// submit adds functions to the queue. If more follow, it makes sure that a goroutine works on
// them meanwhile. Otherwise the caller must call work.
func (p *pool) submit(fs []call, more bool) {
	p.mu.Lock()
	if p.closed {
		p.dropped += functions(fs)
		p.mu.Unlock()
		return
	}
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

// withdraw removes the function of a timer from the queue. If the function is running, withdraw
// returns channels that are closed when it returns, and whether it is the caller. The cost is a
// scan of all functions that are waiting or running.
func (p *pool) withdraw(t *Timer) (running []chan struct{}, own bool) {
	goroutine := machine.Goroutine()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue.remove(func(c call) bool { return c.t == t })
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
		(*every)(unsafe.Pointer(c.t)).run()
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
	p.dropped = functions(p.queue.all[p.queue.head:])
	p.queue = fifo[call]{}
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
}

func (q *fifo[T]) len() int { return len(q.all) - q.head }

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
	if q.head == len(q.all) {
		q.all, q.head = q.all[:0], 0
	}
	return item, true
}

func (q *fifo[T]) remove(unwanted func(T) bool) int {
	before := len(q.all)
	q.all = q.all[:q.head+len(slices.DeleteFunc(q.all[q.head:], unwanted))]
	return before - len(q.all)
}
