package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/bench/live"
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
)

// expirySpread is the time in which all entries of measureTTL expire. It is that of the workload avalanche-slot.
const expirySpread = 256 * time.Millisecond

// ttlFigures are the costs of the expiry of many entries at once.
type ttlFigures struct {
	bytes         float64       // of the heap per entry
	median, worst time.Duration // from the deadline to the start of the function
	pause         time.Duration // the longest of the calls of Start and Stop, of another timer, meanwhile
}

// measureTTL starts n timers that expire within expirySpread, and waits for them, unless they live forever. The garbage
// collector is off while they expire.
func measureTTL(ctx context.Context, c live.Subject, n int, forever bool) (f ttlFigures, err error) {
	s, err := c.Open()
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	due, late, fired := make([]time.Time, n), make([]time.Duration, n), atomic.Int64{}
	first := time.Now().Add(2*time.Second + time.Duration(n)*5*time.Microsecond)
	r := rand.New(rand.NewPCG(1, 0))
	for i := range due {
		due[i] = first.Add(time.Duration(r.Int64N(int64(expirySpread))))
	}
	expire := func(i int) func() {
		return func() {
			if i < n { // not the other timer
				late[i] = time.Since(due[i])
				fired.Add(1)
			}
		}
	}
	timers := s.Timers(results.FormSchedule, n+1, expire)
	if timers == nil {
		timers = s.Timers(results.FormAfterFunc, n+1, expire)
	}
	before := replay.Measure()
	for i := range due {
		timers.Start(i, time.Until(due[i]))
	}
	if f.bytes = replay.Measure().BytesSince(before) / float64(n); forever {
		return f, nil
	}
	if time.Now().After(first) {
		return f, fmt.Errorf("%s: %d entries took longer to set than %v", c.Name, n, time.Since(first))
	}
	time.Sleep(time.Until(first))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const rest = 10 * time.Second
	end := first.Add(expirySpread + rest)
	if c.Late != nil {
		end = end.Add(c.Late(expirySpread))
	}
	for fired.Load() < int64(n) {
		start := time.Now()
		timers.Start(n, time.Hour)
		timers.Stop(n)
		f.pause = max(f.pause, time.Since(start))
		if time.Sleep(100 * time.Microsecond); start.After(end) || ctx.Err() != nil {
			return f, errors.Join(ctx.Err(), fmt.Errorf("%s: %d of %d entries have expired", c.Name, fired.Load(), n))
		}
	}
	slices.Sort(late)
	f.median, f.worst = late[n/2], late[n-1]
	return f, nil
}

// printTTL measures the caches, the driver and Go's timers. The bytes of a cache are the difference between
// entries with a TTL and entries without one.
func printTTL(ctx context.Context, n int, markdown bool) error {
	t := show.Table{Align: "lr", Header: []string{"expiry", "bytes", "lag, p50", "lag, max", "pause"}}
	drivers := live.Drivers(ours(), []int{0})
	for _, c := range append([]live.Subject{otterCache(true), ristrettoCache(true), live.Time()}, drivers...) {
		f, err := measureTTL(ctx, c, n, false)
		if err != nil {
			return err
		}
		for _, without := range []live.Subject{otterCache(false), ristrettoCache(false)} {
			if without.Name != c.Name {
				continue
			}
			w, err := measureTTL(ctx, without, n, true)
			if err != nil {
				return err
			}
			f.bytes -= w.bytes
		}
		t.Add(c.Name, show.Figure(f.bytes), show.Duration(float64(f.median)), show.Duration(float64(f.worst)), show.Duration(float64(f.pause)))
	}
	text := t.Terminal
	if markdown {
		text = t.Markdown
	}
	_, err := fmt.Println(text())
	return err
}
