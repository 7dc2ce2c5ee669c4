package driver_test

import (
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// What is due at once fires without a wait for the next tick, however it is started.
func TestWhatIsDueAtOnceFiresAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		time.Sleep(300 * µs)
		l := newLog()
		var field driver.Timer
		d.Init(&field, l.note("field"))
		moved, stopped := d.AfterFunc(time.Hour, l.note("moved")), d.AfterFunc(time.Hour, l.note("stopped"))
		stopped.Stop()
		c, q := d.NewTimer(time.Hour), driver.NewQueue[int](d)
		k := driver.NewKeyed(d, func(key string, _ int) { l.note(key)() })
		k.Set("key moved", 1, time.Hour)
		wall := d.At(time.Now().Add(time.Hour), l.note("wall moved"))

		a, h := d.AfterFunc(0, l.note("timer")), d.Schedule(-time.Second, l.note("handle"))
		if field.Reset(0) || !moved.Reset(0) || stopped.Reset(-1) || !wall.Reset(0) || !c.Reset(0) {
			t.Error("Reset does not tell what was pending")
		}
		if a.Stop() || h.Stop() || h.Reset(time.Second) || moved.Stop() || h == (driver.Handle{}) {
			t.Error("pending though it has fired")
		}
		d.At(time.Now(), l.note("wall"))
		k.Set("key", 1, 0)
		k.Move("key moved", 0)
		q.Push(0, 7)
		start := time.Now()
		mustReceive(t, c.C, start)
		mustReceive(t, d.After(0), start)
		mustTake(t, q, 7)
		l.want(t, "0s timer", "0s handle", "0s field", "0s moved", "0s stopped", "0s wall", "0s wall moved", "0s key", "0s key moved")
		if s := d.Stats(); time.Since(start) != 0 || d.Len() != 0 || s.Fired != 12 || s.Lateness.Count() != 12 || s.Lateness.Max() != 0 {
			t.Errorf("after %v: %+v, %v", time.Since(start), s, s.Lateness)
		}
		if c = d.NewTimer(0); !c.Stop() || c.Stop() {
			t.Error("Stop of a timer whose value is not received")
		}
		mustBeEmpty(t, c.C)
	})
}

// Where functions run in order, what is due at once comes after what was due before.
func TestWhatIsDueAtOnceKeepsTheOrder(t *testing.T) {
	for _, opt := range []driver.Option{driver.Inline(), driver.Workers(1)} {
		synctest.Test(t, func(t *testing.T) {
			d := newDriver(t, opt, driver.Budget(2))
			var got []int
			note := func(i int) func() { return func() { got = append(got, i) } }
			d.Schedule(ms, func() { time.Sleep(time.Minute) })
			for i := range 10 {
				d.Schedule(time.Duration(2+i)*ms, note(i))
			}
			time.Sleep(time.Second)
			for i := range 10 {
				d.Schedule(0, note(10+i))
			}
			time.Sleep(time.Hour)
			synctest.Wait()
			if len(got) != 20 || !slices.IsSorted(got) {
				t.Errorf("ran in the order %v", got)
			}
		})
	}
}

// Each of those that wait to run at once is late by its own time.
func TestLatenessOfWhatIsDueAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDriver(t, driver.Inline(), driver.Budget(1), driver.Shards(1))
		d.Schedule(ms, func() { time.Sleep(time.Minute) })
		time.Sleep(10*time.Second + ms)
		d.Schedule(0, nothing)
		time.Sleep(30 * time.Second)
		d.Schedule(0, nothing)
		time.Sleep(time.Hour)
		synctest.Wait()
		l := d.Stats().Lateness
		if half := l.Quantile(0.5); l.Count() != 3 || l.Max() != 50*time.Second || half < 20*time.Second || half > 21*time.Second {
			t.Error(l, half)
		}
	})
}

// A value is in the queue all the time from Push to Take, as Len has it.
func TestQueueLenCountsAValueUntilItIsTaken(t *testing.T) {
	d := newDriver(t, driver.Tick(10*µs))
	q := driver.NewQueue[int](d)
	for i := range 3000 {
		q.Push(20*µs, i)
		for until := time.Now().Add(50 * µs); time.Now().Before(until); {
			if n := q.Len(); n != 1 {
				t.Fatalf("round %d: %d values, want 1", i, n)
			}
		}
		mustTake(t, q, i)
		if n := q.Len(); n != 0 {
			t.Fatalf("round %d: %d values after Take", i, n)
		}
	}
}

// Several stand on one driver. Close of one leaves the others alone, and frees what it had.
func TestQueuesAndKeyedShareADriver(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		l := newLog()
		a, b := driver.NewQueue[int](d), driver.NewQueue[string](d)
		expires := func(key string, _ int) { l.note(key)() }
		k, other := driver.NewKeyed(d, expires), driver.NewKeyed(d, expires)
		d.Schedule(time.Second, l.note("function"))
		a.Push(time.Second, 1)
		a.Push(ms, 2)
		b.Push(time.Second, "b")
		k.Set("k", 1, time.Second)
		other.Set("other", 1, time.Second)
		time.Sleep(10 * ms)
		synctest.Wait()
		if a.Len() != 2 || b.Len() != 1 || d.Len() != 5 {
			t.Errorf("%d and %d values, %d pending", a.Len(), b.Len(), d.Len())
		}
		if err := errors.Join(a.Close(), k.Close()); err != nil || d.Err() != nil || d.Len() != 3 {
			t.Errorf("error %v, of the driver %v, %d pending, want 3", err, d.Err(), d.Len())
		}
		if a.Push(ms, 3) != (driver.Item{}) || a.Len() != 0 {
			t.Error("pushed after Close")
		}
		if got, err := b.Take(t.Context()); got != "b" || err != nil {
			t.Errorf("took %q, error %v", got, err)
		}
		l.want(t, "1s function", "1s other")

		// What stands on a driver ends with it.
		b.Push(ms, "c")
		other.Set("k", 1, ms)
		taken := make(chan error)
		go func() {
			_, err := driver.NewQueue[int](d).Take(t.Context())
			taken <- err
		}()
		synctest.Wait()
		_ = d.Close()
		if err := <-taken; !errors.Is(err, driver.ErrClosed) {
			t.Errorf("Take returned %v", err)
		}
		if _, err := b.Take(t.Context()); !errors.Is(err, driver.ErrClosed) || b.Len() != 0 || b.Push(0, "d") != (driver.Item{}) {
			t.Errorf("error %v, %d values", err, b.Len())
		}
		time.Sleep(time.Minute)
		l.want(t)
	})
}

// Who may meet a closed driver can find out.
func TestErrAndDoneTellOfClose(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		if d.Err() != nil {
			t.Error(d.Err())
		}
		select {
		case <-d.Done():
			t.Error("done before Close")
		default:
		}
		time.AfterFunc(time.Second, func() { _ = d.Close() })
		select {
		case <-d.After(time.Minute):
			t.Error("fired after Close")
		case <-d.Done():
		}
		d.AfterFunc(0, explode)
		d.At(time.Now(), explode)
		if !errors.Is(d.Err(), driver.ErrClosed) || d.Schedule(0, explode) != (driver.Handle{}) || len(d.After(0)) != 0 {
			t.Errorf("error %v", d.Err())
		}
		time.Sleep(time.Minute)
	})
}

// Close leaves at most as many functions that have not begun as are run at a time, and
// Shutdown none.
func TestHowManyFunctionsBeginAfterClose(t *testing.T) {
	for limit, opt := range map[int64]driver.Option{1: driver.Inline(), 3: driver.Workers(3)} {
		for range 50 {
			d := newDriver(t, opt)
			var begun atomic.Int64
			for i := range 2000 {
				d.Schedule(time.Duration(i)*µs, func() { begun.Add(1) })
			}
			for begun.Load() < 10 {
				runtime.Gosched()
			}
			_ = d.Close()
			atClose := begun.Load()
			if _, err := d.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			atEnd := begun.Load()
			if n := atEnd - atClose; n > limit {
				t.Fatalf("%d functions have begun after Close, want at most %d", n, limit)
			}
			for range 10 {
				runtime.Gosched()
			}
			if n := begun.Load() - atEnd; n > 0 {
				t.Fatalf("%d functions have begun after Shutdown", n)
			}
		}
	}
}
