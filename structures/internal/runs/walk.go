package runs

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Walk adds the runs that have an entry.
func (q *Runs) Walk(w *records.Walk) {
	due, end, pages := Never, Never, 0
	for i := range q.used {
		run := q.runs[i]
		if q.From != Never && i == q.used-1 {
			run.end = q.From // see saveEnd
		}
		last := run.end
		for p := run.first; p != nil; p = p.next {
			if pages++; p.from < p.n {
				first := p.entries[p.from].Deadline
				due, last = min(due, first), p.entries[p.n-1].Deadline
				rules.Must(run.first == q.front || first >= q.other,
					"run %d has an entry at %d, want none before %d", i, first, q.other)
			}
		}
		rules.Must(run.end <= end && run.end >= last, "run %d ends at %d, want at most %d and at least %d", i, run.end, end, last)
		end = run.end
		if run.first != nil && run.first.from < run.first.n {
			w.Begin(shape.Part{Name: fmt.Sprintf("run %d", i+1), Kind: shape.List})
			w.Sorted = true
			w.Each(func(yield func(uint32, structures.Tick) bool) {
				for p := run.first; p != nil; p = p.next {
					for _, e := range p.entries[p.from:p.n] {
						index := e.Index
						if !e.current(w.At(index)) {
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
	rules.Must(due == q.Due && pages == q.pages, "the first entry is at %d, want %d; %d pages, want %d", q.Due, due, q.pages, pages)
	w.DueBefore(due, "runs")
	if q.Live != 0 {
		w.Held(q.Live)
	}
}
