package driver_test

import (
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
	mustPanic(t, "is nil", func() { driver.NewKeyed[int, int](nil, func(int, int) {}) })
	mustPanic(t, "is nil", func() { driver.NewKeyed[int, int](d, nil) })
	floats := driver.NewKeyed(d, func(float64, int) {})
	if mustPanic(t, "the key NaN", func() { _ = floats.Set(math.NaN(), 1, time.Hour) }); floats.Len() != 0 {
		t.Error("NaN is a key")
	}
}
