package fifo

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

func newBuilder() *snapshot.Builder {
	return &snapshot.Builder{
		Parts: []shape.Part{{Kind: shape.List}},
		Entry: func(uint32, structures.Tick) shape.Entry { return shape.Entry{} },
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
