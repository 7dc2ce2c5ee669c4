package hwheel

import (
	"unsafe"

	"github.com/timerbench/timerbench/structures/internal/paged"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// chunk is a cache line of a list: the indexes of up to 14 records. Its places are
// filled from the last to the first, and each is used once. A mask says which of them
// hold a timer. A chunk whose mask becomes 0 is taken out of its list at once.
//
// The masks are in an array of their own: a million timers have 200 to 500 KB of them,
// so that to remove a timer mostly touches no line that is in no cache but its record.
type chunk struct {
	next   uint32 // the number of the next chunk in the list, or in the free list; 0: none
	before uint32 // the number of the chunk before, or ofHead and the number of the slot
	timers [records.Places]uint32
}

const ofHead = 1 << 31

// list is a list of chunks: the number of the first one, and how many of its places were
// never used. All other chunks have none. 0 is the empty list.
type list uint32

func (l list) chunk() uint32 { return uint32(l >> records.TagBits) }

// full reports whether the list has no place for another timer.
func (l list) full() bool { return l&records.TagMask == 0 }

// chunks holds the chunks of all lists. The zero chunks has none. Chunk 0 is never used:
// its number stands for none.
type chunks struct {
	chunk paged.Array[chunk]
	mask  paged.Array[uint16] // of the chunk of the same number
	free  uint32              // the first free chunk, or 0
}

// take returns the number of a chunk that is not in use.
func (c *chunks) take() uint32 {
	if n := c.free; n != 0 {
		c.free = c.chunk.At(n).next
		prefetch.Line(unsafe.Pointer(c.chunk.At(c.free))) // is taken next, or chunk 0
		return n
	}
	if c.chunk.Fresh() == 0 {
		c.chunk.Take()
		c.mask.Take()
	}
	if c.chunk.Fresh() == maxChunks {
		panic("hwheel: too many timers: the numbers of chunks have 27 bits")
	}
	c.mask.Take()
	return c.chunk.Take()
}

// maxChunks is the limit of the numbers of chunks, which have 27 bits.
const maxChunks = uint32(above >> records.TagBits)

// above marks a chunk in a slot above level 0, in the place of a timer that is in it: the
// sign, for move.
const above records.Where = 1 << 31

// chunkOf returns the number of the chunk that a timer is in, or its position in the arrival
// buffer.
func chunkOf(at records.Where) uint32 { return uint32(at&^above) >> records.TagBits }

// release makes a chunk free.
func (c *chunks) release(n uint32) {
	c.chunk.At(n).next = c.free
	c.free = n
}

// reserve makes room for n chunks.
func (c *chunks) reserve(n uint64) {
	c.chunk.Reserve(n)
	c.mask.Reserve(n)
}

// clear clears the place of a timer, and reports whether its chunk holds no other.
func (c *chunks) clear(at records.Where) (empty bool) {
	mask := c.mask.At(chunkOf(at))
	rest := *mask &^ (1 << at.Tag())
	*mask = rest
	return rest == 0
}

// prefetch adds the line of a chunk to a batch.
func (c *chunks) prefetch(b *prefetch.Batch, n uint32) { b.Add(unsafe.Pointer(c.chunk.At(n))) }
