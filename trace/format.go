package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// magic begins every trace. Like that of PNG, it has a byte that is not ASCII and both kinds of
// line ends, so that a transfer in text mode damages it.
const magic = "\x89TBT\r\n\x1a\n"

// Version is the version of the format, the only one that is written and read.
const Version = 8

// The kinds of sections.
const (
	sectionHeader = 'H'
	sectionChunk  = 'C'
	sectionFooter = 'F'
)

// The lengths of the head and of the tail of a section.
const (
	sectionHead = 1 + 4 // kind, length of the payload
	sectionTail = 4     // checksum
)

// chunkSize is the length of the operations at which a chunk ends. It is chosen: chunks compress
// well, and several fit into memory.
const chunkSize = 256 << 10

// maxRaw bounds the length of a chunk's operations. The last operation may exceed chunkSize, an
// advance by far: each timer that fires takes up to 5 bytes.
func maxRaw(keysBefore int) int {
	const shortest = 2 // of an operation that adds a key
	return chunkSize + 64 + maxSite + 5*(keysBefore+chunkSize/shortest)
}

// maxSite and maxSites bound the length of a site and the number of sites (chosen).
const (
	maxSite  = 1 << 10
	maxSites = 1 << 12
)

// maxPayload bounds the payload of a section. Incompressible bytes grow a little.
func maxPayload(kind byte, keysBefore int) int {
	switch kind {
	case sectionHeader:
		return maxName + maxDescription + 64
	case sectionChunk:
		raw := maxRaw(keysBefore)
		return raw + raw/64 + 256
	case sectionFooter:
		return 16 * binary.MaxVarintLen64
	}
	return 0
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// beginSection appends the head of a section. The caller then appends the payload.
func beginSection(b []byte, kind byte) []byte { return append(b, kind, 0, 0, 0, 0) }

// endSection completes the section that begins at start.
func endSection(b []byte, start int) []byte {
	binary.LittleEndian.PutUint32(b[start+1:], uint32(len(b)-start-sectionHead))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

func appendNumbers(b []byte, numbers ...uint64) []byte {
	for _, x := range numbers {
		b = binary.AppendUvarint(b, x)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// parser parses a payload. After the first error its methods return zeros.
type parser struct {
	rest []byte
	err  error
}

// fail records an error, unless there is one.
func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

var errNumber = errors.New("a number is cut off or too long")

// number parses a uvarint that is at most most.
func (p *parser) number(what string, most uint64) uint64 {
	x, n := binary.Uvarint(p.rest)
	switch {
	case n <= 0:
		p.fail("%s%w", what, errNumber)
	case x > most:
		p.fail("%s%d, want at most %d", what, x, most)
	}
	if p.err != nil {
		return 0
	}
	p.rest = p.rest[n:]
	return x
}

func (p *parser) signed(what string) int64 {
	x := p.number(what, math.MaxUint64)
	return int64(x>>1) ^ -int64(x&1)
}

func (p *parser) text(what string) string {
	n := p.number(what, math.MaxInt64)
	if n > uint64(len(p.rest)) {
		p.fail("%s%d bytes of which %d are there", what, n, len(p.rest))
	}
	if p.err != nil {
		return ""
	}
	s := string(p.rest[:n])
	p.rest = p.rest[n:]
	return s
}

// end returns the first error. Bytes after the last value are an error.
func (p *parser) end() error {
	if len(p.rest) > 0 {
		p.fail("%d bytes too many", len(p.rest))
	}
	return p.err
}

func appendHeader(b []byte, h Header) []byte {
	started := int64(0)
	if !h.Started.IsZero() {
		started = h.Started.Unix()
	}
	b = binary.AppendVarint(binary.AppendUvarint(b, uint64(h.Tick)), started)
	return appendText(appendText(b, h.Name), h.Description)
}

func parseHeader(payload []byte) (Header, error) {
	p := parser{rest: payload}
	h := Header{Tick: time.Duration(p.number("tick: ", math.MaxInt64))}
	if at := p.signed("start: "); at != 0 {
		h.Started = time.Unix(at, 0).UTC()
	}
	h.Name = p.text("name: ")
	h.Description = p.text("description: ")
	if err := p.end(); err != nil {
		return h, err
	}
	return h, h.validate()
}

type chunkHead struct {
	number uint64 // from 1
	first  uint64 // number of operations before the chunk
	ops    uint64 // number of operations in the chunk
	raw    uint64 // length of the operations in bytes, before compression
}

func appendFooter(b []byte, chunks uint64, t Totals, ran []uint64) []byte {
	b = appendNumbers(appendNumbers(b, chunks), t.Ops[:]...)
	b = appendNumbers(b, t.Fired, uint64(t.First), uint64(t.Last), t.Keys, t.Lost, t.Heaped)
	b = appendNumbers(b, t.LostBy[:]...)
	return appendNumbers(appendNumbers(b, uint64(len(ran))), ran...)
}

func parseFooter(payload []byte) (chunks uint64, t Totals, ran []uint64, err error) {
	p := parser{rest: payload}
	chunks = p.number("chunks: ", math.MaxInt64)
	for k := range t.Ops {
		t.Ops[k] = p.number("operations: ", math.MaxInt64)
	}
	t.Fired = p.number("fired: ", math.MaxInt64)
	t.First = structures.Tick(p.number("first tick: ", math.MaxInt64))
	t.Last = structures.Tick(p.number("last tick: ", math.MaxInt64))
	t.Keys = p.number("keys: ", MaxPending)
	t.Lost = p.number("lost: ", math.MaxInt64)
	t.Heaped = p.number("put into the heap: ", math.MaxInt64)
	left := t.Lost
	for kind := range t.LostBy {
		t.LostBy[kind] = p.number("lost of a kind: ", left)
		left -= t.LostBy[kind]
	}
	ran = make([]uint64, p.number("sites: ", maxSites+1))
	for i := range ran {
		ran[i] = p.number("ran: ", math.MaxInt64)
	}
	return chunks, t, ran, p.end()
}
