package workload

import (
	"testing"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// In each period all timers come due within the spread, half of them have been cancelled
// in a row and replaced before, and the clock comes by every tick.
func TestAnAvalancheComesDueTogether(t *testing.T) {
	t.Parallel()
	const n = 400
	for name, want := range map[string]struct{ period, spread structures.Tick }{
		"avalanche-tick":        {1<<20 + 1<<16, 1},
		"avalanche-slot":        {1 << 16, 1 << 8},
		"avalanche-period-256":  {1 << 8, 1 << 8},
		"avalanche-period-4096": {1 << 12, 1 << 12},
	} {
		w, ok := Find(name)
		if !ok {
			t.Fatalf("no workload %q", name)
		}
		s := w.Script(n, 1)
		for _, op := range s.Fill().Ops {
			if op.At < want.period || op.At >= want.period+want.spread {
				t.Fatalf("%s: a first deadline is %d, want one from %d to %d", name, op.At, want.period, want.period+want.spread-1)
			}
		}
		b, now := s.Next(int(2*want.period)+5*n, nil), structures.Tick(0)
		ops := b.Ops
		for i, batch := range b.Batches {
			for _, op := range ops[:batch.Len] {
				if batch.Kind == script.KindFire || batch.Kind == script.KindWake {
					if now++; op.At != now {
						t.Fatalf("%s: the clock moves from tick %d to %d", name, now-1, op.At)
					}
				}
				if batch.Kind == script.KindSchedule && op.At%want.period >= want.spread {
					t.Fatalf("%s: a deadline is %d", name, op.At)
				}
			}
			if batch.Kind == script.KindCancel {
				if batch.Len != n/2 || now%want.period != want.period/2 || b.Batches[i+1] != (script.Batch{Kind: script.KindSchedule, Len: n / 2}) {
					t.Fatalf("%s: %d timers are cancelled at tick %d, and then %+v", name, batch.Len, now, b.Batches[i+1])
				}
			}
			ops = ops[batch.Len:]
		}
		fires := make(map[structures.Tick]int) // by period
		for _, f := range b.Fires {
			fires[f.At/want.period]++
		}
		if now < 2*want.period || fires[1] != n {
			t.Errorf("%s: %d timers fire in the first period of %d, want %d", name, fires[1], now, n)
		}
		if cancels := b.Count(script.KindCancel); cancels < n || cancels%(n/2) != 0 {
			t.Errorf("%s: %d cancels in %d ticks", name, cancels, now)
		}
	}
}
