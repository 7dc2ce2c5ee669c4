package driver_test

import (
	"context"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/timerbench/timerbench/driver"
)

// big is a value that a function refers to.
type big [1 << 10]byte

// mustGo calls use with a value, and waits until the value has been collected.
func mustGo(t *testing.T, what string, use func(b *big)) {
	t.Helper()
	p := func() weak.Pointer[big] { // a frame of its own, so that no reference stays
		b := new(big)
		use(b)
		return weak.Make(b)
	}()
	driver.Collect(t, what+": what the function refers to", func() bool { return p.Value() == nil })
}

// A timer that was stopped or has fired is not kept in memory, and after Close none is.
func TestNothingIsKept(t *testing.T) {
	for _, s := range setups[3:6] { // inline, workers, one worker
		t.Run(s.name, func(t *testing.T) {
			d := newDriver(t, s.opts...)
			q, k := driver.NewQueue[*big](d), driver.NewKeyed(d, func(int, *big) {})
			fired := make(chan struct{}, 1)
			pending, wall := d.Schedule(time.Hour, nothing), d.At(time.Now().Add(time.Hour), nothing) // no list is empty
			var field driver.Timer
			for name, start := range map[string]func(b *big){
				"Schedule, Stop":  func(b *big) { d.Schedule(time.Hour, func() { b[0]++ }).Stop() },
				"AfterFunc, Stop": func(b *big) { d.AfterFunc(time.Hour, func() { b[0]++ }).Stop() },
				"Init, Stop": func(b *big) {
					d.Init(&field, func() { b[0]++ })
					field.Reset(time.Hour)
					field.Stop()
					d.Init(&field, nothing)
				},
				"At, Stop":    func(b *big) { d.At(time.Now().Add(time.Hour), func() { b[0]++ }).Stop() },
				"Every, Stop": func(b *big) { d.Every(driver.Periodic(time.Now(), time.Hour), func() { b[0]++ }).Stop() },
				"Schedule, fired": func(b *big) {
					d.Schedule(0, func() { b[0]++; fired <- struct{}{} })
					<-fired
				},
				"AfterFunc, fired": func(b *big) {
					d.AfterFunc(time.Hour, func() { b[0]++; fired <- struct{}{} }).Reset(ms)
					<-fired
				},
				"Keyed, removed":  func(b *big) { _ = k.Set(1, b, time.Hour); k.Remove(1) },
				"Keyed, replaced": func(b *big) { _, _ = k.Set(1, b, time.Hour), k.Set(1, nil, time.Hour) },
				"Keyed, drained":  func(b *big) { _ = k.Set(1, b, time.Hour); k.Drain(func(int, *big) {}) },
				"Queue, removed": func(b *big) {
					item, _ := q.Push(time.Hour, b)
					q.Remove(item)
				},
				"Queue, taken": func(b *big) {
					_, _ = q.Push(0, b)
					if _, err := q.Take(context.Background()); err != nil {
						t.Error(err)
					}
				},
			} {
				mustGo(t, name, start)
			}
			if !pending.Stop() || !wall.Stop() {
				t.Error("a timer is not pending")
			}
			mustGo(t, "pending, Close", func(b *big) {
				d.Schedule(time.Hour, func() { b[0]++ })
				_, _ = q.Push(time.Hour, b)
				_, _ = q.Close(), d.Close()
			})
			runtime.KeepAlive(&field)
		})
	}
}
