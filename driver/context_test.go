package driver_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
)

var errSlow, errLeft = errors.New("too slow"), errors.New("left")

// number is a key of values.
type number int

// opaque hides that a context is one of package context or of the driver, by a channel of its own.
type opaque struct {
	context.Context
	done chan struct{}
}

func hide(ctx context.Context) opaque {
	o := opaque{ctx, make(chan struct{})}
	context.AfterFunc(ctx, func() { close(o.done) })
	return o
}

func (o opaque) Done() <-chan struct{} { return o.done }

// hook is opaque and has an AfterFunc method, as package context looks for.
type hook struct{ opaque }

func (h hook) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(h.Context, f) }

// isDone reports whether a context has ended, without asking Err.
func isDone(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// ended checks how a context has ended, or that it has not, if err is nil.
func ended(t *testing.T, what string, ctx context.Context, err, cause error) {
	t.Helper()
	if isDone(ctx) != (err != nil) {
		t.Errorf("%s: Done is closed: %t", what, isDone(ctx))
	}
	if !errors.Is(ctx.Err(), err) || !errors.Is(context.Cause(ctx), cause) {
		t.Errorf("%s: Err %v, Cause %v; want %v, %v", what, ctx.Err(), context.Cause(ctx), err, cause)
	}
}

func TestAContextEndsAtItsDeadline(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		at := time.Now().Add(time.Second).UTC().Round(0)
		ctx, cancel := d.WithDeadline(t.Context(), at)
		if deadline, _ := ctx.Deadline(); deadline != at {
			t.Errorf("the deadline is %v, want %v", deadline, at)
		}
		caused, cancelCaused := d.WithTimeoutCause(t.Context(), time.Second, errSlow)
		driver.Pass(time.Second - 1)
		ended(t, "a nanosecond before", ctx, nil, nil)
		if <-ctx.Done(); !time.Now().Equal(at) {
			t.Errorf("ended at %v, want %v", time.Now(), at)
		}
		synctest.Wait()
		cancel()
		cancelCaused()
		ended(t, "late", ctx, context.DeadlineExceeded, context.DeadlineExceeded)
		ended(t, "late, with a cause", caused, context.DeadlineExceeded, errSlow)
		past, cancelPast := d.WithTimeoutCause(t.Context(), -1<<63, errSlow)
		ended(t, "past", past, context.DeadlineExceeded, errSlow)
		cancelPast()
		cancelled, cancel := d.WithTimeout(t.Context(), time.Second)
		if cancel(); d.Len() != 0 {
			t.Errorf("%d timers are left", d.Len())
		}
		cancel()
		time.Sleep(time.Minute)
		ended(t, "cancelled", cancelled, context.Canceled, context.Canceled)
	})
}

func first(ctx context.Context, _ context.CancelFunc) context.Context { return ctx }

// A parent that ends earlier makes a timer superfluous.
func TestAContextHasNoTimerIfItsParentEndsEarlier(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		for _, with := range []timeout{context.WithTimeout, d.WithTimeout} {
			parent, leave := with(t.Context(), time.Second)
			defer leave()
			before := d.Len()
			ctx, cancel := d.WithTimeout(parent, time.Minute)
			defer cancel()
			at, _ := ctx.Deadline()
			if want, _ := parent.Deadline(); !at.Equal(want) || d.Len() != before {
				t.Errorf("the deadline is %v, want %v; %d timers, want %d", at, want, d.Len(), before)
			}
			<-ctx.Done()
			ended(t, "child", ctx, context.DeadlineExceeded, context.DeadlineExceeded)
		}
	})
}

// Children end with the context, on its goroutine, and have no goroutine of their own before.
func TestChildrenOfAContext(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		ctx, cancel := d.WithTimeout(t.Context(), time.Second)
		goroutines := runtime.NumGoroutine()
		var children []context.Context
		for i := range 100 {
			children = append(children, first(context.WithCancel(ctx)), first(context.WithCancel(first(d.WithTimeout(ctx, time.Second-ms)))),
				first(d.WithTimeout(context.WithValue(ctx, number(i), i), time.Second-ms)))
			children[3*i+2].Done()
		}
		if more := runtime.NumGoroutine() - goroutines; more > 50 {
			t.Errorf("%d goroutines for 300 children", more)
		}
		cancel()
		for _, child := range append(children, first(context.WithCancel(ctx))) {
			ended(t, "child", child, context.Canceled, context.Canceled)
		}
	})
}

func TestAContextHasTheValuesAndTheNameOfAStandardOne(t *testing.T) {
	driver.Alone(t, func(t *testing.T, d *driver.Driver) {
		type key struct{}
		for _, parent := range []context.Context{
			context.Background(), context.WithValue(t.Context(), key{}, "v"), hide(t.Context()),
			first(context.WithDeadline(t.Context(), time.Now().Add(2*time.Hour))),
		} {
			ctx, cancel := d.WithTimeout(parent, time.Hour)
			defer cancel()
			std, cancelStd := context.WithTimeout(parent, time.Hour)
			defer cancelStd()
			if got, want := fmt.Sprint(ctx), fmt.Sprint(std); got != want || !strings.Contains(got, "[1h0m0s]") {
				t.Errorf("%s, want %s", got, want)
			}
			if ctx.Value(key{}) != std.Value(key{}) || ctx.Value([1]int{}) != nil {
				t.Errorf("the values are %v, %v", ctx.Value(key{}), ctx.Value([1]int{}))
			}
		}
	})
}

func TestAContextAfterClose(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		parent, leave := context.WithCancelCause(t.Context())
		before, cancel := d.WithTimeout(t.Context(), time.Second)
		other, cancelOther := d.WithTimeout(parent, time.Second)
		defer cancelOther()
		nested := first(d.WithTimeout(first(d.WithTimeout(parent, 2*time.Second)), time.Second))
		nested.Done()
		_ = d.Close()
		after, cancelAfter := d.WithTimeoutCause(t.Context(), time.Second, errSlow)
		defer cancelAfter()
		driver.Pass(time.Minute)
		ended(t, "before", before, nil, nil)
		ended(t, "after", after, context.DeadlineExceeded, errSlow)
		cancel()
		ended(t, "before", before, context.Canceled, context.Canceled)
		leave(errLeft) // they end at once
		ended(t, "with its parent", other, context.Canceled, errLeft)
		ended(t, "with the parent of its parent", nested, context.Canceled, errLeft)
	})
}

// twin is a context of the driver and one of package context that must behave alike.
type twin struct {
	own, std             context.Context
	cancelOwn, cancelStd func()
}

// Random trees of contexts, some of the driver, behave as trees of package context.
func TestTreesOfContextsAreLikeTheStandardOnes(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 1))
		for range 100 {
			root, end := context.WithCancel(context.Background())
			all := []twin{{own: root, std: root}}
			used := make(map[time.Duration]bool)
			for step := range 40 {
				p := all[rng.IntN(len(all))]
				var c twin
				switch op := rng.IntN(10); op {
				case 0:
					c.own, c.std = context.WithValue(p.own, number(step), step), context.WithValue(p.std, number(step), step)
				case 1:
					var own, std context.CancelCauseFunc
					c.own, own = context.WithCancelCause(p.own)
					c.std, std = context.WithCancelCause(p.std)
					cause := fmt.Errorf("cause %d", step)
					c.cancelOwn, c.cancelStd = func() { own(cause) }, func() { std(cause) }
				case 2, 3, 4:
					timeout := time.Duration(rng.IntN(50)-2) * ms
					until := timeout + time.Duration(time.Now().UnixNano())
					if used[until] {
						continue // the order of two that end at the same time is unspecified
					}
					used[until] = true
					var cause error
					if op == 4 {
						cause = fmt.Errorf("late %d", step)
					}
					c.own, c.cancelOwn = d.WithTimeoutCause(p.own, timeout, cause)
					c.std, c.cancelStd = context.WithTimeoutCause(p.std, timeout, cause)
				case 5:
					if p.cancelOwn != nil {
						p.cancelOwn()
						p.cancelStd()
					}
				case 6:
					p.own.Done()
				case 7:
					time.Sleep(time.Duration(rng.IntN(10)) * ms)
				case 8:
					c.own, c.std = hide(p.own), hide(p.std)
				case 9:
					c.own, c.std = hook{hide(p.own)}, hook{hide(p.std)}
				}
				if c.own != nil {
					all = append(all, c)
				}
				synctest.Wait()
				for i, c := range all {
					if rng.IntN(3) == 0 { // and do not ask the others
						continue
					}
					if rng.IntN(8) == 0 && isDone(c.own) != isDone(c.std) {
						t.Fatalf("seed %d, step %d, context %d: Done is closed: %t", seed, step, i, isDone(c.own))
					}
					own, isOwn := c.own.Deadline()
					std, isStd := c.std.Deadline()
					if got, want := c.own.Err(), c.std.Err(); !errors.Is(got, want) || !errors.Is(context.Cause(c.own), context.Cause(c.std)) ||
						!own.Equal(std) || isOwn != isStd || c.own.Value(number(step)) != c.std.Value(number(step)) {
						t.Fatalf("seed %d, step %d, context %d: Err %v, Cause %v, deadline %v; want %v, %v, %v", seed, step, i,
							got, context.Cause(c.own), own, want, context.Cause(c.std), std)
					}
				}
			}
			for _, c := range all {
				if c.cancelOwn != nil {
					c.cancelOwn()
					c.cancelStd()
				}
			}
			end()
			if d.Len() != 0 {
				t.Fatalf("seed %d: %d timers are left", seed, d.Len())
			}
		}
	})
}

// Many goroutines ask, cancel and derive contexts while they and their parents end.
func TestContextsRace(t *testing.T) {
	bySetup(t, func(t *testing.T, d *driver.Driver) {
		var all sync.WaitGroup
		for i := range 200 {
			parent, leave := context.WithCancelCause(t.Context())
			outer, cancelOuter := d.WithTimeout(parent, time.Duration(i%7)*ms)
			inner, cancelInner := d.WithTimeout(context.WithValue(outer, errSlow, 1), time.Duration(i%5)*ms)
			done := inner.Done()
			for _, f := range []func(){
				func() { leave(errLeft) },
				cancelOuter,
				func() { <-done },
				func() { <-first(context.WithCancel(inner)).Done() },
				func() { context.AfterFunc(inner, nothing)() },
				func() {
					for inner.Err() == nil {
						runtime.Gosched()
					}
					if !isDone(inner) {
						t.Error("Err is set and Done is open")
					}
					cancelInner()
				},
			} {
				all.Go(f)
			}
		}
		all.Wait()
		if d.Len() != 0 {
			t.Errorf("%d timers are left", d.Len())
		}
	})
}

// A context that has ended is not kept, whether it was cancelled, is late, or ended with its parent.
func TestContextsAreNotKept(t *testing.T) {
	d := newDriver(t)
	type key struct{}
	parent, leave := context.WithCancel(t.Context())
	own, cancelOwn := d.WithTimeout(parent, time.Hour)
	defer cancelOwn()
	for name, start := range map[string]func(of context.Context){
		"cancelled": func(of context.Context) {
			ctx, cancel := d.WithTimeout(of, time.Hour)
			ctx.Done()
			first(context.WithCancel(ctx)).Done()
			cancel()
		},
		"late": func(of context.Context) {
			ctx, cancel := d.WithTimeout(of, ms)
			<-ctx.Done()
			runtime.KeepAlive(cancel)
		},
		"late, and nobody asks": func(of context.Context) {
			_, cancel := d.WithTimeout(of, ms)
			runtime.KeepAlive(cancel)
			for d.Len() > 1 {
				runtime.Gosched()
			}
		},
		"child of a pending one": func(of context.Context) {
			_, cancel := context.WithCancel(context.WithValue(own, key{}, of.Value(key{})))
			cancel()
			_, cancel = d.WithTimeout(own, time.Second)
			cancel()
		},
		"with its parent": func(of context.Context) {
			parent, leave := context.WithCancel(of)
			ctx, cancel := d.WithTimeout(parent, time.Hour)
			runtime.KeepAlive(cancel)
			done := ctx.Done()
			leave()
			<-done
			for d.Len() > 1 {
				runtime.Gosched()
			}
		},
	} {
		for of, parent := range map[string]context.Context{"standard": parent, "own": own} {
			mustGo(t, name+", of "+of, func(b *big) { start(context.WithValue(parent, key{}, b)) })
		}
	}
	leave()
	if own.Err() != context.Canceled || d.Len() != 0 {
		t.Errorf("%v, and %d timers are left", own.Err(), d.Len())
	}
}

// A context allocates its 112 bytes, which contain the timer, and the 16 bytes of its CancelFunc, as docs/driver.md says.
func TestAContextAllocates128Bytes(t *testing.T) {
	d := newDriver(t)
	const n = 2000
	var before, after runtime.MemStats
	allocs, bytes := math.Inf(1), math.Inf(1)
	for range 10 { // in some rounds the structure allocates, too
		runtime.ReadMemStats(&before)
		for range n {
			_, cancel := d.WithTimeout(context.Background(), time.Minute)
			cancel()
		}
		runtime.ReadMemStats(&after)
		allocs, bytes = min(allocs, float64(after.Mallocs-before.Mallocs)/n), min(bytes, float64(after.TotalAlloc-before.TotalAlloc)/n)
	}
	if allocs > 2.1 || bytes > 130 {
		t.Errorf("%.2f allocations, %.1f bytes", allocs, bytes)
	}
}

// Functions leave a context in any order. Those that have left do not run and are not kept, and the others run once.
func TestFunctionsLeaveAContextInAnyOrder(t *testing.T) {
	for seed := range uint64(50) {
		inBubble(t, func(t *testing.T, d *driver.Driver) {
			rng := rand.New(rand.NewPCG(48, seed))
			ctx, cancel := d.WithTimeout(t.Context(), time.Hour)
			var ran, left [20]int
			var stops []func() bool
			for i := range ran {
				stops = append(stops, ctx.(interface{ AfterFunc(func()) func() bool }).AfterFunc(func() { ran[i]++ }))
			}
			for _, i := range rng.Perm(len(ran))[:rng.IntN(len(ran)+1)] {
				if left[i] = 1; !stops[i]() || stops[i]() {
					t.Errorf("seed %d: the first call of stop is to be true, the second false", seed)
				}
			}
			cancel()
			for i := range ran {
				if ran[i]+left[i] != 1 {
					t.Errorf("seed %d: function %d has run %d times and left %d times", seed, i, ran[i], left[i])
				}
				if stops[i]() {
					t.Errorf("seed %d: function %d leaves after the end", seed, i)
				}
			}
			late := false
			ctx.(interface{ AfterFunc(func()) func() bool }).AfterFunc(func() { late = true })
			if synctest.Wait(); !late {
				t.Error("a function that comes after the end does not run")
			}
		})
	}
}
