package trace

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// A recorded delay is too long by at most a hundredth, 10 ms and a tick, whether the program is busy or
// idle.
func TestRecordedDelaysAreHardlyTooLong(t *testing.T) {
	for name, pause := range map[string]int64{"busy": 300_000, "idle": 400_000_000} {
		var out bytes.Buffer
		w, err := NewWriter(&out, testHeader)
		if err != nil {
			t.Fatal(err)
		}
		o := NewObserver(w, 0)
		r := rand.New(rand.NewPCG(1, 2))
		now := int64(0)
		var asked []time.Duration
		for i := range uint64(2000) {
			now += r.Int64N(pause)
			delay := []time.Duration{100 * time.Millisecond, time.Second, time.Minute}[r.IntN(3)]
			o.Observe(Event{Kind: EventSet, Timer: 2 * i, Now: now, When: now + int64(delay)})
			asked = append(asked, delay)
		}
		if err := o.Close(now); err != nil {
			t.Fatal(err)
		}
		ops, _, err := read(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
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
	const ms, epoch, a, b = 1_000_000, 5_000_000_000, 0xc000, 0xd000
	for name, c := range map[string]struct {
		ops  []Event // times in ms after the start
		want string
		kept int
	}{
		"set, moved and stopped": {[]Event{
			{EventSet, a, 0, 160, false, "main.f"}, {EventSet, a, 1, 320, true, "main.g"}, {EventStop, a, 2, 0, true, ""},
		}, "[schedule 160 main.f][reschedule 320][cancel]", 0},
		"fires, stopped too late": {[]Event{
			{EventSet, a, 0, 20, false, "main.f"}, {EventFire, a, 20, 0, true, ""}, {EventStop, a, 40, 0, false, ""},
		}, "[schedule 20 main.f][fired at 20][refused cancel]", 0},
		"a ticker keeps who set it": {[]Event{
			{EventSet, a, 0, 160, false, "main.f"}, {EventSet, b, 1, 10, false, "main.g"}, {EventFire, a, 160, 320, true, ""}, {EventStop, a, 170, 0, true, ""},
		}, "[schedule 160 main.f][schedule 10 main.g][fired at 10][fired at 160][schedule 320 main.f][cancel]", 1},
		// The runtime does not run a channel timer without a receiver. The timer stays pending.
		"reset long after its deadline": {[]Event{
			{EventSet, a, 0, 160, false, "main.f"}, {EventSet, a, 320, 480, true, "main.g"},
		}, "[schedule 160 main.f][fired at 160][refused reschedule][schedule 480 main.g][pending 1]", 1},
		"its address is another's after it was collected": {[]Event{
			{EventSet, a, 0, 160, false, "main.f"}, {EventSet, a, 5, 1600, false, "main.g"}, {EventStop, a, 6, 0, true, ""},
		}, "[schedule 160 main.f][schedule 1600 main.g][cancel][pending 1]", 0},
		"lost when it was set": {[]Event{
			{EventStop, a, 1, 0, true, ""}, {EventFire, b, 2, 0, true, ""},
		}, "[refused cancel]", 0},
		"a deadline in the past": {[]Event{
			{EventSet, a, 200, 100, false, "main.f"},
		}, "[schedule 201 main.f][fired at 201]", 1},
	} {
		h := testHeader
		h.Sites = true
		var out bytes.Buffer
		w, err := NewWriter(&out, h)
		if err != nil {
			t.Fatal(err)
		}
		r := NewObserver(w, epoch)
		last := int64(0)
		for _, op := range c.ops {
			last = op.Now
			op.Now = epoch + op.Now*ms
			if op.When > 0 {
				op.When = epoch + op.When*ms
			}
			r.Observe(op)
		}
		if err := r.Close(epoch + last*ms); err != nil {
			t.Fatal(err)
		}
		ops, reader, err := read(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, op := range ops {
			switch op.Kind {
			case Schedule:
				got += fmt.Sprintf("[schedule %d %s]", op.At, reader.Sites()[op.Site])
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
		if n := len(r.pending); n != c.kept {
			t.Errorf("%s: %d timers are kept in mind, want %d", name, n, c.kept)
		}
		if got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}
