package catalog

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// The conformance suite looks at each snapshot after random operations. Here is what it
// cannot know: how many structures offer one that shows anything. A new one need not.
func TestStructuresShowTheirShape(t *testing.T) {
	const known = 19
	shown := 0
	for _, e := range All() {
		s := e.New()
		shape, ok := s.(interface{ Snapshot() structures.Snapshot })
		if !ok || len(shape.Snapshot().Parts) == 0 {
			continue
		}
		shown++
		s.Schedule(10, 1)
		cells := 0
		for _, p := range shape.Snapshot().Parts {
			cells += len(p.Cells)
		}
		if cells != 1 {
			t.Errorf("%s: %d cells with one timer pending", e.Name, cells)
		}
	}
	if shown < known {
		t.Errorf("%d structures show their shape, %d did before", shown, known)
	}
}
