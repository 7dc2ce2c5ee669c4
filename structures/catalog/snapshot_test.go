package catalog

import (
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/structures"
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

// In a flat wheel and in a calendar, a slot also holds timers of later revolutions. In all other structures,
// the span of a slot is the span of its deadlines.
func TestSlotsHoldWhatTheirSpanSays(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, name := range []string{"hwheel", "hwheel-list", "hwheel-linux", "radixheap"} {
		e, _ := Find(name)
		s := e.New()
		drawn := s.(shape.Shown)
		now := structures.Tick(0)
		var ids []structures.ID
		seen := 0
		for range 3000 {
			switch rng.IntN(4) {
			case 0:
				now += structures.Tick(rng.IntN(1 << rng.IntN(18)))
				for range structures.Due(s, now) {
				}
			case 1:
				if len(ids) > 0 {
					s.Reschedule(ids[rng.IntN(len(ids))], now+structures.Tick(rng.Int64N(1<<rng.IntN(40)+1)))
				}
			default:
				ids = append(ids, s.Schedule(now+structures.Tick(rng.Int64N(1<<rng.IntN(40)+1)), 0))
			}
			for _, p := range drawn.Snapshot().Parts {
				for _, c := range p.Cells {
					for _, entry := range c.Entries {
						if p.Kind == shape.Slots && (entry.Filed < c.From || entry.Filed > c.To) {
							t.Fatalf("%s, %s: an entry filed under %d is in slot %d, which spans %d to %d", name, p.Name, entry.Filed, c.Index, c.From, c.To)
						}
						seen++
					}
				}
			}
		}
		if seen == 0 {
			t.Errorf("%s: no entry was looked at", name)
		}
	}
}
