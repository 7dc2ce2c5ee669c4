package catalog_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/schedtest"
)

// inArray is a value whose only pointer is in an array of structs.
type inArray [2]struct {
	n int
	p *schedtest.Payload
}

// arrays is a scheduler of payloads that a structure holds in arrays.
type arrays struct{ structures.Scheduler[inArray] }

func (a arrays) Schedule(deadline structures.Tick, p *schedtest.Payload) structures.ID {
	return a.Scheduler.Schedule(deadline, inArray{1: {p: p}})
}

func (a arrays) Pop(now structures.Tick) (structures.Timer[*schedtest.Payload], bool) {
	t, ok := a.Scheduler.Pop(now)
	return structures.Timer[*schedtest.Payload]{ID: t.ID, Deadline: t.Deadline, Value: t.Value[1].p}, ok
}

// The test of a structure checks that it releases values that are pointers.
func TestEveryStructureReleasesPointersWithinValues(t *testing.T) {
	if testing.Short() {
		t.Skip("it collects garbage five hundred times")
	}
	for _, e := range append(catalog.For[inArray](), catalog.IntrusiveFor[inArray]()...) {
		t.Run(e.Name, func(t *testing.T) {
			schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] { return arrays{e.New()} })
		})
	}
}
