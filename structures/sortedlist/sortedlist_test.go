package sortedlist

import (
	"testing"

	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity, schedtest.FIFO())
}

func FuzzModel(f *testing.F) { whitebox.Fuzz(f, New[uint64], schedtest.FIFO()) }

func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	nine := func() *slotted.Scheduler[int, core, *core] { return &whitebox.Nine(New[int]()).Scheduler }
	whitebox.FindsDamageToQueue(t, nine, map[string]func(*core){
		"order": func(c *core) { c.lists.SetDeadline(c.sorted.Back(), 1) },
		"lost":  func(c *core) { c.lists.PopFront(&c.sorted) },
		"links": func(c *core) { c.lists.From(c.sorted.Back(), c.sorted) },
		"empty": func(c *core) { c.sorted = fifo.List{} },
	})
}
