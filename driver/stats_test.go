package driver

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Buckets are in order and without gaps, and the upper end of each is at most 1/32 above its values.
func TestLatenessBuckets(t *testing.T) {
	for bucket := range latenessBuckets - 1 {
		at := latenessAt(bucket)
		if latenessBucket(at) != bucket || latenessBucket(at+1) != bucket+1 {
			t.Fatalf("bucket %d ends at %d, which is in bucket %d; the next number in %d", bucket, at, latenessBucket(at), latenessBucket(at+1))
		}
	}
	for ns := uint64(1); ns < math.MaxInt64/3; ns += ns/3 + 1 {
		if at := latenessAt(latenessBucket(ns)); at < ns || at-ns > ns/32 {
			t.Errorf("%d counts as %d", ns, at)
		}
	}
	if got := latenessBucket(math.MaxInt64); got >= latenessBuckets {
		t.Errorf("bucket %d of %d", got, latenessBuckets)
	}
}

func TestLatenessQuantiles(t *testing.T) {
	var l Distribution
	if l.Count() != 0 || l.Max() != 0 || l.Quantile(0.5) != 0 {
		t.Errorf("empty: %v", l)
	}
	var all []int64
	for i := range int64(1000) {
		ns := i * i * i
		l.add(ns, 2)
		all = append(all, ns, ns)
	}
	l.add(-5, 1)
	all = append(all, 0)
	slices.Sort(all)
	for _, q := range []float64{0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1} {
		want := all[min(len(all)-1, max(0, int(q*float64(len(all))+0.5)-1))]
		got := int64(l.Quantile(q))
		if got < want || got-want > want/32 {
			t.Errorf("quantile %v is %d, want %d", q, got, want)
		}
	}
	if l.Count() != 2001 || l.Max() != time.Duration(all[len(all)-1]) {
		t.Errorf("%v", l)
	}
	for most := range l.All() { // or else the number of timers up to a duration could fall
		if end := latenessAt(latenessBucket(uint64(most))); uint64(most) != end {
			t.Errorf("a bucket goes up to %d, want %d", int64(most), end)
		}
	}
}

// Whatever happens, every started timer is pending, has fired or was stopped, and no counter goes back.
func TestCountersAddUp(t *testing.T) {
	for name, opts := range map[string][]Option{
		"goroutines": {Goroutines()}, "workers": {Workers(1), Profiling(1)}, "inline": {Inline(), Profiling(3), Shards(1)}, "budget": {Budget(2), Shards(3)},
	} {
		for seed := range uint64(20) {
			synctest.Test(t, func(t *testing.T) {
				c := newWallClock(t, "2026-03-01 12:00:00", opts...)
				checkCounters(t, c, name, rand.New(rand.NewPCG(48, seed)))
			})
		}
	}
}

func checkCounters(t *testing.T, c *wallClock, name string, rng *rand.Rand) {
	d := c.d
	const settled = "wait until nothing runs"
	var before Stats
	var exported map[string]any
	check := func(op string) {
		t.Helper()
		if t.Failed() {
			return
		}
		got := d.Stats()
		const most = 1 << 40
		switch {
		case got.Pending+got.Fired+got.Stopped != got.Started || max(got.Pending, got.Fired, got.Stopped) > most:
			t.Errorf("%s, %s: %+v: the counters do not add up", name, op, got)
		case got.Started < before.Started || got.Fired < before.Fired || got.Stopped < before.Stopped || got.Moved < before.Moved ||
			got.Wakeups < before.Wakeups || got.IdleWakeups < before.IdleWakeups || got.Lateness.Count() < before.Lateness.Count() || got.Delays.Count() < before.Delays.Count():
			t.Errorf("%s, %s: %+v: a counter goes back, %+v", name, op, got, before)
		case got.IdleWakeups > got.Wakeups || op == settled && got.Pending != uint64(d.Len()):
			t.Errorf("%s, %s: %+v, Len %d", name, op, got, d.Len())
		case name == "workers" && got.Delays.Count() != got.Started: // it has Profiling
			t.Errorf("%s, %s: %d delays, %d started", name, op, got.Delays.Count(), got.Started)
		}
		if before = got; op != settled && op != "Close" { // the text has the same counters
			return
		}
		was := maps.Clone(exported)
		if err := json.Unmarshal([]byte(d.String()), &exported); err != nil {
			t.Error(err)
		}
		for key, value := range was {
			value, isCounter := value.(float64)
			if now := exported[key]; key != "pending" && isCounter && now.(float64) < value {
				t.Errorf("%s, %s: %s goes from %v back to %v", name, op, key, value, now)
			}
		}
	}
	takes := time.Duration(rng.IntN(2)) * 1700 * ms // functions then wait for each other
	f := func() { time.Sleep(takes) }
	q := NewQueue[int](d)
	var timers []*Timer
	var handles []Handle
	var chans []*ChanTimer
	var tickers []*Ticker
	var items []Item
	cancels := []context.CancelFunc{func() {}}
	_, cancel := d.WithTimeout(t.Context(), h)
	defer cancel()
	ctx, leave := context.WithCancel(context.Background())
	leave()
	for range 150 {
		delay := time.Duration(rng.Int64N(int64(4*s))) - s
		timer := func() *Timer { return timers[rng.IntN(len(timers))] }
		ops := []struct {
			name string
			f    func()
		}{
			{"AfterFunc", func() { timers = append(timers, d.AfterFunc(delay, f)) }},
			{"AfterWindow", func() { timers = append(timers, d.AfterWindow(delay, delay+s, f)) }},
			{"At", func() { timers = append(timers, d.At(c.now().Add(delay), f)) }},
			{"Every", func() {
				r := OnMissed(Periodic(c.now(), max(delay, 100*ms)), Missed(rng.IntN(3)))
				timers = append(timers, d.Every(Spread(r, time.Duration(rng.IntN(2))*s), f))
			}},
			{"Init", func() {
				timer := new(Timer)
				d.Init(timer, f)
				timers = append(timers, timer)
			}},
			{"Stop", func() { timer().Stop() }},
			{"StopWait", func() { _ = timer().StopWait(ctx) }},
			{"Reset", func() { timer().Reset(delay) }},
			{"ResetWindow", func() { timer().ResetWindow(delay, delay+s) }},
			{"Schedule", func() { handles = append(handles, d.Schedule(delay, f)) }},
			{"Handle.Stop", func() { handles[rng.IntN(len(handles))].Stop() }},
			{"Handle.Reset", func() { handles[rng.IntN(len(handles))].Reset(delay) }},
			{"NewTimer", func() { chans = append(chans, d.NewTimer(delay)) }},
			{"ChanTimer.Stop", func() { chans[rng.IntN(len(chans))].Stop() }},
			{"ChanTimer.Reset", func() { chans[rng.IntN(len(chans))].Reset(delay) }},
			{"NewTicker", func() { tickers = append(tickers, d.NewTicker(max(delay, 100*ms))) }},
			{"Ticker.Stop", func() { tickers[rng.IntN(len(tickers))].Stop() }},
			{"Ticker.Reset", func() { tickers[rng.IntN(len(tickers))].Reset(max(delay, 100*ms)) }},
			{"Push", func() {
				item, _ := q.Push(delay, 1)
				items = append(items, item)
			}},
			{"Queue.Remove", func() { q.Remove(items[rng.IntN(len(items))]) }},
			{"Take", func() { _, _ = q.Take(ctx) }},
			{"WithTimeout", func() {
				_, cancel := d.WithTimeout(t.Context(), delay)
				cancels = append(cancels, cancel)
			}},
			{"cancel", func() { cancels[rng.IntN(len(cancels))]() }},
			{"set the clock", func() { c.jump(time.Duration(rng.Int64N(int64(h))) - h/2) }},
			{"wait", func() { time.Sleep(max(delay, 0)) }},
			{settled, func() { time.Sleep(max(delay, 0)); synctest.Wait() }},
		}
		for i := range 5 { // there is one of each
			if len(timers) == 0 || len(handles) == 0 || len(chans) == 0 || len(tickers) == 0 || len(items) == 0 {
				ops[[]int{0, 9, 12, 15, 18}[i]].f()
			}
		}
		op := ops[rng.IntN(len(ops))]
		op.f()
		check(op.name)
	}
	_, _ = d.Shutdown(ctx)
	check("Close")
	Pass(time.Minute)
	if check("after Close"); before.Pending != 0 {
		t.Errorf("%s: %d are pending after Close", name, before.Pending)
	}
	for _, cancel := range cancels {
		cancel()
	}
	_ = q.Close()
}

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
