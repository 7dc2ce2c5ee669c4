package fifo

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// lengthOf returns the length of l, after a check of its links.
func lengthOf(t *testing.T, ls *Lists, l List) int {
	t.Helper()
	b := newBuilder()
	if _, err := ls.Walk(b, shape.Cell{}, l); err != nil {
		t.Fatal(err)
	}
	return b.Count
}

func newBuilder() *snapshot.Builder {
	return &snapshot.Builder{
		Parts: []shape.Part{{Kind: shape.List}},
		Entry: func(uint32, structures.Tick) shape.Entry { return shape.Entry{} },
	}
}

// contents returns the slots of l, after a check of its links.
func contents(t *testing.T, ls *Lists, l List) []uint32 {
	t.Helper()
	length := lengthOf(t, ls, l)
	var slots []uint32
	for slot, deadline := range ls.All(l) {
		if deadline != ls.Deadline(slot) || deadline != structures.Tick(slot)*10 {
			t.Fatalf("slot %d has the deadline %d", slot, deadline)
		}
		slots = append(slots, slot)
	}
	if len(slots) != length || l.Empty() != (length == 0) {
		t.Fatalf("%d slots in a list of length %d, empty is %t", len(slots), length, l.Empty())
	}
	return slots
}

func TestRandomOperationsAgreeWithSlices(t *testing.T) {
	const slots, lists = 40, 4
	rng := rand.New(rand.NewPCG(1, 2))
	ls := New(0)
	var got [lists]List
	var want [lists][]uint32
	in := make([]int, slots+1) // list of each slot
	for slot := uint32(1); slot <= slots; slot++ {
		ls.SetDeadline(slot, structures.Tick(slot)*10)
		in[slot] = -1
	}
	for range 20000 {
		slot, i, j := 1+rng.Uint32N(slots), rng.IntN(lists), rng.IntN(lists)
		switch op := rng.IntN(10); {
		case op < 5 && in[slot] < 0:
			ls.PushBack(&got[i], slot)
			want[i] = append(want[i], slot)
			in[slot] = i
		case op < 8 && in[slot] >= 0:
			i = in[slot]
			if empty := ls.Remove(&got[i], slot); empty != (len(want[i]) == 1) {
				t.Fatalf("Remove = %t with %v in the list", empty, want[i])
			}
			at := slices.Index(want[i], slot)
			want[i] = slices.Delete(want[i], at, at+1)
			in[slot] = -1
		case op == 8:
			slot := ls.PopFront(&got[i])
			if len(want[i]) == 0 {
				if slot != 0 {
					t.Fatalf("PopFront of an empty list returned %d", slot)
				}
				break
			}
			if slot != want[i][0] {
				t.Fatalf("PopFront = %d, want %d", slot, want[i][0])
			}
			want[i] = want[i][1:]
			in[slot] = -1
		case op == 9 && i != j && rng.IntN(8) == 0:
			ls.Append(&got[i], &got[j])
			for _, slot := range want[j] {
				in[slot] = i
			}
			want[i] = append(want[i], want[j]...)
			want[j] = nil
		}
		for i := range lists {
			if slots := contents(t, &ls, got[i]); !slices.Equal(slots, want[i]) {
				t.Fatalf("list %d holds %v, want %v", i, slots, want[i])
			}
		}
	}
}

func TestAllLetsTheBodyMoveTheSlot(t *testing.T) {
	ls := New(3)
	var from, to List
	for slot := uint32(1); slot <= 3; slot++ {
		ls.SetDeadline(slot, structures.Tick(slot)*10)
		ls.PushBack(&from, slot)
	}
	for slot := range ls.All(from) {
		ls.Remove(&from, slot)
		ls.PushBack(&to, slot)
	}
	if got := contents(t, &ls, to); !from.Empty() || !slices.Equal(got, []uint32{1, 2, 3}) {
		t.Fatalf("moved %v, the source being empty is %t", got, from.Empty())
	}
}

func TestWalkNamesBrokenLinks(t *testing.T) {
	for name, spoil := range map[string]func(*Lists, *List){
		"back link":    func(ls *Lists, l *List) { ls.nodes[2].prev = 3 },
		"circle":       func(ls *Lists, l *List) { ls.nodes[3].next = 1 },
		"inner circle": func(ls *Lists, l *List) { ls.nodes[3].next = 2 },
		"out of range": func(ls *Lists, l *List) { ls.nodes[3].next = 9 },
		"tail":         func(ls *Lists, l *List) { l.tail = 2 },
		"lost tail":    func(ls *Lists, l *List) { l.head = 0 },
	} {
		ls := New(3)
		var l List
		for slot := uint32(1); slot <= 3; slot++ {
			ls.SetDeadline(slot, 0)
			ls.PushBack(&l, slot)
		}
		spoil(&ls, &l)
		if _, err := ls.Walk(newBuilder(), shape.Cell{}, l); err == nil {
			t.Errorf("%s: Walk found nothing", name)
		}
	}
}
