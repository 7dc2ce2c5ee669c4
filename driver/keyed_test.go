package driver_test

import (
	"fmt"
	"maps"
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

// keyedInBubble runs a test in virtual time, with a Keyed of each setup that logs what
// expires.
func keyedInBubble(t *testing.T, test func(t *testing.T, k *driver.Keyed[string, int], l *log)) {
	t.Helper()
	for _, s := range setups {
		t.Run(s.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLog()
				k := driver.NewKeyed(newDriver(t, s.opts...), func(key string, value int) { l.note(fmt.Sprint(key, value))() })
				defer func() { _ = k.Close() }()
				test(t, k, l)
			})
		})
	}
}

func TestKeyedSet(t *testing.T) {
	keyedInBubble(t, func(t *testing.T, k *driver.Keyed[string, int], l *log) {
		k.Set("soon", 1, ms/2)
		k.Set("now", 2, 0)
		k.Set("before", 3, -time.Minute)
		k.Set("twice", 4, 4*time.Second)
		k.Set("twice", 5, 7*time.Second) // later
		k.Set("again", 6, 7*time.Second)
		k.Set("again", 7, 4*time.Second) // earlier
		if k.Len() != 5 {
			t.Errorf("%d keys", k.Len())
		}
		time.Sleep(3 * time.Second)
		k.Set("late", 8, 5*time.Second)
		time.Sleep(time.Minute)
		l.want(t, "1ms soon1", "0s now2", "0s before3", "7s twice5", "4s again7", "8s late8")
		if k.Len() != 0 {
			t.Errorf("%d keys are left", k.Len())
		}
	})
}

// Set, then move once or twice, after some time has passed: what counts is the last delay.
func TestKeyedMove(t *testing.T) {
	for _, c := range []struct {
		elapsed, set time.Duration
		moves        []time.Duration
	}{
		{0, 4, []time.Duration{7}},
		{0, 4, []time.Duration{2}},
		{0, 3, []time.Duration{5, 10}},
		{0, 3, []time.Duration{12, 17}},
		{0, 12, []time.Duration{17, 5}},
		{3, 5, []time.Duration{10}},
		{5, 12, []time.Duration{17}},
		{5, 12, []time.Duration{1, 2, 3, 12, 4}},
	} {
		keyedInBubble(t, func(t *testing.T, k *driver.Keyed[string, int], l *log) {
			time.Sleep(c.elapsed * ms)
			k.Set("a", 1, c.set*ms)
			for _, move := range c.moves {
				if !k.Move("a", move*ms) {
					t.Error("the key is not there")
				}
			}
			if k.Move("b", ms) {
				t.Error("a key is there that was not set")
			}
			time.Sleep(time.Second)
			l.want(t, fmt.Sprint((c.elapsed+c.moves[len(c.moves)-1])*ms, " a1"))
			if k.Move("a", ms) {
				t.Error("the key is there after it has expired")
			}
		})
	}
}

func TestKeyedMoveToNowExpiresOnce(t *testing.T) {
	keyedInBubble(t, func(t *testing.T, k *driver.Keyed[string, int], l *log) {
		k.Set("a", 1, time.Minute)
		k.Move("a", ms/2)
		time.Sleep(ms)
		l.want(t, "1ms a1")
		k.Set("a", 2, time.Minute)
		k.Move("a", -time.Minute)
		time.Sleep(2 * time.Minute)
		l.want(t, "1ms a2")
	})
}

func TestKeyedRemove(t *testing.T) {
	keyedInBubble(t, func(t *testing.T, k *driver.Keyed[string, int], l *log) {
		k.Set("a", 1, time.Second)
		k.Set("b", 2, time.Second)
		if v, ok := k.Remove("a"); v != 1 || !ok {
			t.Errorf("removed %d, %t", v, ok)
		}
		if v, ok := k.Remove("a"); v != 0 || ok {
			t.Errorf("removed %d, %t a second time", v, ok)
		}
		if _, ok := k.Remove("none"); ok {
			t.Error("removed what is not there")
		}
		k.Move("b", time.Minute)
		k.Remove("b")
		time.Sleep(2 * time.Minute)
		l.want(t)
		if k.Len() != 0 {
			t.Errorf("%d keys are left", k.Len())
		}
	})
}

// What is drained does not expire, and its keys can be set anew.
func TestKeyedDrain(t *testing.T) {
	keyedInBubble(t, func(t *testing.T, k *driver.Keyed[string, int], l *log) {
		k.Set("first", 3, 4*time.Second)
		k.Set("second", 5, 7*time.Second)
		k.Set("third", 7, 7*time.Second)
		got := make(map[string]int)
		k.Drain(func(key string, value int) {
			got[key] = value
			if key == "second" {
				k.Set("new", 9, time.Second) // the function may use k
				k.Remove("new")
			}
		})
		if !maps.Equal(got, map[string]int{"first": 3, "second": 5, "third": 7}) {
			t.Errorf("drained %v", got)
		}
		k.Drain(func(key string, _ int) { t.Errorf("drained %s a second time", key) })
		k.Set("first", 1, time.Second)
		time.Sleep(time.Minute)
		l.want(t, "1s first1")
	})
}

func TestKeyedAfterClose(t *testing.T) {
	keyedInBubble(t, func(t *testing.T, k *driver.Keyed[string, int], l *log) {
		k.Set("a", 1, time.Second)
		_ = k.Close()
		k.Set("a", 2, time.Second)
		k.Set("b", 3, time.Second)
		if _, ok := k.Remove("a"); ok || k.Move("b", 0) || k.Len() != 0 {
			t.Errorf("%d keys are there", k.Len())
		}
		k.Drain(func(key string, _ int) { t.Errorf("drained %s", key) })
		time.Sleep(time.Minute)
		l.want(t)
	})
}

// The function may set the key that has expired.
func TestKeyedSetFromItsFunction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var k *driver.Keyed[int, int]
		var got []int
		k = driver.NewKeyed(newDriver(t), func(key, value int) {
			got = append(got, value)
			if value < 5 {
				k.Set(key, value+1, time.Second)
			}
		})
		k.Set(1, 1, time.Second)
		time.Sleep(time.Minute)
		synctest.Wait()
		if !slices.Equal(got, []int{1, 2, 3, 4, 5}) {
			t.Errorf("expired: %v", got)
		}
	})
}

// Every value that is set expires, is replaced, is removed or is drained: each once.
func TestKeyedRaces(t *testing.T) {
	for _, s := range setups {
		t.Run(s.name, func(t *testing.T) {
			const keys, goroutines, rounds = 50, 4, 3000
			ends := make([]atomic.Int32, goroutines*rounds)
			end := func(_, value int) { ends[value].Add(1) }
			k := driver.NewKeyed(newDriver(t, append([]driver.Option{driver.Tick(50 * µs)}, s.opts...)...), end)
			var wg sync.WaitGroup
			for g := range goroutines {
				wg.Go(func() {
					rng := rand.New(rand.NewPCG(5, uint64(g)))
					// A goroutine has keys of its own, to know what it replaces, and
					// shares them with those who only move and drain.
					mine := make(map[int]int)
					for i := range rounds {
						key := rng.IntN(keys)*goroutines + g
						value := g*rounds + i
						if old, ok := k.Remove(key); ok {
							if old != mine[key] {
								t.Errorf("removed %d, want %d", old, mine[key])
							}
							end(key, old)
						}
						mine[key] = value
						k.Set(key, value, time.Duration(rng.IntN(300))*µs)
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
			for k.Len() > 0 {
				runtime.Gosched()
			}
			eachOnce(t, ends)
			_ = k.Close()
		})
	}
}
