package hwheellist

import (
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Check walks the occupied lists.
func (c *core) Check(nodes *fifo.Lists, clock structures.Tick, size int, mayBeLinked func(timer uint32) bool) error {
	if c.cursor < 0 || c.cursor > clock {
		return fmt.Errorf("hwheellist: cursor %d, clock %d", c.cursor, clock)
	}
	if err := c.occupied.Check(); err != nil {
		return fmt.Errorf("hwheellist: %w", err)
	}
	linked := 0
	// A timer in a list that is not marked as occupied is missing in the sum.
	for list := c.occupied.Next(0); list >= 0; list = c.occupied.Next(list + 1) {
		if c.heads[list].Empty() {
			return fmt.Errorf("hwheellist: list %d is empty but marked as occupied", list)
		}
		n, err := c.checkList(nodes, list, mayBeLinked)
		if err != nil {
			return err
		}
		linked += n
	}
	if linked != size {
		return fmt.Errorf("hwheellist: %d timers in occupied lists, %d pending or just cancelled", linked, size)
	}
	if c.heads[c.overflow()].Empty() && c.earliest != math.MaxInt64 {
		return fmt.Errorf("hwheellist: the overflow is empty but has the deadline %d", c.earliest)
	}
	return c.checkNext()
}

func (c *core) checkList(nodes *fifo.Lists, list int, mayBeLinked func(timer uint32) bool) (length int, err error) {
	if length, err = nodes.Check(c.heads[list]); err != nil {
		return 0, fmt.Errorf("hwheellist: list %d: %w", list, err)
	}
	earliest := structures.Tick(math.MaxInt64)
	for timer, deadline := range nodes.All(c.heads[list]) {
		earliest = min(earliest, deadline)
		switch {
		case !mayBeLinked(timer):
			return 0, fmt.Errorf("hwheellist: timer %d in list %d is not pending", timer, list)
		case deadline < c.cursor:
			return 0, fmt.Errorf("hwheellist: deadline %d is before the cursor %d", deadline, c.cursor)
		case c.list(deadline, c.cursor) != list:
			return 0, fmt.Errorf("hwheellist: deadline %d, seen from %d, is in list %d, want %d",
				deadline, c.cursor, list, c.list(deadline, c.cursor))
		}
	}
	if list == c.overflow() && c.earliest != earliest && c.earliest != 0 {
		return 0, fmt.Errorf("hwheellist: the earliest deadline in the overflow is %d, not %d",
			earliest, c.earliest)
	}
	return length, nil
}

func (c *core) checkNext() error {
	if c.next <= c.cursor { // unknown
		return nil
	}
	want := structures.Tick(math.MaxInt64)
	if first := c.occupied.First(); first == c.overflow() {
		want = c.spanStart(c.earliest) // known, or next would not be
	} else if first >= 0 {
		want = c.start(first, c.cursor)
	}
	if c.next != want {
		return fmt.Errorf("hwheellist: next is %d, the first list starts at %d", c.next, want)
	}
	return nil
}

// Show adds level 0, the other levels that hold a timer, and the overflow list.
func (c *core) Show(nodes *fifo.Lists, b *snapshot.Builder) {
	size := int(c.mask) + 1
	for level := range int(c.levels) {
		shift := uint64(level) * c.width
		width := structures.Tick(1) << shift
		b.Begin(shape.Part{
			Name: fmt.Sprintf("level %d", level), Kind: shape.Slots, Size: size,
			Width: width, Now: int(uint64(b.Clock) >> shift & c.mask),
		})
		first := level * size
		for list := c.occupied.Next(first); list >= 0 && list < first+size; list = c.occupied.Next(list + 1) {
			from := c.start(list, c.cursor)
			cell := shape.Cell{Index: list - first, From: from, To: from + (width - 1)}
			b.Cell(cell, nodes.All(c.heads[list]))
		}
		b.DropEmpty()
	}
	b.List("overflow", nodes.All(c.heads[c.overflow()]))
}
