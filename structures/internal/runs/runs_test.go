package runs

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// sound returns two runs with several pages, of which two in three entries are dead, and their records.
func sound(t *testing.T) (*Runs, *records.Set) {
	t.Helper()
	rs, q := records.Of[int](), New()
	for run := range 2 {
		q.setOpen(true)
		for i := range 3 * pageLen {
			add(t, &q, &rs, structures.Tick(10_000-1000*run+i))
		}
	}
	for index := range rs.Fresh {
		r := rs.At(index)
		if index%3 == 1 {
			continue
		}
		r.End()
		r.Where = records.Nowhere
		q.Leave(&rs)
		rs.Release(index, r)
	}
	if err := rs.Check(&q); err != nil {
		t.Fatal(err)
	}
	return &q, &rs
}

func add(t *testing.T, q *Runs, rs *records.Set, deadline structures.Tick) {
	t.Helper()
	index := rs.Take()
	r := rs.At(index)
	r.Where = records.Nowhere
	if r.Start(deadline); deadline < q.From || !q.Add(index, r) && !q.AddSlowly(rs, index, r, q.Live) {
		t.Fatalf("no run takes deadline %d", deadline)
	}
	q.Live++
}

// Sweeping removes all dead entries, keeps the others in order, and frees the pages, while timers come and fire.
func TestSweep(t *testing.T) {
	q, rs := sound(t)
	take := func() {
		if e, r := q.First(rs); r != nil {
			r.End()
			rs.Release(e.Index, r)
			q.Live--
		}
		q.Take(rs)
	}
	for q.before != q.front {
		q.sweep(rs, 1)
	}
	for before := q.front; q.front == before; { // the page before the next one to sweep leaves the run
		take()
	}
	pages := q.pages
	for range 2 * pages {
		q.sweep(rs, 1)
		for range 10 {
			add(t, q, rs, q.From)
			take()
		}
		if err := rs.Check(q); err != nil {
			t.Fatal(err)
		}
	}
	live := q.Live
	if most := live/pageLen + 2; q.pages > most || q.Dropped == 0 {
		t.Errorf("%d pages after sweeping, %d before, want at most %d", q.pages, pages, most)
	}
	last := structures.Tick(0)
	for ; q.Due != Never; live-- {
		e, r := q.First(rs)
		if r == nil || e.Deadline < last {
			t.Fatalf("entry %+v is dead, or due before %d", e, last)
		}
		last = e.Deadline
		q.Take(rs)
	}
	if live != 0 || q.Due != Never {
		t.Errorf("%d timers are lost, and the next entry is at %d", live, q.Due)
	}
}

// Runs close if most timers do not fit or are moved, and open again for timers in order.
func TestRunsClose(t *testing.T) {
	rs, q := records.Of[int](), New()
	for round := range 4 {
		for i := range openAfter + 1 {
			if q.From != Never && i < openAfter {
				t.Fatalf("a run opened after %d timers in order, want %d", i, openAfter)
			}
			q.Miss(structures.Tick(i))
		}
		if q.From == Never {
			t.Fatalf("no run is open after %d timers in order", openAfter)
		}
		for i := 0; q.From != Never; i++ {
			if i > 2*pageLen {
				t.Fatal("the runs stay open")
			}
			if round%2 == 0 {
				q.Miss(structures.Tick(-i))
			} else if q.front != nil {
				q.Moved(&rs)
			}
			if index := rs.Take(); !q.Add(index, rs.At(index)) {
				q.AddSlowly(&rs, index, rs.At(index), 0)
			}
		}
	}
}

// Drop counts each dead entry that it removes, up to 16 at a time within a block of prefetched ones, and no other.
func TestDropCountsDeadEntries(t *testing.T) {
	for live := range uint32(40) {
		rs, q := records.Of[int](), New()
		q.setOpen(true)
		for i := range 60 {
			add(t, &q, &rs, structures.Tick(100+i))
		}
		for index := range live {
			r := rs.At(index)
			r.End()
			r.Where = records.Nowhere
			q.Live--
		}
		for first, last := uint32(0), uint32(0); first < live; first = last {
			last = min(live, first/aheadLen*aheadLen+aheadLen)
			if _, r := q.First(&rs); r != nil || q.Due != structures.Tick(100+first) {
				t.Fatalf("%d dead: entry %d is due at %d, and its timer is %v", live, first, q.Due, r)
			}
			if q.Drop(&rs); q.Dropped != uint64(last) {
				t.Fatalf("%d dead: after Drop of entry %d %d were dropped, want %d", live, first, q.Dropped, last)
			}
		}
		if e, r := q.First(&rs); r == nil || e.Index != live || q.Dropped != uint64(live) {
			t.Errorf("%d dead: %d dropped, the first entry is that of %d", live, q.Dropped, e.Index)
		}
	}
}
