package runs

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Walk adds the runs that have an entry.
func (q *Runs) Walk(w *records.Walk) error {
	q.saveEnd()
	due, end, pages, before := Never, Never, 0, w.Count
	for i := range q.used {
		run := &q.runs[i]
		last := run.end
		for p := run.first; p != nil; p = p.next {
			if pages++; p.from < p.n {
				due, last = min(due, p.entries[p.from].Deadline), p.entries[p.n-1].Deadline
			}
			if p.from < p.n && run.first != q.front && p.entries[p.from].Deadline < q.other {
				return fmt.Errorf("run %d has an entry at %d, want none before %d", i, p.entries[p.from].Deadline, q.other)
			}
		}
		if run.end > end || run.end < last {
			return fmt.Errorf("run %d ends at %d, want at most %d and at least %d", i, run.end, end, last)
		}
		end = run.end
		if run.first != nil && run.first.from < run.first.n {
			w.Begin(shape.Part{Name: fmt.Sprintf("run %d", i+1), Kind: shape.List})
			w.Sorted = true
			w.Each(func(yield func(uint32, structures.Tick) bool) {
				for p := run.first; p != nil; p = p.next {
					for _, e := range p.entries[p.from:p.n] {
						index := e.Index
						if !e.current(w.Set.At(index)) {
							index = snapshot.Stale
						}
						if !yield(index, e.Deadline) {
							return
						}
					}
				}
			})
		}
	}
	inRuns := 0
	for index := range w.Set.Fresh {
		if r := w.Set.At(index); r.Pending() && r.Where == records.InRun {
			inRuns++
		}
	}
	if due != q.Due || q.open && q.From != end || !q.open && q.From != Never || pages != q.pages || w.Count-before != inRuns {
		return fmt.Errorf("the first entry is at %d, want %d; new ones from %d on, want %d; %d pages, want %d; %d timers, want %d",
			q.Due, due, q.From, end, q.pages, pages, w.Count-before, inRuns)
	}
	_ = w.DueBefore(due) // the order of the entries is checked
	if q.Live == 0 {
		return nil
	}
	return w.Held(q.Live)
}
