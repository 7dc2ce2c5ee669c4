package ladder

import (
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// busy moves timers among n that fire seldom, or fires and replaces them.
func busy(t *testing.T, q *Queue, rs *records.Set, n, calls int, fire bool) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	later := func() structures.Tick { return rs.Clock + 1 + structures.Tick(rng.IntN(60_000)) }
	for q.Len() < n {
		q.Schedule(rs, later())
	}
	for range calls {
		if rs.Clock += 10; fire {
			rs.Clock = max(rs.Clock, q.Next(rs))
		} else if id := uint32(rng.IntN(n)); rs.At(id).Pending() && q.Pile {
			q.MoveInPile(rs, id, rs.At(id), rs.Clock+60_000)
		}
		for _, r := q.pop(rs); r != nil; _, r = q.pop(rs) {
			q.Schedule(rs, later())
		}
	}
	if err := check(q, rs); err != nil {
		t.Fatal(err)
	}
}

func (q *Queue) pop(rs *records.Set) (structures.ID, *records.Record) {
	if q.Quiet() > rs.Clock {
		return 0, nil
	} else if q.Pile {
		return q.PopPile(rs)
	}
	return q.Pop(rs)
}

// A pile stays while its scans cost little: with few timers, or with few that fire. Otherwise its timers go to lists, and a few of
// them are a pile again.
func TestThePileStaysWhileScansCostLittle(t *testing.T) {
	for _, c := range []struct {
		n          int
		fire, pile bool
	}{{10, true, true}, {freeLen, true, true}, {200, false, true}, {200, true, false}, {mostPiled, false, true}, {mostPiled + 1, false, false}} {
		q, rs := New(MaxFew), newSet()
		if busy(t, &q, rs, c.n, 20_000, c.fire); q.Pile != c.pile {
			t.Errorf("%d timers, fire: %t: a pile: %t, want %t", c.n, c.fire, q.Pile, c.pile)
		}
		if got := q.Work().Comparisons; c.n > freeLen && got > mostCredit+uint64(perCall*q.came)+mostPiled*mostPiled {
			t.Errorf("%d timers, fire: %t: %d comparisons in scans", c.n, c.fire, got)
		}
		q.Spread(rs)
		if q.Gather(rs); !q.Pile || q.Len() != c.n {
			t.Errorf("%d of %d timers are a pile: %t", q.Len(), c.n, q.Pile)
		}
		busy(t, &q, rs, c.n, 100, c.fire)
	}
}

// Check finds a timer of a pile that is lost, at another place or due at another tick, and a wrong first one.
func TestCheckFindsHarmInThePile(t *testing.T) {
	for name, harm := range map[string]func(q *Queue, rs *records.Set){
		"another place":    func(_ *Queue, rs *records.Set) { rs.At(3).Where = rs.At(4).Where },
		"another deadline": func(_ *Queue, rs *records.Set) { rs.At(3).Deadline++ },
		"an earlier entry": func(q *Queue, _ *records.Set) { q.front.entries[0].deadline = 1 },
		"a lost timer":     func(q *Queue, _ *records.Set) { q.front.entries = q.front.entries[:9] },
		"a wrong first":    func(q *Queue, _ *records.Set) { q.first-- },
		"due too late":     func(q *Queue, _ *records.Set) { q.due++ },
	} {
		q, rs := New(MaxFew), newSet()
		for i := range 10 {
			q.Schedule(rs, structures.Tick(100-i))
		}
		if err := check(&q, rs); err != nil {
			t.Fatal(err)
		}
		if harm(&q, rs); check(&q, rs) == nil {
			t.Errorf("%s: Check finds nothing", name)
		}
	}
}
