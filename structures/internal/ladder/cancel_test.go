package ladder

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// cancel cancels a timer as the packages ladder and auto do.
func cancel(q *Queue, rs *records.Set, index uint32) {
	r := rs.At(index)
	if q.LeavesNow(r) {
		q.CancelNow(rs, index, r)
		return
	}
	q.Count(-1)
	r.End()
	rs.Release(index, r)
}

// A cancelled record leaves its list while the clock would reach it there, and stays there if there are many timers.
func TestCancelledRecordsLeaveListsWhileTheClockMoves(t *testing.T) {
	for _, resident := range []int{100, eagerLen + 1000} {
		q, rs := New(MaxFew), newSet()
		q.Spread(rs)
		for i := range resident {
			q.Schedule(rs, structures.Tick(2_000_000+i))
		}
		var ids [64]structures.ID
		for i := range 20_000 {
			rs.Clock += 50
			for _, fired := q.Pop(rs); fired != nil; _, fired = q.Pop(rs) {
			}
			id, _ := q.Schedule(rs, rs.Clock+3_000+structures.Tick(i*7919%4_000))
			old := ids[i%len(ids)]
			if ids[i%len(ids)] = id; i >= len(ids) && i%10 != 0 && rs.At(uint32(old)).Is(old) {
				cancel(&q, rs, uint32(old))
			}
		}
		if err := rs.Check(&q); err != nil {
			t.Fatal(err)
		}
		if want := resident < eagerLen; q.eager != want {
			t.Errorf("%d timers: cancelled records leave their lists: %t, want %t", q.Len(), q.eager, want)
		}
	}
}
