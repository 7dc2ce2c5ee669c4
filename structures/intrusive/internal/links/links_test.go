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

func TestFirstFindsTheNextMarkedSlot(t *testing.T) {
	var o Occupied
	for _, c := range []struct {
		level  uint
		slot   uint8
		cursor structures.Tick
		ok     bool
	}{
		{0, 1, 0, true}, {0, 255, 0, true}, {0, 255, 254, true}, {0, 255, 255, false}, {0, 64, 63, true},
		{0, 64, 64, false}, {1, 255, 254 << 8, true}, {1, 7, 7 << 8, false}, {7, 127, math.MaxInt64 - 1<<56, true},
	} {
		o.Mark(c.level, c.slot)
		level, slot, ok := o.First(c.cursor, Levels)
		if ok != c.ok || ok && (level != c.level || slot != c.slot) || !o.Marked(c.level, c.slot) {
			t.Errorf("First(%d) = %d, %d, %t, want %d, %d, %t", c.cursor, level, slot, ok, c.level, c.slot, c.ok)
		}
		if _, _, ok := o.First(c.cursor, c.level); ok {
			t.Errorf("First(%d) finds a slot above the levels that it may look at", c.cursor)
		}
		o.Unmark(c.level, c.slot)
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
