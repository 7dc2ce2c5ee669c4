package catalog

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// The conformance suite looks at each snapshot after random operations. Here is what it
// cannot know: that every structure of the catalog has one.
func TestEveryEntryShowsItsShape(t *testing.T) {
	for _, e := range All() {
		shown, ok := e.New().(interface{ Snapshot() structures.Snapshot })
		if !ok {
			t.Errorf("%s has no method Snapshot", e.Name)
			continue
		}
		s := shown.(structures.Scheduler[uint64])
		s.Schedule(10, 1)
		cells := 0
		for _, p := range shown.Snapshot().Parts {
			cells += len(p.Cells)
		}
		if cells != 1 {
			t.Errorf("%s: %d cells with one timer pending", e.Name, cells)
		}
	}
}
