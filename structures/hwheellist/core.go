package hwheellist

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// core is the wheel. A timer is in the list that the geometry names for its deadline and the cursor. Its place is the
// number of the list. No timer is due before the cursor, which is at most the clock.
//
// Quiet is the start of the first list that is not empty. It is unknown if it is at most the cursor.
type core struct {
	geometry
	nodes    fifo.Timers
	cursor   structures.Tick
	heads    []fifo.List // by number: level by level, then the overflow
	occupied fifo.Occupancy
	earliest structures.Tick // earliest deadline in the overflow list, MaxInt64 if none, 0 if unknown
	visited  structures.Tick // last slot of level 0 that was counted as visited
	work     structures.Work
}

func newCore(slots, levels int) *core {
	g := newGeometry(slots, levels)
	return &core{
		geometry: g,
		heads:    make([]fifo.List, g.lists()),
		occupied: fifo.NewOccupancy(g.lists()),
		earliest: math.MaxInt64,
	}
}

// catchUp moves the cursor to the clock if no list starts up to there.
func (c *core) catchUp() {
	if c.nodes.Clock < c.nodes.Quiet {
		c.cursor = c.nodes.Clock
	}
}

func (c *core) Add(timer uint32, n *fifo.Node) {
	c.catchUp()
	list := c.list(n.Deadline, c.cursor)
	n.SetPlace(list)
	head := &c.heads[list]
	if head.Empty() {
		c.occupied.Set(list)
		if list != c.overflow {
			c.nodes.Quiet = min(c.nodes.Quiet, c.start(list, c.cursor))
		}
	}
	if list == c.overflow {
		c.earliest = min(c.earliest, n.Deadline)
		c.nodes.Quiet = min(c.nodes.Quiet, c.spanStart(n.Deadline))
	}
	c.nodes.PushBack(head, timer, n)
}

func (c *core) Remove(_ uint32, n *fifo.Node) {
	list := n.Place()
	if c.nodes.Remove(&c.heads[list], n) {
		c.catchUp()
		c.setEmpty(list)
	} else if list == c.overflow && n.Deadline == c.earliest {
		c.catchUp()
		c.earliest, c.nodes.Quiet = 0, c.cursor
	}
}

func (c *core) setEmpty(list int) {
	c.occupied.Clear(list)
	c.nodes.Quiet = c.cursor // unknown, as this list may have been the first
	if list == c.overflow {
		c.earliest = math.MaxInt64
	}
}

// startOf returns the tick at which a list fires or cascades: its first, or for the overflow the
// first of the top-level span of its earliest timer.
func (c *core) startOf(list int) structures.Tick {
	if list != c.overflow {
		return c.start(list, c.cursor)
	}
	if c.earliest == 0 {
		c.earliest = math.MaxInt64
		for _, deadline := range c.nodes.All(c.heads[list]) {
			c.earliest = min(c.earliest, deadline)
		}
	}
	return c.spanStart(c.earliest)
}

// advance moves the cursor to the earliest timer if that is due, and to the clock otherwise, and
// cascades on the way. It returns the list of level 0 that is due, or -1.
func (c *core) advance() int {
	for c.nodes.Quiet <= c.nodes.Clock {
		list := c.occupied.First()
		if list < 0 {
			c.nodes.Quiet = math.MaxInt64
			break
		}
		start := c.startOf(list)
		if start > c.nodes.Clock {
			c.nodes.Quiet = start
			break
		}
		c.cursor, c.nodes.Quiet = start, start
		if uint64(list) <= c.mask {
			if start != c.visited {
				c.visited = start
				c.work.SlotsVisited++
			}
			return list
		}
		c.cascade(list)
	}
	c.cursor = c.nodes.Clock
	return -1
}

// loadable is the number of timers that a cascade loads from the end of a list. More would leave the cache before they move
// (chosen).
const loadable = 1 << 14

// cascade moves the timers of a list, at whose start the cursor is, and keeps their order.
func (c *core) cascade(list int) {
	moving := c.heads[list]
	c.heads[list] = fifo.List{}
	c.setEmpty(list)
	moved := uint64(0)
	ahead := moving.Back()
	for timer := moving.Front(); timer != 0; {
		n := c.nodes.At(timer)
		following := n.Next()
		if moved < loadable {
			ahead = c.nodes.Meet(ahead, timer, following)
		}
		c.Add(timer, n)
		timer = following
		moved++
	}
	c.work.SlotsVisited++
	c.work.Moved += moved
}

func (c *core) Pop() (timer uint32, n *fifo.Node) {
	list := c.advance()
	if list < 0 {
		return 0, nil
	}
	head := &c.heads[list]
	timer, n = c.nodes.PopFront(head)
	if head.Empty() {
		c.setEmpty(list)
	}
	return timer, n
}

// Next returns the tick at which a timer fires or a list cascades next.
func (c *core) Next() structures.Tick {
	c.advance()
	return c.nodes.Quiet
}

func (c *core) Work() structures.Work { return c.work }

// Walk adds level 0, the other levels that hold a timer, and the overflow list.
func (c *core) Walk(b *snapshot.Builder) error {
	if c.cursor < 0 || c.cursor > b.Clock {
		return fmt.Errorf("hwheellist: cursor %d, clock %d", c.cursor, b.Clock)
	}
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
			earliest, err := c.nodes.Walk(b, cell, c.heads[list])
			if err != nil || c.heads[list].Empty() || earliest < c.cursor || c.list(earliest, c.cursor) != list {
				return fmt.Errorf("hwheellist: list %d, empty %t, has the deadline %d, cursor %d: %w",
					list, c.heads[list].Empty(), earliest, c.cursor, err)
			}
		}
		b.DropEmpty()
	}
	return c.walkOverflow(b)
}

func (c *core) walkOverflow(b *snapshot.Builder) error {
	earliest, overflow := structures.Tick(math.MaxInt64), c.heads[c.overflow]
	for _, deadline := range c.nodes.All(overflow) {
		if earliest = min(earliest, deadline); c.list(deadline, c.cursor) != c.overflow {
			return fmt.Errorf("hwheellist: deadline %d, seen from %d, is in the overflow", deadline, c.cursor)
		}
	}
	b.List("overflow", c.nodes.All(overflow))
	if overflow.Empty() == c.occupied.Has(c.overflow) ||
		c.earliest != earliest && (overflow.Empty() || c.earliest != 0) {
		return fmt.Errorf("hwheellist: the earliest deadline in the overflow is %d, not %d, or it "+
			"is not marked",
			earliest, c.earliest)
	}
	want := structures.Tick(math.MaxInt64)
	if first := c.occupied.First(); first == c.overflow {
		want = c.spanStart(earliest)
	} else if first >= 0 {
		want = c.start(first, c.cursor)
	}
	if q := c.nodes.Quiet; q > c.cursor && q != want { // otherwise it is unknown
		return fmt.Errorf("hwheellist: quiet until %d, the first list starts at %d", q, want)
	}
	return c.occupied.Check()
}

// geometry computes levels and slots from ticks. It depends on the numbers of slots and
// levels only, and not on the timers.
//
// A tick is a number of 63 bits, written with a digit of width bits per level. Level 0 is the lowest digit, and a
// slot of level l is as many ticks wide as all slots of the level below. By default, with 256 slots and 8 levels:
//
//	level   ticks per slot      ticks per level (span)
//	    0                1                         256
//	    1              256                      65,536
//	    2           65,536                  16,777,216
//	    3       16,777,216               4,294,967,296
//	    4   about 4.29e+09              about 1.10e+12
//	    5   about 1.10e+12              about 2.81e+14
//	    6   about 2.81e+14              about 7.21e+16
//	    7   about 7.21e+16        all ticks, 9.22e+18 and up
//
// The list of a timer depends on its deadline and on the cursor, the tick up to which all timers have fired: the
// level is the highest digit in which the two differ, and the slot is that digit of the deadline. As no deadline is
// before the cursor, this slot is ahead of the slot of the cursor. Two things follow:
//
//   - A timer of a lower level is due before any timer of a higher one, and on one level the order of the slots is
//     the order of time. So lists are numbered level by level, and the first list that is not empty is the next one
//     to fire or to cascade.
//   - Moving the cursor up to the start of that list changes the list of no timer outside of it.
//
// A deadline that differs above the highest level goes to the overflow list, whose number is the last.
type geometry struct {
	width    uint64 // bits per digit
	mask     uint64 // slots per level, less one
	levels   uint64
	inv      uint64 // levelFactor / width, rounded up
	overflow int    // number of the overflow list
}

// tickBits is the number of bits in which two ticks of a wheel may differ, as none is negative.
const tickBits = 63

// levelFactor turns the division of 0 to 63 by a width up to 12 into a product.
const levelFactor = 1 << 10

// allLevels returns the number of levels with the given slots that cover every tick.
func allLevels(slots int) int {
	width := bits.TrailingZeros(uint(slots))
	return (tickBits + width - 1) / width
}

// newGeometry returns the geometry of levels times slots, a power of two.
func newGeometry(slots, levels int) geometry {
	width := uint64(bits.TrailingZeros(uint(slots)))
	return geometry{
		width:    width,
		mask:     uint64(slots) - 1,
		levels:   uint64(levels),
		inv:      (levelFactor + width - 1) / width,
		overflow: levels << width,
	}
}

func (g *geometry) lists() int { return g.overflow + 1 }

// list returns the number of the list for a deadline that is not before the cursor.
func (g *geometry) list(deadline, cursor structures.Tick) int {
	highest := uint64(bits.Len64(uint64(deadline^cursor)|1)) - 1
	level := highest * g.inv / levelFactor
	if level >= g.levels {
		return g.overflow
	}
	digit := uint64(deadline) >> (level * g.width & 63) & g.mask // &63 saves the test for shifts of 64 and more
	return int(level<<(g.width&63) | digit)
}

// start returns the first tick of a list that is not the overflow list, seen from the cursor.
func (g *geometry) start(list int, cursor structures.Tick) structures.Tick {
	level, digit := uint64(list)>>g.width, uint64(list)&g.mask
	shift := level * g.width
	above := shift + g.width // may be 64 and more, which shifts everything out
	return structures.Tick(uint64(cursor)>>above<<above | digit<<shift)
}

// spanStart returns the first tick of the top-level span that holds deadline.
func (g *geometry) spanStart(deadline structures.Tick) structures.Tick {
	span := g.levels * g.width
	return structures.Tick(uint64(deadline) >> span << span)
}
