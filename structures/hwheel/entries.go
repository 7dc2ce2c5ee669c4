package hwheel

import (
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
)

// entry stands for a timer in a slot. It is live or dead: see state.
//
//	bits  0-15  the low bits of the deadline, for the cascade from level 1
//	bits 16-31  the version of the record
//	bits 32-63  the index of the record
type entry uint64

func newEntry(index uint32, version uint16, deadline structures.Tick) entry {
	return entry(index)<<32 | entry(version)<<16 | entry(uint16(deadline))
}

func (e entry) index() uint32   { return uint32(e >> 32) }
func (e entry) version() uint16 { return uint16(e >> 16) }

// list is a list of entries: the position of its last entry, or 0 if it is empty.
// So adding an entry is one store, and loads nothing but the list itself.
//
// A list is a chain of chunks. A chunk is two cache lines: a header and up to 15
// entries. Only the last chunk of a list may have room. A header links to the two
// chunks before it, so that both can be prefetched.
type list uint32

const (
	chunkLen  = 16 // the header and 15 entries
	chunkMask = chunkLen - 1
	cacheLine = 64
)

// linksOf returns the two lists that a header links to: the one without this chunk,
// and the one without the chunk before it as well.
func linksOf(header entry) (next, afterNext list) { return list(uint32(header)), list(header >> 32) }

// entries holds the chunks of all lists. The zero entries has none. Position 0 is
// never used: it stands for the empty list.
type entries struct {
	pages[entry]
	free  list // the chunks that are free, linked by their headers
	ahead prefetch.Batch
}

// chunk returns the last chunk of a list: the header, and the entries from first to
// last.
func (c *entries) chunk(l list) (header *entry, held []entry) {
	header = c.at(uint32(l) &^ chunkMask)
	return header, unsafe.Slice(header, chunkLen)[1 : l&chunkMask+1]
}

// push adds an entry to a list.
func (c *entries) push(l list, e entry) list {
	l++
	if l&chunkMask <= 1 {
		return c.pushChunk(l-1, e)
	}
	*c.at(uint32(l)) = e
	return l
}

// pushChunk adds an entry to a list that is empty, or whose last chunk is full.
func (c *entries) pushChunk(l list, e entry) list {
	header := entry(l)
	if l != 0 {
		next, _ := linksOf(*c.at(uint32(l) &^ chunkMask))
		header |= entry(next) << 32
	}
	first := c.newChunk()
	*c.at(first) = header
	*c.at(first + 1) = e
	return list(first + 1)
}

// pop removes the last entry of a list, which must not be empty.
func (c *entries) pop(l list) list {
	if l&chunkMask > 1 {
		return l - 1
	}
	next, _ := linksOf(*c.at(uint32(l) &^ chunkMask))
	c.freeChunk(l)
	return next
}

// newChunk returns the position of a chunk that is not in use.
func (c *entries) newChunk() uint32 {
	if first := uint32(c.free); first != 0 {
		c.free = list(*c.at(first))
		if c.free != 0 {
			// The next free chunk is needed within 15 entries. Prefetching it
			// takes a fill and drain of a million timers from 65 to 55 ns.
			c.prefetch(c.at(uint32(c.free)))
			c.ahead.Issue()
		}
		return first
	}
	if c.fresh == 0 {
		c.take(chunkLen) // with position 0
	}
	return c.take(chunkLen)
}

// freeChunk frees the last chunk of a list.
func (c *entries) freeChunk(l list) {
	first := uint32(l) &^ chunkMask
	*c.at(first) = entry(c.free)
	c.free = list(first)
}

// prefetch adds the two lines of a chunk to the batch.
func (c *entries) prefetch(header *entry) {
	c.ahead.Add(unsafe.Pointer(header))
	c.ahead.Add(unsafe.Add(unsafe.Pointer(header), cacheLine))
}

// prefetchAfter prefetches the chunk that a walk needs after the next one, or the
// next one if it is the last.
func (c *entries) prefetchAfter(header entry) {
	next, afterNext := linksOf(header)
	if afterNext != 0 {
		next = afterNext
	}
	if next != 0 {
		c.prefetch(c.at(uint32(next) &^ chunkMask))
		c.ahead.Issue()
	}
}
