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

// magic begins every trace. As in PNG, a byte beyond ASCII and both kinds of
// line ends show a transfer that took the file for text.
const magic = "\x89TBT\r\n\x1a\n"

// Version is the version of the format.
const Version = 1

// The kinds of sections.
const (
	sectionHeader = 'H'
	sectionChunk  = 'C'
	sectionFooter = 'F'
)

const (
	sectionHead = 1 + 4 // kind, length of the payload
	sectionTail = 4     // checksum
)

// chunkSize is how long the operations of a chunk may grow before it ends
// (chosen: large enough to compress well, small enough to hold several).
const chunkSize = 256 << 10

// maxRaw bounds the length of a chunk's operations. The last one makes it longer
// than chunkSize, by much only if it is an advance on which many timers fire, each
// named in at most 5 bytes.
func maxRaw(keysBefore int) int {
	const shortest = 2 // of an operation that adds a key
	return chunkSize + 64 + 5*(keysBefore+chunkSize/shortest)
}

// maxPayload bounds the payload of a chunk: what does not compress grows a little.
func maxPayload(raw int) int { return raw + raw/64 + 256 }

// maxHeader and maxFooter bound the payloads of the other sections.
const (
	maxHeader = maxName + maxDescription + 64
	maxFooter = 16 * binary.MaxVarintLen64
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// beginSection appends the head of a section whose payload follows; endSection
// completes what began at start.
func beginSection(b []byte, kind byte) []byte { return append(b, kind, 0, 0, 0, 0) }

func endSection(b []byte, start int) []byte {
	binary.LittleEndian.PutUint32(b[start+1:], uint32(len(b)-start-sectionHead))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendHeader(b []byte, h Header) []byte {
	b = binary.AppendUvarint(b, uint64(h.Tick))
	started := int64(0)
	if !h.Started.IsZero() {
		started = h.Started.Unix()
	}
	b = binary.AppendVarint(b, started)
	b = appendText(b, h.Name)
	return appendText(b, h.Description)
}

func parseHeader(payload []byte) (Header, error) {
	p := parser{rest: payload}
	h := Header{Tick: time.Duration(p.uvarint("tick", math.MaxInt64))}
	if at := p.varint("start"); at != 0 {
		h.Started = time.Unix(at, 0).UTC()
	}
	h.Name = p.text("name")
	h.Description = p.text("description")
	if err := p.end(); err != nil {
		return h, err
	}
	return h, h.validate()
}

// chunkHead is what a chunk says of itself.
type chunkHead struct {
	number uint64 // from 1
	first  uint64 // operations before it
	ops    uint64
	raw    uint64 // length of its operations, not compressed
}

func appendChunkHead(b []byte, h chunkHead) []byte {
	for _, x := range []uint64{h.number, h.first, h.ops, h.raw} {
		b = binary.AppendUvarint(b, x)
	}
	return b
}

func parseChunkHead(payload []byte) (h chunkHead, compressed []byte, err error) {
	p := parser{rest: payload}
	h.number = p.uvarint("number", math.MaxInt64)
	h.first = p.uvarint("first operation", math.MaxInt64)
	h.ops = p.uvarint("number of operations", math.MaxInt64)
	h.raw = p.uvarint("length", math.MaxInt64)
	return h, p.rest, p.err
}

func appendFooter(b []byte, chunks uint64, t Totals) []byte {
	b = binary.AppendUvarint(b, chunks)
	for _, n := range t.Ops {
		b = binary.AppendUvarint(b, n)
	}
	for _, x := range []uint64{t.Fired, uint64(t.First), uint64(t.Last), t.Keys} {
		b = binary.AppendUvarint(b, x)
	}
	return b
}

func parseFooter(payload []byte) (chunks uint64, t Totals, err error) {
	p := parser{rest: payload}
	chunks = p.uvarint("chunks", math.MaxInt64)
	for k := range t.Ops {
		t.Ops[k] = p.uvarint("operations", math.MaxInt64)
	}
	t.Fired = p.uvarint("fired", math.MaxInt64)
	t.First = structures.Tick(p.uvarint("first tick", math.MaxInt64))
	t.Last = structures.Tick(p.uvarint("last tick", math.MaxInt64))
	t.Keys = p.uvarint("keys", MaxPending)
	return chunks, t, p.end()
}

// parser takes a payload apart. After the first error it returns zeros.
type parser struct {
	rest []byte
	err  error
}

var errNumber = errors.New("a number is cut off or too long")

func (p *parser) uvarint(what string, most uint64) uint64 {
	x, n := binary.Uvarint(p.rest)
	switch {
	case p.err != nil:
		return 0
	case n <= 0:
		p.err = fmt.Errorf("%s: %w", what, errNumber)
		return 0
	case x > most:
		p.err = fmt.Errorf("%s: %d, want at most %d", what, x, most)
		return 0
	}
	p.rest = p.rest[n:]
	return x
}

func (p *parser) varint(what string) int64 {
	x := p.uvarint(what, math.MaxUint64)
	return int64(x>>1) ^ -int64(x&1)
}

func (p *parser) text(what string) string {
	n := p.uvarint(what, math.MaxInt64)
	if p.err == nil && n > uint64(len(p.rest)) {
		p.err = fmt.Errorf("%s: %d bytes of which %d are there", what, n, len(p.rest))
	}
	if p.err != nil {
		return ""
	}
	s := string(p.rest[:n])
	p.rest = p.rest[n:]
	return s
}

func (p *parser) end() error {
	if p.err == nil && len(p.rest) > 0 {
		p.err = fmt.Errorf("%d bytes too many", len(p.rest))
	}
	return p.err
}
