package driver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// recorded returns the operations on each timer that a recorder of d gets, in the order of the first operations.
func recorded(d *Driver) (histories func() []string) {
	var names []uint64
	told := map[uint64]string{}
	for i := range d.shards {
		sh := &d.shards[i]
		sh.watch = &watch{shard: sh.ref.number, sampled: map[timerKey]*sample{}}
		sh.watch.record = func(kind uint8, timer uint64, delay int64, pending bool) {
			if told[timer] == "" {
				names = append(names, timer)
			}
			what := []string{fmt.Sprint("set ", time.Duration(delay)), "stop", "fire"}[kind]
			if kind == recordSet && pending {
				what = fmt.Sprint("move ", time.Duration(delay))
			}
			told[timer] += what + ", "
		}
		sh.marked.Store(true)
	}
	return func() (all []string) {
		for _, name := range names {
			all = append(all, strings.TrimSuffix(told[name], ", "))
		}
		return all
	}
}

// A recorder gets the operations of the program, with delays that are not rounded to ticks.
func TestTheRecorderIsToldWhatTheProgramAsksFor(t *testing.T) {
	const odd = 1500*time.Millisecond + 1
	for name, c := range map[string]struct {
		use  func(d *Driver)
		want []string
	}{
		"AfterFunc":        {func(d *Driver) { d.AfterFunc(odd, func() {}); time.Sleep(m) }, []string{"set 1.500000001s, fire"}},
		"AfterFunc, 0":     {func(d *Driver) { d.AfterFunc(0, func() {}) }, []string{"set 0s, fire"}},
		"Schedule, 0":      {func(d *Driver) { d.Schedule(-1, func() {}) }, []string{"set 0s, fire"}},
		"Stop":             {func(d *Driver) { d.AfterFunc(odd, func() {}).Stop() }, []string{"set 1.500000001s, stop"}},
		"StopWait":         {func(d *Driver) { _ = d.AfterFunc(s, func() {}).StopWait(context.Background()) }, []string{"set 1s, stop"}},
		"Reset to later":   {func(d *Driver) { d.AfterFunc(s, func() {}).Reset(odd); time.Sleep(m) }, []string{"set 1s, move 1.500000001s, fire"}},
		"Reset to earlier": {func(d *Driver) { d.AfterFunc(m, func() {}).Reset(odd) }, []string{"set 1m0s, move 1.500000001s, stop"}},
		"Init": {func(d *Driver) {
			var timer Timer
			d.Init(&timer, func() {})
			timer.Reset(s)
			timer.Reset(0)
		}, []string{"set 1s, stop, set 0s, fire"}},
		"Schedule": {func(d *Driver) {
			d.Schedule(s, func() {})
			h := d.Schedule(m, func() {})
			h.Reset(odd)
			time.Sleep(s)
			h.Stop()
		}, []string{"set 1s, fire", "set 1m0s, move 1.500000001s, stop"}},
		"AfterWindow": {func(d *Driver) { d.AfterWindow(odd, odd, func() {}).ResetWindow(h, h) }, []string{"set 1.5001s, move 1h0m0s, stop"}},
		"NewTimer":    {func(d *Driver) { <-d.NewTimer(s).C; <-d.After(0) }, []string{"set 1s, fire", "set 0s, fire"}},
		"NewTicker": {func(d *Driver) {
			ticker := d.NewTicker(odd)
			<-ticker.C
			ticker.Stop()
		}, []string{"set 1.500000001s, set 1.499900002s, stop"}},
		"Every": {func(d *Driver) {
			every := d.Every(Periodic(time.Now(), s), func() {})
			time.Sleep(s + time.Millisecond)
			every.Stop()
		}, []string{"set 1s, set 1s, stop"}},
		"the last of Every": {func(d *Driver) { d.Every(once(time.Now().Add(s)), func() {}); time.Sleep(m) }, []string{"set 1s, fire"}},
		"At":                {func(d *Driver) { d.At(time.Now().Add(s), func() {}); time.Sleep(m) }, []string{"set 1s, fire"}},
		"Queue": {func(d *Driver) {
			q := NewQueue[int](d)
			_, _ = q.Push(s, 1)
			_, _ = q.Take(context.Background())
			_, _ = q.Push(m, 1) // no Take waits for it
		}, []string{"set 1s, fire"}},
		"Close": {func(d *Driver) { d.AfterFunc(s, func() {}) }, []string{"set 1s, stop"}},
	} {
		Bubble(t, name, func(t *testing.T) {
			d := Made(t, Shards(1))
			histories := recorded(d)
			c.use(d)
			synctest.Wait()
			_ = d.Close()
			if got := histories(); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
