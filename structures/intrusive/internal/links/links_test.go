package links

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// Each tick after the cursor has one place, whose span holds it and lies after the cursor.
func TestPlacesCoverAllTicks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		cursor := structures.Tick(rng.Int64() >> rng.IntN(63))
		deadline := cursor + structures.Tick(rng.Int64()>>rng.IntN(63))
		if deadline <= cursor { // it overflowed, or is the same
			deadline = math.MaxInt64
		}
		level, slot := Place(deadline, cursor)
		start := Start(cursor, level, slot)
		if end := End(start, level); start <= cursor || deadline < start || deadline > end || end-start != 1<<(Digit*level)-1 {
			t.Fatalf("at %d deadline %d is on level %d in slot %d, from %d to %d", cursor, deadline, level, slot, start, end)
		}
	}
}

func TestAfterFindsTheNextMarkedSlot(t *testing.T) {
	var m Marks
	for _, c := range []struct {
		slot, after uint8
		ok          bool
	}{{1, 0, true}, {255, 0, true}, {255, 254, true}, {255, 255, false}, {64, 63, true}, {64, 64, false}, {7, 8, false}, {127, 3, true}} {
		m.Mark(c.slot)
		slot, ok := m.After(c.after)
		if ok != c.ok || ok && slot != c.slot || !m.Marked(c.slot) {
			t.Errorf("After(%d) = %d, %t, want %d, %t", c.after, slot, ok, c.slot, c.ok)
		}
		m.Unmark(c.slot)
		if _, ok := m.After(c.after); ok || m.Marked(c.slot) {
			t.Errorf("slot %d is marked after Unmark", c.slot)
		}
	}
}

func TestKeysOwnOnlyWhatTheySealed(t *testing.T) {
	ours, theirs := NewKey(), NewKey()
	nodes := make([]Node, 100)
	for i := range nodes {
		n := &nodes[i]
		if ours.Owns(n) || n.Pending() {
			t.Fatal("a zero node is owned or pending")
		}
		ours.Seal(n)
		copied := new(Node)
		*copied = *n
		if !ours.Owns(n) || theirs.Owns(n) || ours.Owns(copied) || theirs.Owns(copied) || !copied.Pending() {
			t.Fatal("a node is owned by another key, or its copy is owned")
		}
	}
}
