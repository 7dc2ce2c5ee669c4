package trace

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
)

// A recorded delay is too long by at most a hundredth, 10 ms and a tick, whether the program is busy or idle.
func TestRecordedDelaysAreHardlyTooLong(t *testing.T) {
	for name, pause := range map[string]int64{"busy": 300_000, "idle": 400_000_000} {
		var asked []time.Duration
		ops, _ := mustRead(t, record(t, testHeader, func(w *Writer) {
			o := NewObserver(w, 0)
			r := rand.New(rand.NewPCG(1, 2))
			now := int64(0)
			for i := range uint64(2000) {
				now += r.Int64N(pause)
				delay := []time.Duration{100 * time.Millisecond, time.Second, time.Minute}[r.IntN(3)]
				o.Observe(Event{Kind: EventSet, Timer: 2 * i, Now: now, When: now + int64(delay)})
				asked = append(asked, delay)
			}
			o.endTick(now)
		}))
		var clock structures.Tick
		var idle int
		for _, op := range ops {
			switch op.Kind {
			case Schedule:
				got, want := time.Duration(op.At-clock)*testHeader.Tick, asked[0]
				asked = asked[1:]
				if got < want || got > want+min(want/100, 10*time.Millisecond)+testHeader.Tick {
					t.Fatalf("%s: a delay of %v is recorded as %v", name, want, got)
				}
			case Advance:
				clock = op.At
				if len(op.Fired) == 0 {
					idle++
				}
			}
		}
		if len(asked) > 0 || name == "busy" && idle > len(ops)/4 {
			t.Errorf("%s: %d delays are missing, on %d of %d operations nothing fires", name, len(asked), idle, len(ops))
		}
	}
}

// The operations of the runtime become the operations of the program, in cases by hand.
func TestOperationsOfTheRuntimeBecomeThoseOfTheProgram(t *testing.T) {
	const ms, epoch, inNS, a, b = 1_000_000, 5_000_000_000, 1 << 50, 0xc000, 0xd000
	for name, c := range map[string]struct {
		ops  []Event // times in ms after the start
		want string
		kept int
	}{
		"set, moved and stopped": {[]Event{
			{EventSet, a, 0, 160, false, Site{Place: "main.f"}}, {EventSet, a, 1, 320, true, Site{Place: "main.g"}}, {EventStop, a, 2, 0, true, Site{}},
		}, "[schedule 160 main.f][reschedule 320][cancel]", 0},
		"fires, stopped too late": {[]Event{
			{EventSet, a, 0, 20, false, Site{Place: "main.f"}}, {EventFire, a, 20, 0, true, Site{}}, {EventStop, a, 40, 0, false, Site{}},
		}, "[schedule 20 main.f][fired at 20][refused cancel]", 0},
		"a ticker keeps who set it": {[]Event{
			{EventSet, a, 0, 160, false, Site{Place: "main.f"}}, {EventSet, b, 1, 10, false, Site{Place: "main.g"}}, {EventFire, a, 160, 320, true, Site{}}, {EventStop, a, 170, 0, true, Site{}},
		}, "[schedule 160 main.f][schedule 10 main.g][fired at 10][fired at 160][schedule 320 main.f][cancel]", 1},
		// The runtime does not run a channel timer without a receiver. The timer stays pending.
		"reset long after its deadline": {[]Event{
			{EventSet, a, 0, 160, false, Site{Place: "main.f"}}, {EventSet, a, 320, 480, true, Site{Place: "main.g"}},
		}, "[schedule 160 main.f][fired at 160][refused reschedule][schedule 480 main.g][pending 1]", 1},
		"its address is another's after it was collected": {[]Event{
			{EventSet, a, 0, 160, false, Site{Place: "main.f"}}, {EventSet, a, 5, 1600, false, Site{Place: "main.g"}}, {EventStop, a, 6, 0, true, Site{}},
		}, "[schedule 160 main.f][schedule 1600 main.g][cancel][pending 1]", 0},
		"lost when it fired early": {[]Event{
			{EventSet, a, 0, 20, false, Site{Place: "main.f"}}, {EventStop, a, 10, 0, false, Site{}},
		}, "[schedule 20 main.f][refused cancel][pending 1]", 0},
		"lost when it was set": {[]Event{
			{EventStop, a, 1, 0, true, Site{}}, {EventFire, b, 2, 0, true, Site{}},
		}, "[lost 1]", 0},
		"lost when it was set, moved": {[]Event{
			{EventSet, a, 1, 160, true, Site{Place: "main.f"}}, {EventSet, a, 2, 170, true, Site{Place: "main.g"}}, {EventStop, a, 3, 0, true, Site{}},
		}, "[schedule 160 main.f][reschedule 170][cancel]", 0},
		"between two ticks": {[]Event{
			{EventSet, a, 0, inNS + 50*ms, false, Site{Place: "main.f"}}, {EventSet, b, 0, inNS + 50*ms + 1, false, Site{Place: "main.f"}},
			{EventSet, a, 0, inNS + 52*ms - 1, true, Site{Place: "main.f"}}, {EventSet, b, 0, inNS + 52*ms, true, Site{Place: "main.f"}}, {EventStop, a, 52, 0, true, Site{}},
		}, "[schedule 50 main.f][schedule 51 main.f][reschedule 52][reschedule 52][fired at 52][fired at 52][refused cancel]", 1},
		"a deadline in the past": {[]Event{
			{EventSet, a, 200, 100, false, Site{Place: "main.f"}},
		}, "[schedule 201 main.f][fired at 201]", 1},
	} {
		var o *Observer
		ops, reader := mustRead(t, record(t, testHeader, func(w *Writer) {
			o = NewObserver(w, epoch)
			last := int64(0)
			for _, op := range c.ops {
				last = op.Now
				op.Now = epoch + op.Now*ms
				if op.When >= inNS {
					op.When = epoch + op.When - inNS
				} else if op.When > 0 {
					op.When = epoch + op.When*ms
				}
				o.Observe(op)
			}
			o.endTick(epoch + last*ms)
		}))
		got := ""
		for _, op := range ops {
			switch op.Kind {
			case Schedule:
				got += fmt.Sprintf("[schedule %d %s]", op.At, reader.Sites()[op.Site].Place)
			case Reschedule:
				got += fmt.Sprintf("[reschedule %d]", op.At)
			case Advance:
				for range op.Fired {
					got += fmt.Sprintf("[fired at %d]", op.At)
				}
			default:
				got += fmt.Sprintf("[%v]", op.Kind)
			}
		}
		if n := reader.Pending(); n > 0 {
			got += fmt.Sprintf("[pending %d]", n)
		}
		if totals := reader.Totals(); totals.Lost > 0 && totals.LostBy == [eventKinds]uint64{EventStop: totals.Lost} {
			got += fmt.Sprintf("[lost %d]", totals.Lost)
		}
		fail.UnlessSame(t, name+", timers kept in mind", len(o.timers), c.kept)
		fail.UnlessSame(t, name, got, c.want)
	}
}

// watched is a timer of package time whose events go to an Observer.
type watched struct {
	*time.Timer
	event func(kind EventKind, delay time.Duration, pending bool)
}

func (w watched) stop() bool {
	active := w.Stop()
	w.event(EventStop, 0, active)
	return active
}

func (w watched) reset(d time.Duration) bool {
	active := w.Reset(d)
	w.event(EventSet, d, active)
	return active
}

// The trace of a random program holds each answer that the program got, and each timer that fired at
// the first tick at or after its deadline. No two events happen at the same time.
func TestAnObserverRecordsWhatTimersDo(t *testing.T) {
	for seed := range uint64(10) {
		synctest.Test(t, func(t *testing.T) {
			const step = 10 * time.Microsecond
			var out bytes.Buffer
			w, err := NewWriter(&out, testHeader)
			fail.If(t, err)
			start, o := time.Now(), NewObserver(w, 0)
			want, fired := make(map[string]uint64), make(map[structures.Tick]int)
			r := rand.New(rand.NewPCG(seed, 0))
			serial := time.Duration(0)
			delay := func() time.Duration {
				serial++
				return time.Duration(1+r.IntN(8)*r.IntN(5000))*step - time.Since(start)%step + serial
			}
			var mu sync.Mutex
			var timers []watched
			for range 500 {
				mu.Lock()
				i := r.IntN(max(1, len(timers)))
				switch kind := r.IntN(5); {
				case kind < 2 || len(timers) < 5:
					i, again, first := len(timers), r.IntN(4), delay()
					event := func(kind EventKind, delay time.Duration, pending bool) {
						e := Event{Kind: kind, Timer: uint64(i + 1), Now: int64(time.Since(start)), Pending: pending}
						if kind == EventSet {
							e.When = e.Now + int64(delay)
						}
						o.Observe(e)
					}
					timers = append(timers, watched{time.AfterFunc(first, func() {
						mu.Lock()
						defer mu.Unlock()
						event(EventFire, 0, true)
						fired[structures.Tick((time.Since(start)+time.Millisecond-1)/time.Millisecond)]++
						if again--; again > 0 {
							want[fmt.Sprint("reset ", timers[i].reset(delay()))]++
						}
					}), event})
					event(EventSet, first, false)
					want["set"]++
				case kind == 2:
					want[fmt.Sprint("stop ", timers[i].stop())]++
				default:
					want[fmt.Sprint("reset ", timers[i].reset(delay()))]++
				}
				mu.Unlock()
				time.Sleep(time.Duration(1+r.IntN(3000)) * step)
			}
			time.Sleep(10 * time.Minute)
			fail.If(t, o.Close(int64(time.Since(start))))
			ops, reader := mustRead(t, out.Bytes())
			got := reader.Totals().Ops
			if got[Schedule] != want["set"]+want["reset false"] || got[Reschedule] != want["reset true"] || got[Cancel] != want["stop true"] ||
				got[RefusedCancel] != want["stop false"] || got[RefusedReschedule] != 0 || min(got[Cancel], got[RefusedCancel], want["reset false"]) == 0 {
				t.Errorf("seed %d: %v are recorded, want %v", seed, got, want)
			}
			recorded := make(map[structures.Tick]int)
			for _, op := range ops {
				if len(op.Fired) > 0 {
					recorded[op.At] += len(op.Fired)
				}
			}
			if !maps.Equal(recorded, fired) || len(o.timers) > 0 {
				t.Errorf("seed %d: recorded as fired, by tick: %v, want %v; %d are pending", seed, recorded, fired, len(o.timers))
			}
		})
	}
}

// Times at the ends of the clock of the events do not wrap around: a far deadline stays far.
func TestFarTimesStayFar(t *testing.T) {
	const far, ms = math.MaxInt64, 1_000_000
	for _, c := range []struct {
		epoch, now, when, end int64
		fires                 bool
	}{
		{0, 0, far, 1000 * ms, false}, {-5 * ms, 0, far, 1000 * ms, false}, {-far, -far, far, ms, false}, {-far - 1, 0, far, far, false},
		{0, far - 9*ms, far - 5*ms, far, true}, {-far, -far, -far + 5*ms, far, true}, {0, far - 5*ms, 1, far, true},
	} {
		_, r := mustRead(t, record(t, testHeader, func(w *Writer) {
			o := NewObserver(w, c.epoch)
			o.Observe(Event{Kind: EventSet, Timer: 1, Now: c.now, When: c.when})
			_ = o.Close(c.end) // record asks for the error
		}))
		if (r.Totals().Fired == 1) != c.fires {
			t.Errorf("%+v: %+v", c, r.Totals())
		}
	}
}
