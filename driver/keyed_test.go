package driver_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// keyedInBubble runs a test in virtual time, with a Keyed of each setup that logs the expired keys.
func keyedInBubble(t *testing.T, test func(t *testing.T, k *driver.Keyed[string, int], l *log)) {
	t.Helper()
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		l := newLog()
		k := driver.NewKeyed(d, func(key string, value int) { l.Note(fmt.Sprint(key, value))() })
		defer func() { _ = k.Close() }()
		test(t, k, l)
	}, driver.Tick(ms))
}

// In any order of calls, a Keyed behaves as a map whose keys are removed at their times.
func TestKeyedAgainstAMap(t *testing.T) {
	type entry struct {
		value int
		due   time.Duration // the tick at which it expires
	}
	keyedInBubble(t, func(t *testing.T, k *driver.Keyed[string, int], l *log) {
		rng := rand.New(rand.NewPCG(1, 5))
		want := make(map[string]entry)
		var expired []string
		put := func(key string, value int, delay time.Duration) {
			now := time.Since(l.Start)
			if want[key] = (entry{value, tickAt(now + delay)}); delay <= 0 {
				expired = append(expired, fmt.Sprint(now, " ", key, value))
				delete(want, key)
			}
		}
		for value := range 2000 {
			driver.Pass(time.Duration(rng.IntN(3)) * 450 * µs)
			for key, e := range want {
				if e.due <= time.Since(l.Start) {
					expired = append(expired, fmt.Sprint(e.due, " ", key, e.value))
					delete(want, key)
				}
			}
			l.Want(t, expired...)
			expired = nil
			key, delay := string(rune('a'+rng.IntN(6))), time.Duration(rng.IntN(9)-1)*ms/2
			e, there := want[key]
			switch op := rng.IntN(100); {
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
			case op < 95:
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
			if k.Len() != len(want) {
				t.Fatalf("%d keys, want %d", k.Len(), len(want))
			}
		}
	})
}

func TestKeyedAfterClose(t *testing.T) {
	keyedInBubble(t, func(t *testing.T, k *driver.Keyed[string, int], l *log) {
		_ = k.Set("a", 1, time.Second)
		_ = k.Close()
		for _, key := range []string{"a", "b"} {
			if err := k.Set(key, 2, time.Second); !errors.Is(err, driver.ErrClosed) {
				t.Errorf("Set after Close: %v", err)
			}
		}
		_, there := k.Get("a")
		if _, ok := k.Remove("a"); ok || there || k.Move("b", 0) || k.Len() != 0 {
			t.Errorf("%d keys are there", k.Len())
		}
		k.Drain(func(key string, _ int) { t.Errorf("drained %s", key) })
		time.Sleep(time.Minute)
		l.Want(t)
	})
}

// After Close of the driver nothing would expire, so nothing is kept, and the caller is told.
func TestKeyedAfterCloseOfTheDriver(t *testing.T) {
	d := newDriver(t)
	k := driver.NewKeyed(d, func(string, int) {})
	errs := errors.Join(k.Set("a", 1, time.Hour), k.Set("b", 2, time.Hour), d.Close())
	if err := k.Set("a", 3, time.Hour); errs != nil || !errors.Is(err, driver.ErrClosed) || k.Move("b", time.Hour) || k.Len() != 0 {
		t.Errorf("%v, then %v, and %d keys", errs, err, k.Len())
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
func TestKeyedRefusesKeysThatCannotBeFoundAgain(t *testing.T) {
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
