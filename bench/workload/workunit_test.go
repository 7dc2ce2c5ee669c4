package workload

import (
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// unitCounts are operations on the timers of pairs, by kind.
type unitCounts struct {
	fired       [unitTimers]int
	cancelled   int
	rescheduled int
}

// operationsUntil returns the operations of a pair up to a tick before its end. It follows
// the arithmetic in the doc of WorkUnit.
func operationsUntil(m *WorkUnit, interval, elapsed structures.Tick) (c unitCounts) {
	const tick = 20 * time.Microsecond
	messages, paceTicks := structures.Tick(m.Messages), m.Pace.ticks(tick)
	apart := (messages-1)*paceTicks + interval // between the beginnings of two requests
	for begun := structures.Tick(0); begun <= elapsed; begun += apart {
		c.fired[unitRequest]++
		if begun >= m.Close.ticks(tick) {
			break
		}
		c.fired[unitPace] += int(min(messages, (elapsed-begun)/paceTicks))
		sent := int(min(messages, 1+(elapsed-begun)/paceTicks))
		c.rescheduled += 2 * sent // idle timers
		c.rescheduled++           // the deadline, to an earlier time
		if sent == int(messages) {
			c.cancelled++ // the deadline
		}
	}
	if elapsed >= m.Close.ticks(tick) {
		c.fired[unitCloseClient]++
		c.fired[unitCloseServer]++
	}
	return c
}

// operationsOfLife returns the figures in the doc of WorkUnit for the published parameters.
func operationsOfLife() unitCounts {
	c := unitCounts{cancelled: 176 + 2, rescheduled: 176 + 45056}
	c.fired[unitPace] = 22528
	c.fired[unitRequest] = 177
	c.fired[unitCloseClient], c.fired[unitCloseServer] = 2, 2
	return c
}

func (c *unitCounts) add(d unitCounts) {
	for t := range c.fired {
		c.fired[t] += d.fired[t]
	}
	c.cancelled += d.cancelled
	c.rescheduled += d.rescheduled
}

// The run of the original benchmark takes 300 s of virtual time. Every pair ends once and
// is replaced by another one, which has not ended yet.
func TestWorkUnitAgreesWithItsArithmetic(t *testing.T) {
	t.Parallel()
	const pairs, end = 10, structures.Tick(300 * 50_000)
	w, _ := Find("workunit")
	m := w.Model.(*WorkUnit)
	s := w.Script(5*pairs, 1)
	p := s.Process().(*workUnits)
	s.Fill()
	if len(p.pairs) != pairs {
		t.Fatalf("%d pairs, want %d", len(p.pairs), pairs)
	}

	// The kinds of what fires, by the keys of the script.
	var got unitCounts
	kinds := map[uint64]int{}
	note := func() {
		for i, a := range p.timers {
			kinds[a.valuePlus1-1] = i % unitTimers
		}
	}
	note()
	var b *script.Block
	for {
		if at, _ := s.NextDeadline(); at > end {
			break
		}
		b = s.Next(1, b)
		for _, f := range b.Fires {
			if f.At > end {
				t.Fatalf("a timer fires at tick %d, after the end", f.At)
			}
			kind, ok := kinds[f.Value]
			if !ok {
				t.Fatalf("timer %d fires, which no pair has", f.Value)
			}
			delete(kinds, f.Value)
			got.fired[kind]++
		}
		got.cancelled += b.Count(script.KindCancel)
		got.rescheduled += b.Count(script.KindReschedule)
		note()
	}

	var want unitCounts
	for _, pair := range p.pairs {
		if pair.began < 190*50_000 || pair.began > 192*50_000 {
			t.Fatalf("the second life of a pair began at tick %d", pair.began)
		}
		want.add(operationsOfLife())
		want.add(operationsUntil(m, pair.interval, end-pair.began))
	}
	if got != want {
		t.Errorf("in 300 s: %+v, want %+v", got, want)
	}
}
