package driver

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// WithTimeout is not for contexts from which others derive by WithValue, as tracing does: each such child with a cancel or a
// deadline of its own costs a goroutine. Otherwise it does what context.WithTimeout does, with a timer of the driver: it
// returns WithDeadline(parent, time.Now().Add(timeout)).
func (d *Driver) WithTimeout(parent context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	return d.withDeadline(parent, time.Now().Add(timeout), timeout, nil)
}

// WithTimeoutCause does what context.WithTimeoutCause does: it is WithTimeout, and cause is the cause of the
// context if its timeout passes.
func (d *Driver) WithTimeoutCause(parent context.Context, timeout time.Duration,
	cause error) (context.Context, context.CancelFunc) {
	return d.withDeadline(parent, time.Now().Add(timeout), timeout, cause)
}

// WithDeadline is not for contexts from which others derive by WithValue; WithTimeout says why. Otherwise it does what
// context.WithDeadline does, with a timer of the driver. The context allocates 128 bytes, its
// timer included, and needs neither a goroutine nor a timer of Go's runtime. It panics if parent is nil.
//
// The context differs from the standard one as follows:
//
//   - Like every timer of the driver, it ends at a tick, at or after its deadline.
//   - If its parent ends, Done and Err say so at once. A channel that Done has returned before is closed by another
//     goroutine.
//   - Contexts may be nested to any depth. Err and Done ask up to eight of the parents.
//   - A context that was never asked for Done is unknown to its parent, unless eight such contexts are nested. If the
//     parent ends, the timer stays until the next call of Done or Err, until the CancelFunc is called, or until the
//     deadline.
//   - Package context starts a goroutine for each standard child of WithValue(ctx), as with every ctx of another
//     package, which takes 1.4 times the time and 4.3 times the bytes. It starts none for a child of ctx itself. So derive
//     values first.
//   - Close drops the deadlines of pending contexts. They still end by their CancelFunc or with their parent.
//     After Close, WithDeadline returns a context of package context.
func (d *Driver) WithDeadline(parent context.Context, t time.Time) (context.Context, context.CancelFunc) {
	return d.withDeadline(parent, t, time.Until(t), nil)
}

// withDeadline returns a context that ends after delay, at t.
func (d *Driver) withDeadline(parent context.Context, t time.Time, delay time.Duration,
	cause error) (context.Context, context.CancelFunc) {
	if parent == nil {
		panic("driver: cannot create context from nil parent")
	}
	earlier, nested := parent.Deadline()
	if nested && earlier.Before(t) {
		return context.WithCancel(parent)
	}
	now := d.clock.soon()
	c := &deadlineContext{Context: parent, deadline: t}
	if cause != nil {
		c.late = &ending{context.DeadlineExceeded, cause}
	}
	if delay <= 0 || parent.Err() != nil {
		c.end()
		return c, func() {}
	}
	end := c.end
	c.timer.f = end
	sh := d.lock()
	if sh.closed.Load() {
		sh.mu.Unlock()
		return context.WithDeadlineCause(parent, t, cause)
	}
	c.timer.sh = sh
	sh.admit(&c.timer, now, d.clock.deadline(now, delay))
	if nested {
		c.keepShort()
	}
	return c, end
}

// maxUnknown is the number of contexts in a row that may be unknown to their parents. Err asks all of them.
const maxUnknown = 8

// keepShort makes the context known to its parent if maxUnknown contexts in a row are unknown.
func (c *deadlineContext) keepShort() {
	p := c
	for range maxUnknown {
		var ok bool
		if p, ok = p.Context.Value(ownKey{}).(*deadlineContext); !ok || p.waiting.Load() != nil {
			return
		}
	}
	c.wait()
}

// deadlineContext is a context that ends by its timer, by its CancelFunc, or with its parent. One function, end,
// serves all three, so that a context has one closure.
type deadlineContext struct {
	context.Context // the parent
	deadline        time.Time
	timer           Timer
	late            *ending // how the context ends at its deadline; nil: &exceeded

	mu    sync.Mutex
	leave func() bool // removes end from the parent; nil if nobody waits for the context

	ending  atomic.Pointer[ending]  // nil until the context ends; set under mu
	waiting atomic.Pointer[waiting] // nil until somebody asks for Done; set under mu
}

// ending is the result of Err and of context.Cause.
type ending struct{ err, cause error }

var (
	canceled = ending{context.Canceled, context.Canceled}
	exceeded = ending{context.DeadlineExceeded, context.DeadlineExceeded}
)

// waiting is what waits for the end of a context. The lock of the context guards children.
//
// If the context is a child of another one of the driver, above is that one, and origin is the parent of the outermost
// context of which all are children of the next one. A context without above may end only because origin has ended,
// so that Err need not ask the contexts between.
type waiting struct {
	done     chan struct{}
	children *child
	above    *deadlineContext
	origin   context.Context
}

// child is a function to call when a context ends. The children of a context are a linked list.
type child struct {
	of   *deadlineContext
	f    func()
	next *child
	link **child // the pointer to this child; nil if the child has left
}

// end ends the context, unless it has ended. The timer and the parent call it, and so does the owner. If the parent
// has ended, the context ends like the parent. Otherwise, if the timer is no longer pending, the deadline has passed.
func (c *deadlineContext) end() {
	err := c.Context.Err() // without the lock, because the parent may call end meanwhile
	c.mu.Lock()
	if c.ending.Load() != nil {
		c.mu.Unlock()
		return
	}
	pending := c.timer.sh != nil && c.timer.Stop()
	e := &canceled
	switch {
	case err != nil:
		if cause := context.Cause(c.Context); err != context.Canceled || cause != context.Canceled { //nolint:errorlint // a parent's own error that wraps it is another one
			e = &ending{err, cause}
		}
	case !pending && c.timer.when.Load() == idle: // it is not idle after Close
		if e = c.late; e == nil {
			e = &exceeded
		}
	}
	c.ending.Store(e)
	var next *child
	if w := c.waiting.Load(); w != nil {
		close(w.done)
		next, w.children = w.children, nil
	}
	leave := c.leave
	c.leave = nil
	c.mu.Unlock()
	// A child of package context may be waiting for the lock in AfterFunc while it holds its own.
	for ; next != nil; next = next.next {
		next.f()
	}
	if leave != nil {
		leave()
	}
}

// look ends the context if its parent has ended, or the parent of the outermost context that does not tell its child.
func (c *deadlineContext) look() {
	if c.ending.Load() != nil {
		return
	}
	origin := c.Context
	if w := c.waiting.Load(); w != nil && w.above != nil && w.above.ending.Load() == nil {
		origin = w.origin
	}
	if origin.Err() != nil {
		c.end()
	}
}

// Deadline implements context.Context.
func (c *deadlineContext) Deadline() (deadline time.Time, ok bool) { return c.deadline, true }

// Err implements context.Context.
func (c *deadlineContext) Err() error {
	c.look()
	e := c.ending.Load()
	if e == nil {
		return nil
	}
	if w := c.waiting.Load(); w != nil {
		<-w.done // it is being closed
	}
	return e.err
}

// Done implements context.Context.
func (c *deadlineContext) Done() <-chan struct{} {
	c.look()
	w := c.wait()
	if c.ending.Load() != nil {
		<-w.done // another goroutine may be closing it
	}
	return w.done
}

// wait returns the waiting of the context. The first call asks the parent to end the context with it.
func (c *deadlineContext) wait() *waiting {
	if w := c.waiting.Load(); w != nil {
		return w
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.waiting.Load()
	if w != nil {
		return w
	}
	w = &waiting{done: make(chan struct{}), origin: c.Context}
	if c.ending.Load() != nil {
		close(w.done)
	} else if done := c.Context.Done(); done != nil {
		// As package context does, look through contexts that only add values.
		parent, ok := c.Context.Value(ownKey{}).(*deadlineContext)
		if ok && parent.Done() == done {
			c.leave = parent.AfterFunc(c.timer.f)
			w.above, w.origin = parent, parent.waiting.Load().origin
		} else {
			c.leave = context.AfterFunc(c.Context, c.timer.f)
		}
	}
	c.waiting.Store(w)
	return w
}

// AfterFunc calls f when the context has ended, on the goroutine that ends it. It is for package context, which
// looks for a method of this name and calls it for each child of the context. Its functions do not block.
func (c *deadlineContext) AfterFunc(f func()) (stop func() bool) {
	w := c.wait()
	n := &child{of: c, f: f}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending.Load() != nil {
		go f() // the caller may hold a lock that f takes
		return n.leave
	}
	n.next, n.link = w.children, &w.children
	if n.next != nil {
		n.next.link = &n.next
	}
	w.children = n
	return n.leave
}

// leave removes a child from its parent. It reports false if the child has left or was called.
func (n *child) leave() bool {
	n.of.mu.Lock()
	defer n.of.mu.Unlock()
	if n.link == nil || n.of.ending.Load() != nil {
		return false
	}
	*n.link = n.next
	if n.next != nil {
		n.next.link = n.link
	}
	n.link = nil
	return true
}

// ownKey is the key by which a context asks for the innermost context of the driver.
type ownKey struct{}

// causeKey is the key by which package context asks for the innermost standard context, which knows the cause.
var causeKey = func() any {
	var p probe
	_ = context.Cause(&p)
	return p.key
}()

// probe is a context that has ended. It remembers the key that it was asked for.
type probe struct {
	context.Context
	key any
}

func (p *probe) Err() error { return context.Canceled }

func (p *probe) Value(key any) any {
	p.key = key
	return nil
}

// Value implements context.Context.
func (c *deadlineContext) Value(key any) any {
	switch key {
	case ownKey{}:
		return c
	case causeKey:
		e := c.ending.Load()
		if e == nil || e == &canceled || e == &exceeded {
			return nil // the cause is Err
		}
		holder, cancel := context.WithCancelCause(context.Background())
		cancel(e.cause)
		return holder.Value(key)
	}
	return c.Context.Value(key)
}

// String returns what a context of package context returns.
func (c *deadlineContext) String() string {
	parent, ok := c.Context.(fmt.Stringer)
	name := fmt.Sprintf("%T", c.Context)
	if ok {
		name = parent.String()
	}
	return fmt.Sprintf("%s.WithDeadline(%v [%v])", name, c.deadline, time.Until(c.deadline))
}
