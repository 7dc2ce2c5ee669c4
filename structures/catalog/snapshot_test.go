package catalog

import (
	"testing"

	"github.com/timerbench/timerbench/structures/shape"
)

// The conformance suite checks each snapshot after random operations. It cannot know how many structures
// offer a snapshot with parts, so this test counts them. A new structure need not offer one.
func TestStructuresShowTheirShape(t *testing.T) {
	const known = 21
	shown := 0
	for _, e := range All() {
		s := e.New()
		drawn, ok := s.(shape.Shown)
		if !ok || len(drawn.Snapshot().Parts) == 0 {
			continue
		}
		shown++
		s.Schedule(10, 1)
		cells := 0
		for _, p := range drawn.Snapshot().Parts {
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
