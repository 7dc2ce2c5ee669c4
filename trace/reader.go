package trace

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"

	"github.com/timerbench/timerbench/structures"
)

// Reader reads a trace from front to end. Its memory is that of one chunk and of
// 12 bytes for each timer pending at the same time, however long the trace.
//
// It believes nothing: checksums, counts, and that every operation makes sense
// after those before it. An error is a [DamageError], or what the file system had
// to say.
type Reader struct {
	ledger
	in     *bufio.Reader
	name   string // of the file
	header Header
	dec    *zstd.Decoder

	offset  int64 // of the next section
	section int64 // offset of the section at hand
	payload []byte
	chunk   chunkHead // the one at hand
	raw     []byte    // its operations
	rest    []byte    // of raw, not read yet
	left    uint64    // operations in rest
	last    uint32    // the key named last in the chunk
	fired   []uint32
	err     error // sticky; io.EOF at the end
}

// NewReader begins to read; name is what errors call the file.
func NewReader(in io.Reader, name string) (*Reader, error) {
	// The options hold always, so there is no error.
	dec, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecodeAllCapLimit(true))
	r := &Reader{in: bufio.NewReader(nil), dec: dec}
	if err := r.Reset(in, name); err != nil {
		return nil, err
	}
	return r, nil
}

// Reset begins to read another trace, or the same one again, in the same memory.
func (r *Reader) Reset(in io.Reader, name string) error {
	r.in.Reset(in)
	*r = Reader{
		ledger: ledger{deadlines: r.deadlines[:0], free: r.free[:0]},
		in:     r.in, name: name, dec: r.dec,
		payload: r.payload, raw: r.raw, fired: r.fired,
	}
	r.err = r.begin()
	return r.err
}

// Header returns the trace's header.
func (r *Reader) Header() Header { return r.header }

// Totals returns what was read so far; after io.EOF, the totals of the trace.
func (r *Reader) Totals() Totals { return r.totals }

// Pending returns the number of timers pending now.
func (r *Reader) Pending() int { return r.pending() }

// Next returns the next operation, whose Fired holds until the next call, and
// io.EOF after the last one of a trace that is whole.
func (r *Reader) Next() (Op, error) {
	for r.err == nil && r.left == 0 {
		r.nextSection()
	}
	if r.err != nil {
		return Op{}, r.err
	}
	op, err := r.decode()
	if err == nil {
		r.left--
		if r.left == 0 && len(r.rest) > 0 {
			err = fmt.Errorf("%d bytes follow the last operation of the chunk", len(r.rest))
		}
	}
	if err != nil {
		r.err = r.damage(r.chunk.first+r.chunk.ops-r.left+1, err)
		return Op{}, r.err
	}
	return op, nil
}

// begin reads the magic, the version and the header.
func (r *Reader) begin() error {
	head := make([]byte, len(magic)+1)
	n, err := io.ReadFull(r.in, head)
	switch {
	case n > 0 && !bytes.HasPrefix([]byte(magic), head[:min(n, len(magic))]):
		return r.damage(0, errors.New("this is no trace of timerbench"))
	case err != nil:
		return r.cut(err, len(head), n)
	case head[len(magic)] != Version:
		return r.damage(0, fmt.Errorf("a trace of version %d, want version %d", head[len(magic)], Version))
	}
	r.offset = int64(len(head))
	kind, err := r.read()
	if err != nil {
		return err
	}
	if kind != sectionHeader {
		return r.damage(0, fmt.Errorf("a section of kind %q, want the header", kind))
	}
	if r.header, err = parseHeader(r.payload); err != nil {
		return r.damage(0, fmt.Errorf("header: %w", err))
	}
	return nil
}

// read reads one section into payload, once its checksum is found to be right.
func (r *Reader) read() (kind byte, err error) {
	r.section = r.offset
	var head [sectionHead]byte
	if n, err := io.ReadFull(r.in, head[:]); err != nil {
		return 0, r.cut(err, len(head), n)
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
		return 0, r.cut(err, len(head)+size, len(head)+n)
	}
	want := binary.LittleEndian.Uint32(r.payload[length:])
	r.payload = r.payload[:length]
	if got := crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, r.payload); got != want {
		return 0, r.damage(0, fmt.Errorf("a section of kind %q with checksum %#08x, want %#08x", head[0], got, want))
	}
	r.offset += int64(sectionHead + size)
	return head[0], nil
}

// nextSection makes the operations of the next chunk ready, or sets err.
func (r *Reader) nextSection() {
	kind, err := r.read()
	switch {
	case err != nil:
		r.err = err
	case kind == sectionChunk:
		if err := r.open(); err != nil {
			r.err = r.damage(0, err)
		}
	case kind == sectionFooter:
		if err := r.finish(); err != nil {
			r.err = &DamageError{File: r.name, Offset: r.section, Err: err}
			return
		}
		r.err = io.EOF
	default:
		r.err = r.damage(0, fmt.Errorf("a second section of kind %q", kind))
	}
}

// open makes a chunk ready.
func (r *Reader) open() error {
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
	// The capacity is what bounds the decoder.
	raw, err := r.dec.DecodeAll(compressed, r.raw[:0:head.raw])
	if err != nil {
		return fmt.Errorf("the operations do not decompress: %w", err)
	}
	if uint64(len(raw)) != head.raw {
		return fmt.Errorf("%d bytes of operations, want %d", len(raw), head.raw)
	}
	r.chunk, r.rest, r.left, r.last = head, raw, head.ops, 0
	return nil
}

// finish holds the footer against what was read.
func (r *Reader) finish() error {
	chunks, totals, err := parseFooter(r.payload)
	switch {
	case err != nil:
		return fmt.Errorf("footer: %w", err)
	case chunks != r.chunk.number:
		return fmt.Errorf("footer: %d chunks, of which %d are there", chunks, r.chunk.number)
	case totals != r.totals:
		return fmt.Errorf("footer: %+v, but the operations come to %+v", totals, r.totals)
	}
	if err := r.end(); err != nil {
		return err
	}
	if _, err := r.in.ReadByte(); err == nil {
		return fmt.Errorf("bytes follow the footer, which ends at byte %d", r.offset)
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// decode takes one operation apart.
func (r *Reader) decode() (op Op, err error) {
	if len(r.rest) == 0 {
		return op, errors.New("it is missing from the chunk")
	}
	op.Kind = Kind(r.rest[0])
	r.rest = r.rest[1:]
	if err := r.operands(&op); err != nil {
		return op, fmt.Errorf("%v: %w", op.Kind, err)
	}
	return op, nil
}

func (r *Reader) operands(op *Op) (err error) {
	switch op.Kind {
	case Schedule:
		if op.At, err = r.tick(); err == nil {
			op.Key, err = r.schedule(op.At)
			r.last = op.Key
		}
	case Reschedule:
		if op.Key, err = r.key(); err == nil {
			op.At, err = r.tick()
		}
		if err == nil {
			err = r.reschedule(op.Key, op.At)
		}
	case Cancel:
		if op.Key, err = r.key(); err == nil {
			err = r.cancel(op.Key)
		}
	case Advance:
		if op.At, err = r.tick(); err == nil {
			err = r.firedKeys()
		}
		if err == nil {
			op.Fired = r.fired
			op.Late, err = r.advance(op.At, r.fired)
		}
	case RefusedReschedule, RefusedCancel:
		r.totals.Ops[op.Kind]++
	default:
		err = errors.New("there is no such kind")
	}
	return err
}

// firedKeys reads the keys of an advance.
func (r *Reader) firedKeys() error {
	n, err := r.uvarint()
	if err != nil {
		return err
	}
	if pending := r.pending(); n > uint64(pending) {
		return fmt.Errorf("%d timers fire, of %d that are pending", n, pending)
	}
	r.fired = r.fired[:0]
	for range n {
		key, err := r.key()
		if err != nil {
			return err
		}
		r.fired = append(r.fired, key)
	}
	return nil
}

// tick reads a tick, which is written as the distance from the clock.
func (r *Reader) tick() (structures.Tick, error) {
	x, err := r.uvarint()
	if err == nil && x > math.MaxInt64-uint64(r.totals.Last) {
		err = fmt.Errorf("%d ticks from tick %d are beyond the end of time", x, r.totals.Last)
	}
	return r.totals.Last + structures.Tick(x), err
}

// key reads a key, which is written as the difference from the one before.
func (r *Reader) key() (uint32, error) {
	x, err := r.uvarint()
	key := int64(r.last) + (int64(x>>1) ^ -int64(x&1))
	if err == nil && (key < 0 || key >= int64(len(r.deadlines))) {
		err = fmt.Errorf("key %d, where %d are known", key, len(r.deadlines))
	}
	if err != nil {
		return 0, err
	}
	r.last = uint32(key)
	return r.last, nil
}

func (r *Reader) uvarint() (uint64, error) {
	x, n := binary.Uvarint(r.rest)
	if n <= 0 {
		return 0, errNumber
	}
	r.rest = r.rest[n:]
	return x, nil
}

// damage wraps what is wrong with where it is.
func (r *Reader) damage(op uint64, err error) error {
	d := &DamageError{File: r.name, Offset: r.section, Op: op, Err: err}
	if op > 0 {
		d.Chunk = int(r.chunk.number)
	} else if r.header.Tick > 0 {
		d.Chunk = int(r.chunk.number) + 1 // what was to come
	}
	return d
}

// cut says that the file ends too early, or could not be read.
func (r *Reader) cut(err error, want, got int) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("reading %s: %w", r.name, err)
	}
	what := "the section"
	if r.header.Tick > 0 {
		what = fmt.Sprintf("what should follow operation %d", r.chunk.first+r.chunk.ops)
	}
	return r.damage(0, fmt.Errorf("%w: of the %d bytes of %s, %d are there", ErrCutShort, want, what, got))
}
