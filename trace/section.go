package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// nextSection reads a section: the next chunk, of which it makes the operations
// ready, or the footer, after which err is io.EOF.
func (r *Reader) nextSection() {
	kind, err := r.readSection()
	switch {
	case err != nil:
		r.err = err
	case kind == sectionChunk:
		if err := r.openChunk(); err != nil {
			r.err = r.damage(0, err)
		}
	case kind == sectionFooter:
		if err := r.checkFooter(); err != nil {
			r.err = &DamageError{File: r.name, Offset: r.sectionOffset, Err: err}
			return
		}
		r.err = io.EOF
	default:
		r.err = r.damage(0, fmt.Errorf("a second section of kind %q", kind))
	}
}

// readSection reads the payload of a section and checks its checksum.
func (r *Reader) readSection() (kind byte, err error) {
	r.sectionOffset = r.offset
	var head [sectionHead]byte
	if n, err := io.ReadFull(r.in, head[:]); err != nil {
		return 0, r.cutShort(err, len(head), n)
	}
	most := map[byte]int{
		sectionHeader: maxHeader, sectionChunk: maxPayload(maxRaw(len(r.deadlines))), sectionFooter: maxFooter,
	}[head[0]]
	if most == 0 {
		return 0, r.damage(0, fmt.Errorf("a section of unknown kind %q", head[0]))
	}
	length := binary.LittleEndian.Uint32(head[1:])
	if int64(length) > int64(most) {
		return 0, r.damage(0, fmt.Errorf("a section of kind %q with %d bytes, want at most %d", head[0], length, most))
	}
	size := int(length) + sectionTail
	if cap(r.payload) < size {
		r.payload = make([]byte, size)
	}
	r.payload = r.payload[:size]
	if n, err := io.ReadFull(r.in, r.payload); err != nil {
		return 0, r.cutShort(err, len(head)+size, len(head)+n)
	}
	want := binary.LittleEndian.Uint32(r.payload[length:])
	r.payload = r.payload[:length]
	if got := crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, r.payload); got != want {
		return 0, r.damage(0, fmt.Errorf("a section of kind %q with checksum %#08x, want %#08x", head[0], got, want))
	}
	r.offset += int64(sectionHead + size)
	return head[0], nil
}

// openChunk checks the head of the chunk in payload and decompresses its operations.
func (r *Reader) openChunk() error {
	head, compressed, err := parseChunkHead(r.payload)
	if err != nil {
		return err
	}
	if want := r.chunk.number + 1; head.number != want {
		return fmt.Errorf("this is chunk %d, want chunk %d", head.number, want)
	}
	if want := r.chunk.first + r.chunk.ops; head.first != want {
		return fmt.Errorf("the chunk begins after operation %d, want after %d", head.first, want)
	}
	if head.ops == 0 || head.ops > head.raw {
		return fmt.Errorf("%d operations in %d bytes", head.ops, head.raw)
	}
	if most := maxRaw(len(r.deadlines)); head.raw > uint64(most) {
		return fmt.Errorf("%d bytes of operations, want at most %d", head.raw, most)
	}
	if uint64(cap(r.raw)) < head.raw {
		r.raw = make([]byte, head.raw)
	}
	// The decoder writes no more than the capacity.
	raw, err := r.dec.DecodeAll(compressed, r.raw[:0:head.raw])
	if err != nil {
		return fmt.Errorf("the operations do not decompress: %w", err)
	}
	if uint64(len(raw)) != head.raw {
		return fmt.Errorf("%d bytes of operations, want %d", len(raw), head.raw)
	}
	r.chunk, r.ops, r.left, r.last = head, parser{rest: raw}, head.ops, 0
	return nil
}

// checkFooter compares the footer in payload with what was read, and checks that
// nothing follows it.
func (r *Reader) checkFooter() error {
	chunks, totals, err := parseFooter(r.payload, r.header.version())
	switch {
	case err != nil:
		return fmt.Errorf("footer: %w", err)
	case chunks != r.chunk.number:
		return fmt.Errorf("footer: %d chunks, of which %d are there", chunks, r.chunk.number)
	}
	r.totals.Lost, r.totals.Heaped = totals.Lost, totals.Heaped
	if totals != r.totals {
		return fmt.Errorf("footer: %+v, but the operations come to %+v", totals, r.totals)
	}
	if err := r.checkEnd(); err != nil {
		return err
	}
	if _, err := r.in.ReadByte(); err == nil {
		return fmt.Errorf("bytes follow the footer, which ends at byte %d", r.offset)
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
