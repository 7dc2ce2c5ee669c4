package driver_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// In any order of calls, a Map behaves as a map whose keys are removed at their times.
func TestKeyedAgainstAMap(t *testing.T) {
	type entry struct {
		value int
		due   time.Duration // the tick at which it expires
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var got, expired []string
		d := newDriver(t, driver.Tick(ms), driver.Inline())
		k := driver.NewKeyed(d, func(key string, value int) {
			got = append(got, fmt.Sprint(time.Since(start), " ", key, value))
		})
		rng := rand.New(rand.NewPCG(1, 5))
		want := make(map[string]entry)
		put := func(key string, value int, delay time.Duration) {
			now := time.Since(start)
			if want[key] = (entry{value, (now + delay + ms - 1).Truncate(ms)}); delay <= 0 {
				expired = append(expired, fmt.Sprint(now, " ", key, value))
				delete(want, key)
			}
		}
		for value := range 2000 {
			time.Sleep(time.Duration(rng.IntN(3)) * 450 * time.Microsecond)
			synctest.Wait()
			for key, e := range want {
				if e.due <= time.Since(start) {
					expired = append(expired, fmt.Sprint(e.due, " ", key, e.value))
					delete(want, key)
				}
			}
			slices.Sort(got)
			slices.Sort(expired)
			if !slices.Equal(got, expired) {
				t.Fatalf("expired %q, want %q", got, expired)
			}
			got, expired = nil, nil
			key, delay := string(rune('a'+rng.IntN(6))), time.Duration(rng.IntN(9)-1)*ms/2
			e, there := want[key]
			switch op := rng.IntN(92); {
			case op < 40:
				_ = k.Set(key, value, delay)
				put(key, value, delay)
			case op < 70:
				if k.Move(key, delay) != there {
					t.Fatalf("Move returned %t", !there)
				}
				if there {
					put(key, e.value, delay)
				}
			case op < 75:
				if got, ok := k.Get(key); ok != there || got != e.value {
					t.Fatalf("got %d, %t, want %d, %t", got, ok, e.value, there)
				}
			case op < 90:
				if got, ok := k.Remove(key); ok != there || got != e.value {
					t.Fatalf("removed %d, %t, want %d, %t", got, ok, e.value, there)
				}
				delete(want, key)
			default:
				k.Drain(func(key string, value int) {
					if want[key].value != value {
						t.Fatalf("drained %s, %d", key, value)
					}
					delete(want, key)
					_ = k.Set("set by its function", 1, time.Second)
					k.Remove("set by its function")
				})
				if len(want) > 0 {
					t.Fatalf("not drained: %v", want)
				}
			}
			synctest.Wait()
			if k.Len() != len(want) || d.Len() != len(want) {
				t.Fatalf("%d keys and %d timers, want %d", k.Len(), d.Len(), len(want))
			}
		}
	})
}

// After Close of the Map, or of the driver, nothing expires, nothing is kept, and the caller is told.
func TestKeyedAfterClose(t *testing.T) {
	for name, end := range map[string]func(*driver.Keyed[string, int], *driver.Driver) error{
		"map": func(k *driver.Keyed[string, int], _ *driver.Driver) error { return k.Close() }, "driver": func(_ *driver.Keyed[string, int], d *driver.Driver) error { return d.Close() },
	} {
		synctest.Test(t, func(t *testing.T) {
			d := newDriver(t)
			k := driver.NewKeyed(d, func(key string, _ int) { t.Errorf("%s: %s expires", name, key) })
			errs := errors.Join(k.Set("a", 1, time.Second), k.Set("b", 2, time.Second), end(k, d))
			for _, key := range []string{"a", "c"} {
				if err := k.Set(key, 3, time.Second); errs != nil || !errors.Is(err, driver.ErrClosed) {
					t.Errorf("%s: %v, then %v", name, errs, err)
				}
			}
			_, there := k.Get("a")
			if _, ok := k.Remove("a"); ok || there || k.Move("b", time.Second) || k.Len() != 0 || d.Len() != 0 {
				t.Errorf("%s: %d keys are there", name, k.Len())
			}
			k.Drain(func(key string, _ int) { t.Errorf("%s: drained %s", name, key) })
			time.Sleep(time.Minute)
		})
	}
}

// Every value that is set expires, is replaced, is removed or is drained, once.
func TestKeyedRaces(t *testing.T) {
	bySetup(t, func(t *testing.T, d *driver.Driver) {
		const keys, goroutines, rounds = 50, 4, 1000
		ends := make([]atomic.Int32, goroutines*rounds)
		end := func(_, value int) { ends[value].Add(1) }
		k := driver.NewKeyed(d, end)
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(5, uint64(g)))
				for i := range rounds { // with keys of its own, so it knows the values that it replaces
					key := rng.IntN(keys)*goroutines + g
					if old, ok := k.Remove(key); ok {
						end(key, old)
					}
					_ = k.Set(key, g*rounds+i, time.Duration(rng.IntN(300))*µs)
					k.Move(rng.IntN(keys*goroutines), time.Duration(rng.IntN(300))*µs)
					if i%500 == 0 {
						k.Drain(end)
					}
					if i%10 == 0 {
						runtime.Gosched()
					}
				}
			})
		}
		wg.Wait()
		eachOnce(t, ends)
		if k.Len() != 0 {
			t.Errorf("%d keys are left", k.Len())
		}
	}, driver.Tick(50*µs))
}

// A key that does not equal itself could be neither found nor removed again.
func TestKeysThatCannotBeFoundAgainAreRefused(t *testing.T) {
	type point struct{ x, y float64 }
	d := newDriver(t)
	k := driver.NewKeyed(d, func(any, int) {})
	for _, key := range []any{math.NaN(), float32(math.NaN()), complex(0, math.NaN()), point{1, math.NaN()}, [2]any{1, math.NaN()}} {
		mustPanic(t, fmt.Sprintf("the key %v of type %T does not equal itself", key, key), func() { _ = k.Set(key, 1, time.Hour) })
		if _, ok := k.Remove(key); ok || k.Move(key, time.Hour) {
			t.Errorf("%v is there", key)
		}
	}
	if err := k.Set(math.Inf(1), 1, time.Hour); err != nil || k.Len() != 1 || d.Len() != 1 {
		t.Errorf("%d keys, %d timers, want the one that was not refused", k.Len(), d.Len())
	}
	floats := driver.NewKeyed(d, func(float64, int) {})
	if mustPanic(t, "the key NaN", func() { _ = floats.Set(math.NaN(), 1, time.Hour) }); floats.Len() != 0 {
		t.Error("NaN is a key")
	}
}

func newQueue(t *testing.T, opts ...driver.Option) *driver.Queue[int] {
	t.Helper()
	q := driver.NewQueue[int](newDriver(t, opts...))
	t.Cleanup(func() { _ = q.Close() })
	return q
}

// In any order of calls, a Queue behaves as a list of values with their times.
func TestQueueAgainstAList(t *testing.T) {
	type pushed struct {
		value    int
		deadline time.Duration
		item     driver.Item
	}
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		q := driver.NewQueue[int](d)
		other := newQueue(t)
		foreign, _ := other.Push(time.Hour, 1)
		start := time.Now()
		rng := rand.New(rand.NewPCG(1, 6))
		var there, gone []pushed
		for value := range 2000 {
			driver.Pass(time.Duration(rng.IntN(3)) * 450 * µs)
			now, i := time.Since(start), 0
			switch op := rng.IntN(10); {
			case op < 5:
				delay := time.Duration(rng.IntN(9)-1) * ms / 2
				item, err := q.Push(delay, value)
				if err != nil {
					t.Fatal(err)
				}
				there = append(there, pushed{value, now + max(delay, 0), item})
				slices.SortStableFunc(there, func(a, b pushed) int { return cmp.Compare(a.deadline, b.deadline) })
				continue
			case len(there) == 0:
				continue
			case op < 7:
				if i = rng.IntN(len(there)); !q.Remove(there[i].item) {
					t.Fatal("Remove of what is there returned false")
				}
			default: // wait, if none is due
				at := now
				if there[0].deadline > now {
					at = tickAt(there[0].deadline)
				}
				if got, err := q.Take(t.Context()); err != nil || got != there[0].value || time.Since(start) != at {
					t.Fatalf("took %d at %v, error %v, want %d at %v", got, time.Since(start), err, there[0].value, at)
				}
			}
			gone, there = append(gone, there[i]), slices.Delete(there, i, i+1)
			if q.Remove(gone[rng.IntN(len(gone))].item) || q.Remove(foreign) || q.Remove(driver.Item{}) {
				t.Fatal("removed what is not in the queue")
			}
			if q.Len() != len(there) {
				t.Fatalf("%d values, want %d", q.Len(), len(there))
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), ms)
		defer cancel()
		if _, err := other.Take(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Take before a value is due: error %v", err)
		}
	}, driver.Tick(ms))
}

// Of several Takes that wait, each gets a value when it is due, whether each value is earlier than those before or later,
// and though some Takes give up.
func TestEachTakeThatWaitsGetsAValue(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		const n = 6
		for _, step := range []time.Duration{-ms, 0, ms} {
			q, start := driver.NewQueue[time.Duration](d), time.Now()
			var takes sync.WaitGroup
			for i := range 2 * n {
				takes.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+i%2*100)*5*ms)
					defer cancel()
					if due, err := q.Take(ctx); err == nil && time.Since(start) != due || (err != nil) != (i%2 == 0) {
						t.Errorf("took at %v what is due at %v, error %v", time.Since(start), due, err)
					}
				})
			}
			synctest.Wait()
			for i := range time.Duration(n) {
				due := 20*ms + i*step
				if _, err := q.Push(due, due); err != nil {
					t.Error(err)
				}
				synctest.Wait()
			}
			takes.Wait()
		}
	}, driver.Tick(ms))
}

// A queue ends by its own Close, which does not close the driver, or by that of the driver.
func TestQueueAfterClose(t *testing.T) {
	for name, end := range map[string]func(*driver.Queue[int], *driver.Driver) error{
		"queue":  func(q *driver.Queue[int], _ *driver.Driver) error { return errors.Join(q.Close(), q.Close()) },
		"driver": func(_ *driver.Queue[int], d *driver.Driver) error { return d.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, d *driver.Driver) {
				q := driver.NewQueue[int](d)
				item, err := q.Push(time.Hour, 1)
				if err != nil {
					t.Error(err)
				}
				d.Schedule(time.Hour, nothing)
				var waiting sync.WaitGroup
				for range 3 {
					waiting.Go(func() {
						if _, err := q.Take(t.Context()); !errors.Is(err, driver.ErrClosed) {
							t.Errorf("Take that waits returned %v", err)
						}
					})
				}
				synctest.Wait()
				if err := end(q, d); err != nil || name == "queue" && (d.Err() != nil || d.Len() != 1) {
					t.Errorf("error %v, of the driver %v, %d are pending", err, d.Err(), d.Len())
				}
				waiting.Wait()
				if _, err := q.Take(t.Context()); !errors.Is(err, driver.ErrClosed) || q.Len() != 0 || q.Remove(item) {
					t.Errorf("error %v, %d values", err, q.Len())
				}
				if item, err := q.Push(0, 3); item != (driver.Item{}) || !errors.Is(err, driver.ErrClosed) {
					t.Errorf("Push returned %v, %v", item, err)
				}
			})
		})
	}
}

// Several goroutines push, take and remove: each value is taken or removed, once.
func TestQueueRaces(t *testing.T) {
	bySetup(t, func(t *testing.T, d *driver.Driver) {
		const goroutines, n = 3, 1000
		q := driver.NewQueue[int](d)
		ends := make([]atomic.Int32, goroutines*n)
		var all sync.WaitGroup
		for g := range goroutines {
			all.Go(func() {
				rng := rand.New(rand.NewPCG(6, uint64(g)))
				for i := range n {
					item, _ := q.Push(time.Duration(rng.IntN(300))*µs, g*n+i)
					if rng.IntN(3) == 0 {
						runtime.Gosched()
						if q.Remove(item) {
							ends[g*n+i].Add(1)
						}
					}
				}
			})
			all.Go(func() {
				for {
					value, err := q.Take(t.Context())
					if err != nil {
						return // by Close
					}
					ends[value].Add(1)
				}
			})
		}
		eachOnce(t, ends)
		if q.Len() != 0 {
			t.Errorf("%d values are left", q.Len())
		}
		_ = q.Close()
		all.Wait()
	}, driver.Tick(50*µs))
}
