package driver_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
)

var inOrder = map[string][]driver.Option{"inline": {driver.Inline()}, "worker": {driver.Workers(1)}, "ticking": {driver.Inline(), driver.Ticking(), driver.Budget(3)}}

// Timers of the same tick run in the order in which they were last started or moved, however that was done.
func TestEqualTicksRunInTheOrderOfTheirStart(t *testing.T) {
	for name, opts := range inOrder {
		for seed := range uint64(20) {
			driver.Bubble(t, name, func(t *testing.T) {
				d := newDriver(t, append(opts, driver.Tick(ms))...)
				rng := rand.New(rand.NewPCG(63, seed))
				const n, ticks = 60, 3
				at := make([]int, n) // tick in which it is due
				var order, got []int
				timers, handles := make([]driver.Timer, n), make([]driver.Handle, n)
				for i := range timers {
					d.Init(&timers[i], func() { got = append(got, i) })
				}
				for range 400 {
					i, tick := rng.IntN(n), 1+rng.IntN(ticks)
					delay := time.Duration(tick)*10*ms - time.Duration(rng.Int64N(int64(ms/2)))
					place := slices.Index(order, i)
					switch {
					case i%3 > 0:
						timers[i].Reset(delay)
					case place >= 0:
						handles[i].Reset(delay)
					default:
						handles[i] = d.Schedule(delay, func() { got = append(got, i) })
					}
					if place >= 0 {
						order = slices.Delete(order, place, place+1)
					}
					order, at[i] = append(order, i), tick
				}
				driver.Pass(time.Second)
				slices.SortStableFunc(order, func(a, b int) int { return at[a] - at[b] })
				if !slices.Equal(got, order) {
					t.Errorf("seed %d: ran in the order\n%v, want\n%v", seed, got, order)
				}
			})
		}
	}
}

// A timer that is due is pending until its function begins. So a function can stop or move its siblings of the same tick,
// and what it is told is true.
func TestASiblingThatIsDueCanBeStopped(t *testing.T) {
	modes := map[string][]driver.Option{"workers": {driver.Workers(3)}, "goroutines": {}, "shards": {driver.Inline(), driver.Shards(4)}}
	for name, opts := range inOrder {
		modes[name] = opts
	}
	for mode, opts := range modes {
		for how, start := range map[string]func(d *driver.Driver, f func()) (stop func() bool){
			"AfterFunc": func(d *driver.Driver, f func()) func() bool { return d.AfterFunc(20*ms, f).Stop },
			"Schedule":  func(d *driver.Driver, f func()) func() bool { return d.Schedule(20*ms, f).Stop },
			"at once":   func(d *driver.Driver, f func()) func() bool { return d.AfterFunc(0, f).Stop },
			"At":        func(d *driver.Driver, f func()) func() bool { return d.At(time.Now().Add(20*ms), f).Stop },
			"Reset": func(d *driver.Driver, f func()) func() bool {
				timer := d.AfterFunc(20*ms, f)
				return func() bool {
					was := timer.Reset(time.Second)
					return timer.Stop() && was
				}
			},
		} {
			driver.Bubble(t, mode+"/"+how, func(t *testing.T) {
				d := newDriver(t, opts...)
				const n = 300
				var mu sync.Mutex
				var ran, told, stopped [n]bool
				stops := make([]func() bool, n)
				mu.Lock()
				for i := range n {
					stops[i] = start(d, func() {
						mu.Lock()
						defer mu.Unlock()
						if ran[i] {
							t.Error("ran twice")
						}
						ran[i] = true
						for j := range n {
							if j != i && !told[j] && stops[j] != nil {
								told[j], stopped[j] = true, stops[j]()
							}
						}
					})
				}
				mu.Unlock()
				driver.Pass(time.Minute)
				mu.Lock()
				defer mu.Unlock()
				count := 0
				for i := range n {
					if ran[i] == stopped[i] {
						t.Fatalf("timer %d has run: %t, and Stop was told that it will not run: %t", i, ran[i], stopped[i])
					} else if ran[i] {
						count++
					}
				}
				if _, in := inOrder[mode]; in && how != "at once" && count != 1 {
					t.Errorf("%d functions ran, want the first to stop all others", count)
				}
				if s := d.Stats(); s.Fired != uint64(count) || s.Pending != 0 || d.Len() != 0 {
					t.Errorf("%d ran, %v, Len %d", count, s, d.Len())
				}
			})
		}
	}
}

// The rank error of a timer that fires is the number of pending timers that are due before it. Among ticks it is 0, for any number of
// shards, because a pass serves all shards tick by tick. docs/published.md has the errors within ticks.
func TestShardsFireInTheOrderOfTicks(t *testing.T) {
	const n, span, tick = 4_000, 50 * time.Millisecond, 100 * time.Microsecond
	for _, shards := range []int{1, 2, 8} {
		driver.Alone(t, func(t *testing.T, d *driver.Driver) {
			rng := rand.New(rand.NewPCG(68, uint64(shards)))
			var got []time.Duration                         // the deadlines, in the order in which they fire
			d.Schedule(ms, func() { time.Sleep(2 * span) }) // then all are overdue
			for range n {
				due := 2*ms + time.Duration(rng.Int64N(int64(span)))
				d.Schedule(due, func() { got = append(got, due) })
			}
			driver.Pass(time.Second)
			ranks := 0
			for i, due := range got {
				for _, later := range got[i+1:] {
					if later < due {
						ranks++
					}
					if (later-1)/tick < (due-1)/tick {
						t.Fatalf("%d shards: a timer due after %v fires before one due after %v", shards, due, later)
					}
				}
			}
			if len(got) != n || ranks == 0 {
				t.Errorf("%d shards: %d timers fired, in the order of their deadlines", shards, len(got))
			}
			t.Logf("%d shards: a rank error of %.2f, %d timers a tick", shards, float64(ranks)/n, n*int(tick)/int(span))
		}, driver.Inline(), driver.Shards(shards), driver.Tick(tick))
	}
}
