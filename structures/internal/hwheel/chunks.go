package hwheel

import (
	"unsafe"

	"github.com/timerbench/timerbench/structures/internal/paged"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
	"github.com/timerbench/timerbench/structures/internal/records"
)

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
