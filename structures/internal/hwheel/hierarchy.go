package hwheel

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/paged"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// hierarchy has the levels and their slots. It stores the indexes of records, and reads no record.
//
// Level l has 4096 slots of 256^l ticks each:
//
//	level   ticks per slot      ticks per level
//	    0                1                4,096
//	    1              256            1,048,576
//	    2           65,536          268,435,456
//	    3       16,777,216      about  6.9e+10
//	    4   about  4.3e+09      about  1.8e+13
//	    5   about  1.1e+12      about  4.5e+15
//	    6   about  2.8e+14      about  1.2e+18
//	    7   about  7.2e+16         all deadlines
//
// A timer enters the lowest level that covers its distance from the cursor. So a timer that enters level 1 is at least 4096 ticks
// away, and its slot starts more than 3840 ticks after the cursor. In the last 3840 ticks before its start, a slot of level 1
// gets no more timers, and all of its timers fit level 0. emptyAhead empties the slot in steps during that time. The same holds
// for the levels above, in units of their slots.
//
// Invariants:
//
//   - No timer in a slot is due before the cursor. Timers due at the cursor are in the cursor's slot of level 0. A slot above
//     level 0 starts after the cursor, and at most ringLen slots after the slot of the cursor.
//   - No occupied slot above level 0 starts before cascadeAt.
type hierarchy struct {
	cursor    structures.Tick
	cascadeAt structures.Tick
	stepAt    structures.Tick // the tick of the next call to emptyAhead
	levels    [Levels]*ring
	chunks    chunks
	work      structures.Work
}

// Levels is the number of levels.
const Levels = 8

const widthStep = 8 // bits by which the width of a slot grows from level to level

// levelFor returns the level for a timer at a distance from the cursor.
func levelFor(distance uint64) uint { return uint(bits.Len64(distance|ringMask)-5) / widthStep }

// widthBits returns the binary logarithm of the ticks in a slot of a level.
func widthBits(level uint) uint { return level * widthStep & 63 }

// ring returns the slots of a level, and makes them on first use.
func (w *hierarchy) ring(level uint) *ring {
	g := w.levels[level&(Levels-1)]
	if g == nil {
		g = new(ring)
		w.levels[level] = g
	}
	return g
}

// add adds a timer to the slot of its deadline, which must not be before the cursor, and returns its place.
func (w *hierarchy) add(index uint32, deadline structures.Tick) records.Where {
	level := levelFor(uint64(deadline - w.cursor))
	number := uint64(deadline) >> widthBits(level)
	slot := uint32(number) & ringMask
	g := w.ring(level)
	l := g.lists[slot]
	if l.full() {
		l = w.addChunk(g, level, number)
	}
	l-- // to the next place
	g.lists[slot] = l
	w.chunks.chunk.At(l.chunk()).timers[l&records.TagMask] = index
	*w.chunks.mask.At(l.chunk()) |= 1 << (l & records.TagMask)
	// A branch would be mispredicted.
	return records.Where(l) | records.Where(-int32(level))&above
}

// addChunk adds a chunk to the front of a slot's list and returns the list.
func (w *hierarchy) addChunk(g *ring, level uint, number uint64) list {
	slot := uint32(number) & ringMask
	l := g.lists[slot]
	n := w.chunks.take()
	c := w.chunks.chunk.At(n)
	c.next, c.before = l.chunk(), ofHead|uint32(level)<<ringBits|slot
	if c.next != 0 {
		w.chunks.chunk.At(c.next).before = n
	} else {
		g.setOccupied(slot)
		g.added[slot] = 0
		if level > 0 {
			start := structures.Tick(number << widthBits(level))
			w.cascadeAt = min(w.cascadeAt, start)
			w.stepAt = min(w.stepAt, windowStart(level, start))
		}
	}
	g.added[slot]++
	return list(n)<<records.TagBits | records.Places
}

// unlink removes a chunk without timers from its list.
func (w *hierarchy) unlink(n uint32) {
	c := w.chunks.chunk.At(n)
	if c.next != 0 {
		w.chunks.chunk.At(c.next).before = c.before
	}
	if c.before&ofHead == 0 {
		w.chunks.chunk.At(c.before).next = c.next
	} else {
		g := w.levels[c.before>>ringBits&(Levels-1)]
		slot := c.before & ringMask
		g.lists[slot] = list(c.next) << records.TagBits
		if c.next == 0 {
			g.setEmpty(slot)
		}
	}
	w.chunks.release(n)
}

// firstOf returns the first tick of the first occupied slot of a level. If the level is empty, ok is false and start is the
// largest tick.
func (w *hierarchy) firstOf(level uint) (start structures.Tick, ok bool) {
	g := w.levels[level]
	if g == nil || g.empty() {
		return math.MaxInt64, false
	}
	number := uint64(w.cursor) >> widthBits(level)
	if level > 0 {
		number++
	}
	return structures.Tick(g.next(number) << widthBits(level)), true
}

// firstAbove is firstOf for all levels above 0. The bits of levels are the levels whose first slot starts at that tick.
func (w *hierarchy) firstAbove() (start structures.Tick, levels uint) {
	start = math.MaxInt64
	for level := uint(1); level < Levels; level++ {
		at, ok := w.firstOf(level)
		if at < start {
			start, levels = at, 0
		}
		if ok && at == start {
			levels |= 1 << level
		}
	}
	return start, levels
}

// slotOf returns the slot of a level for a tick.
func slotOf(level uint, tick structures.Tick) uint32 {
	return uint32(uint64(tick)>>widthBits(level)) & ringMask
}

// firing returns the list of the timers due at the cursor.
func (w *hierarchy) firing() list { return w.levels[0].lists[w.cursor&ringMask] }

// ring has the slots of a level. Slot i holds the timers of the spans whose number is i modulo ringLen.
type ring struct {
	summary  uint64               // one bit per nonzero word of occupied
	occupied [ringLen / 64]uint64 // one bit per slot with a chunk
	lists    [ringLen]list
	added    [ringLen]uint32 // chunks added since the list was empty, less the moved ones
}

const (
	ringBits = 12
	ringLen  = 1 << ringBits
	ringMask = ringLen - 1
)

func (g *ring) empty() bool { return g.summary == 0 }

func (g *ring) setOccupied(slot uint32) {
	g.occupied[slot>>6] |= 1 << (slot & 63)
	g.summary |= 1 << (slot >> 6)
}

func (g *ring) setEmpty(slot uint32) {
	word := &g.occupied[slot>>6]
	*word &^= 1 << (slot & 63)
	if *word == 0 {
		g.summary &^= 1 << (slot >> 6)
	}
}

// next returns the number of the first occupied slot at or after number. The ring must not be empty.
func (g *ring) next(number uint64) uint64 {
	from := uint32(number) & ringMask
	if rest := g.occupied[from>>6] >> (from & 63); rest != 0 {
		return number + uint64(bits.TrailingZeros64(rest))
	}
	// The following words, in the order of the ring. The word of from comes last, because the slots before
	// from are almost a revolution ahead.
	after := from>>6 + 1
	word := (after + uint32(bits.TrailingZeros64(bits.RotateLeft64(g.summary, -int(after))))) & 63
	slot := word<<6 + uint32(bits.TrailingZeros64(g.occupied[word]))
	return number + uint64((slot-from)&ringMask)
}

// chunk is one cache line of a list, with the indexes of up to 14 records. Its places are filled from the last to the first, and
// each is used once. The bits of its mask are the places with a timer. A chunk leaves its list when its mask becomes 0.
//
// The masks have an array of their own. The masks of a million timers take 200 to 500 KB, which a cache can hold, so removing a
// timer usually misses the cache for the record only.
type chunk struct {
	next   uint32 // the number of the next chunk in the list, or in the free list; 0: none
	before uint32 // the number of the previous chunk, or ofHead with the level and the slot
	timers [records.Places]uint32
}

const ofHead = 1 << 31

// list is a list of chunks: the number of the first chunk, and the number of its unused places. The other chunks have no unused
// places. 0 is the empty list.
type list uint32

func (l list) chunk() uint32 { return uint32(l >> records.TagBits) }

// full reports whether the first chunk has no unused place.
func (l list) full() bool { return l&records.TagMask == 0 }

// chunks holds the chunks of all lists. Chunk 0 is never used, because 0 stands for no chunk.
type chunks struct {
	chunk paged.Array[chunk]
	mask  paged.Array[uint16] // by the number of the chunk
	free  uint32              // the first free chunk, or 0
}

// take returns the number of an unused chunk.
func (c *chunks) take() uint32 {
	if n := c.free; n != 0 {
		c.free = c.chunk.At(n).next
		prefetch.Line(unsafe.Pointer(c.chunk.At(c.free))) // the next chunk to take, or chunk 0
		return n
	}
	if c.chunk.Fresh == 0 {
		c.chunk.Take()
		c.mask.Take()
	}
	if c.chunk.Fresh == maxChunks {
		panic("hwheel: too many timers: the numbers of chunks have 27 bits")
	}
	c.mask.Take()
	return c.chunk.Take()
}

// maxChunks limits the numbers of chunks to 27 bits.
const maxChunks = uint32(above >> records.TagBits)

// above marks a place in a slot above level 0. It is the sign bit, because move tests the sign.
const above records.Where = 1 << 31

// chunkOf returns the number of a timer's chunk, or its position in the arrival buffer.
func chunkOf(at records.Where) uint32 { return uint32(at&^above) >> records.TagBits }

// release frees a chunk.
func (c *chunks) release(n uint32) {
	c.chunk.At(n).next = c.free
	c.free = n
}

// reserve makes room for n chunks.
func (c *chunks) reserve(n uint64) {
	c.chunk.Reserve(n)
	c.mask.Reserve(n)
}

// clear clears the place of a timer and reports whether its chunk is now empty.
func (c *chunks) clear(at records.Where) (empty bool) {
	mask := c.mask.At(chunkOf(at))
	rest := *mask &^ (1 << at.Tag())
	*mask = rest
	return rest == 0
}

// prefetch adds the line of a chunk to a batch.
func (c *chunks) prefetch(b *prefetch.Batch, n uint32) { b.Add(unsafe.Pointer(c.chunk.At(n))) }
