// Command deadlines shows calls that end at the deadline of their client, as in gRPC: a context whose deadline
// is a timer of a driver, and a handler of net/http that derives one from the header Grpc-Timeout.
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// call is a context with a deadline. Contexts of package context that are derived from it end
// with it, by its AfterFunc.
type call struct {
	context.Context // the parent, for its values
	deadline        time.Time
	timer           driver.Timer

	mu     sync.Mutex // guards the fields below
	err    error
	done   chan struct{} // nil until the first call of Done
	unlink func() bool   // detaches it from the parent
	after  map[*byte]func()
}

// WithTimeout does what context.WithTimeout does, with a timer of d.
func WithTimeout(parent context.Context, d *driver.Driver, timeout time.Duration) (context.Context, context.CancelFunc) {
	deadline := time.Now().Add(timeout)
	if earlier, ok := parent.Deadline(); ok && earlier.Before(deadline) {
		return context.WithCancel(parent)
	}
	c := &call{Context: parent, deadline: deadline}
	d.Init(&c.timer, func() { c.end(context.DeadlineExceeded) })
	if parent.Done() != nil {
		c.mu.Lock()
		c.unlink = context.AfterFunc(parent, func() { c.end(parent.Err()) })
		c.mu.Unlock()
	}
	c.timer.Reset(timeout)
	return c, func() { c.end(context.Canceled) }
}

func (c *call) Deadline() (time.Time, bool) { return c.deadline, true }

func (c *call) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.err != nil {
			close(c.done)
		}
	}
	return c.done
}

func (c *call) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// AfterFunc is the method that package context calls for contexts of other packages.
func (c *call) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	if c.after == nil {
		c.after = make(map[*byte]func())
	}
	key := new(byte)
	c.after[key] = f
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, ok := c.after[key]
		delete(c.after, key)
		return ok
	}
}

// end ends the call, unless it has ended.
func (c *call) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = err
	if c.done != nil {
		close(c.done)
	}
	c.timer.Stop()
	if c.unlink != nil {
		c.unlink()
	}
	for _, f := range c.after {
		go f()
	}
	c.after = nil
}

// units are the units of the header.
var units = map[byte]time.Duration{'H': time.Hour, 'M': time.Minute, 'S': time.Second, 'm': time.Millisecond, 'u': time.Microsecond, 'n': 1}

// WithDeadlines gives each request with the header a context with its deadline.
func WithDeadlines(d *driver.Driver, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := r.Header.Get("Grpc-Timeout")
		if text == "" {
			next.ServeHTTP(w, r)
			return
		}
		last := len(text) - 1
		n, err := strconv.ParseUint(text[:last], 10, 64)
		unit := units[text[last]]
		if err != nil || unit == 0 || last > 8 {
			http.Error(w, "Grpc-Timeout: want up to 8 digits and one of HMSmun", http.StatusBadRequest)
			return
		}
		n = min(n, uint64(math.MaxInt64/unit))
		ctx, cancel := WithTimeout(r.Context(), d, time.Duration(n)*unit)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// slow answers after a second, or when its client stops waiting.
func slow(w http.ResponseWriter, r *http.Request) {
	select {
	case <-time.After(time.Second):
		fmt.Fprintln(w, "done")
	case <-r.Context().Done():
		http.Error(w, r.Context().Err().Error(), http.StatusGatewayTimeout)
	}
}

func main() {
	d, err := driver.New()
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Grpc-Timeout", "50m")
	w := httptest.NewRecorder()
	WithDeadlines(d, http.HandlerFunc(slow)).ServeHTTP(w, r)
	fmt.Print(w.Code, " ", w.Body)
}
