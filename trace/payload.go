package trace

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/timerbench/timerbench/structures"
)

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

// version returns the version of a trace with this header.
func (h Header) version() byte {
	if h.Sites {
		return Version
	}
	return 1
}

func parseHeader(payload []byte, version byte) (Header, error) {
	p := parser{rest: payload}
	h := Header{Tick: time.Duration(p.limited("tick", math.MaxInt64)), Sites: version > 1}
	if at := signed(p.limited("start", math.MaxUint64)); at != 0 {
		h.Started = time.Unix(at, 0).UTC()
	}
	h.Name = p.text("name")
	h.Description = p.text("description")
	if err := p.end(); err != nil {
		return h, err
	}
	return h, h.validate()
}

// chunkHead is the head of a chunk.
type chunkHead struct {
	number uint64 // from 1
	first  uint64 // number of operations before the chunk
	ops    uint64 // number of operations in the chunk
	raw    uint64 // length of the operations in bytes, before compression
}

func appendChunkHead(b []byte, h chunkHead) []byte {
	for _, x := range []uint64{h.number, h.first, h.ops, h.raw} {
		b = binary.AppendUvarint(b, x)
	}
	return b
}

func parseChunkHead(payload []byte) (h chunkHead, compressed []byte, err error) {
	p := parser{rest: payload}
	h.number = p.limited("number", math.MaxInt64)
	h.first = p.limited("first operation", math.MaxInt64)
	h.ops = p.limited("number of operations", math.MaxInt64)
	h.raw = p.limited("length", math.MaxInt64)
	return h, p.rest, p.err
}

func appendFooter(b []byte, chunks uint64, t Totals, version byte) []byte {
	b = binary.AppendUvarint(b, chunks)
	for _, n := range t.Ops {
		b = binary.AppendUvarint(b, n)
	}
	for _, x := range []uint64{t.Fired, uint64(t.First), uint64(t.Last), t.Keys} {
		b = binary.AppendUvarint(b, x)
	}
	if version > 1 {
		b = binary.AppendUvarint(binary.AppendUvarint(b, t.Lost), t.Heaped)
	}
	return b
}

func parseFooter(payload []byte, version byte) (chunks uint64, t Totals, err error) {
	p := parser{rest: payload}
	chunks = p.limited("chunks", math.MaxInt64)
	for k := range t.Ops {
		t.Ops[k] = p.limited("operations", math.MaxInt64)
	}
	t.Fired = p.limited("fired", math.MaxInt64)
	t.First = structures.Tick(p.limited("first tick", math.MaxInt64))
	t.Last = structures.Tick(p.limited("last tick", math.MaxInt64))
	t.Keys = p.limited("keys", MaxPending)
	if version > 1 {
		t.Lost = p.limited("lost", math.MaxInt64)
		t.Heaped = p.limited("put into the heap", math.MaxInt64)
	}
	return chunks, t, p.end()
}
