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
	"os"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/timerbench/timerbench/structures"
)

// Reader reads a trace from front to back. It needs 4 MB, 8 bytes for each timer that is pending at the same
// time, and up to 14 for each that fires at the same advance, however long the trace is.
//
// It checks checksums and counts, and that each operation is possible after the earlier ones. An
// error is a [DamageError], or comes from the input. A trace that is cut short, as by kill -9,
// ends after its last whole chunk, and CutShort returns the reason.
type Reader struct {
	checker
	in     *bufio.Reader
	name   string // of the file
	header Header
	dec    *zstd.Decoder

	offset        int64 // of the next section
	sectionOffset int64 // of the current section
	payload       []byte

	chunk chunkHead // the current chunk
	raw   []byte    // its operations
	ops   parser    // of the rest of raw
	left  uint64    // number of operations in the rest
	last  uint32    // the previous key in the chunk
	fired []uint32
	sites []Site // the zero Site, then the sites of the schedules so far
	ran   []uint64
	err   error // the first; io.EOF at the end
	cut   error // of CutShort
	file  *os.File
}

// Open opens a file and reads the header of its trace. The caller must call Close.
func Open(path string) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(file, path)
	if err != nil {
		_ = file.Close() // it is only read
		return nil, err
	}
	r.file = file
	return r, nil
}

// Close closes the file of a Reader that [Open] made.
func (r *Reader) Close() error { return r.file.Close() }

// NewReader reads the header of a trace. Errors contain name, the name of the file.
func NewReader(in io.Reader, name string) (*Reader, error) {
	// The options are valid, so there is no error.
	dec, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecodeAllCapLimit(true))
	r := &Reader{in: bufio.NewReader(in), name: name, dec: dec, sites: make([]Site, 1)}
	if err := r.readStart(); err != nil {
		return nil, err
	}
	return r, nil
}

// Header returns the header of the trace.
func (r *Reader) Header() Header { return r.header }

// Totals returns the totals of the operations that were read so far. After io.EOF they are the totals of the trace.
func (r *Reader) Totals() Totals { return r.totals }

// Pending returns the number of timers that are pending now.
func (r *Reader) Pending() int { return int(r.totals.Pending()) }

// Sites returns the places in the program that have scheduled timers so far. The first is the zero Site, for
// timers whose place is not known.
func (r *Reader) Sites() []Site { return r.sites }

// Ran returns how many timers of each site the runtime of the program fired, by the number of the site, after Next has returned io.EOF.
// It is empty in traces that are cut short, and in those that no runtime has made. A channel that nobody waits for does not fire.
func (r *Reader) Ran() []uint64 { return r.ran }

// CutShort returns an error that says where the trace is cut short, after Next has returned
// io.EOF. It returns nil if the trace is whole.
func (r *Reader) CutShort() error { return r.cut }

// Next returns the next operation. Its Fired is valid until the next call. After the last operation, Next
// returns io.EOF. If the trace is cut short before the end of its first chunk, Next returns an error instead.
func (r *Reader) Next() (Op, error) {
	for r.err == nil && r.left == 0 {
		r.err = r.nextSection()
		if r.chunk.number > 0 && errors.Is(r.err, ErrCutShort) {
			r.err, r.cut = io.EOF, r.err
		}
	}
	if r.err != nil {
		return Op{}, r.err
	}
	op, err := r.decode()
	if err == nil {
		r.left--
		if r.left == 0 && len(r.ops.rest) > 0 {
			err = fmt.Errorf("%d bytes follow the last operation of the chunk", len(r.ops.rest))
		}
	}
	if err != nil {
		r.err = r.damage(r.chunk.first+r.chunk.ops-r.left+1, err)
		return Op{}, r.err
	}
	return op, nil
}

// Copy writes the remaining operations of r to w, which must be new. It does not close w. A trace
// of a program of "trace build" is not compressed, its copy is.
func Copy(w *Writer, r *Reader) error {
	for {
		op, err := r.Next()
		if errors.Is(err, io.EOF) {
			w.totals.Lost, w.totals.LostBy, w.totals.Heaped, w.ran = r.totals.Lost, r.totals.LostBy, r.totals.Heaped, r.ran
			return w.err
		}
		if err != nil {
			return err
		}
		if op.Kind == Schedule {
			w.From(r.sites[op.Site])
		}
		w.write(&op)
	}
}

// DamageError tells where and how a trace is damaged or cut short.
type DamageError struct {
	File   string
	Offset int64  // of the damaged section, in bytes
	Chunk  int    // from 1; 0: outside the chunks
	Op     uint64 // from 1; 0: the damage is not in one operation
	Err    error
}

func (e *DamageError) Error() string {
	where := e.File
	if e.Offset > 0 {
		where += fmt.Sprintf(": byte %d", e.Offset)
	}
	if e.Chunk > 0 {
		where += fmt.Sprintf(", chunk %d", e.Chunk)
	}
	if e.Op > 0 {
		where += fmt.Sprintf(", operation %d", e.Op)
	}
	return fmt.Sprintf("%s: %v", where, e.Err)
}

// Unwrap returns the damage without the place.
func (e *DamageError) Unwrap() error { return e.Err }

// ErrCutShort is wrapped by the DamageError of a trace that ends before its footer: the recording
// was interrupted, or the file is a partial copy.
var ErrCutShort = errors.New("the trace is cut short")

// damage returns a DamageError for the current section, and for an operation unless op is 0.
func (r *Reader) damage(op uint64, err error) error {
	d := &DamageError{File: r.name, Offset: r.sectionOffset, Op: op, Err: err}
	if op > 0 {
		d.Chunk = int(r.chunk.number)
	} else if r.header.Tick > 0 {
		d.Chunk = int(r.chunk.number) + 1 // the chunk that should be here
	}
	return d
}

// cutShort returns the error for a part of the file of which only got bytes are there.
func (r *Reader) cutShort(err error, want, got int) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return r.damage(0, fmt.Errorf("%w after %d operations: %d of the next %d bytes are there", ErrCutShort, r.chunk.first+r.chunk.ops, got, want))
}

func (r *Reader) readStart() error {
	head := make([]byte, len(magic)+1)
	n, err := io.ReadFull(r.in, head)
	version := head[len(magic)]
	switch {
	case n > 0 && !bytes.HasPrefix([]byte(magic), head[:min(n, len(magic))]):
		return r.damage(0, errors.New("this is no trace of timerbench, want one"))
	case n == 0 && errors.Is(err, io.EOF):
		return r.damage(0, fmt.Errorf("%w: the file is empty, want a trace", ErrCutShort))
	case err != nil:
		return r.cutShort(err, len(head), n)
	case version != Version:
		return r.damage(0, fmt.Errorf("a trace of version %d, want version %d: record it again with this timerbench", version, Version))
	}
	r.offset = int64(len(head))
	kind, err := r.readSection()
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

// nextSection reads the next section: a chunk, whose operations can then be decoded, or the
// footer, after which it returns io.EOF.
func (r *Reader) nextSection() error {
	kind, err := r.readSection()
	if err != nil {
		return err
	}
	switch kind {
	case sectionChunk:
		err = r.openChunk()
	case sectionFooter:
		if err := r.checkFooter(); err != nil {
			return &DamageError{File: r.name, Offset: r.sectionOffset, Err: err}
		}
		return io.EOF
	default:
		err = fmt.Errorf("a second section of kind %q", kind)
	}
	if err != nil {
		err = r.damage(0, err)
	}
	return err
}

// readSection reads the payload of a section and checks its checksum.
func (r *Reader) readSection() (kind byte, err error) {
	r.sectionOffset = r.offset
	var head [sectionHead]byte
	if n, err := io.ReadFull(r.in, head[:]); err != nil {
		return 0, r.cutShort(err, len(head), n)
	}
	kind = head[0]
	length := binary.LittleEndian.Uint32(head[1:])
	switch most := maxPayload(kind, int(r.totals.Keys)); {
	case most == 0:
		return 0, r.damage(0, fmt.Errorf("a section of unknown kind %q", kind))
	case int64(length) > int64(most):
		return 0, r.damage(0, fmt.Errorf("a section of kind %q with %d bytes, want at most %d", kind, length, most))
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
		return 0, r.damage(0, fmt.Errorf("a section of kind %q with checksum %#08x, want %#08x", kind, got, want))
	}
	r.offset += int64(sectionHead + size)
	return kind, nil
}

// openChunk checks the head of the chunk in payload and decompresses the operations.
func (r *Reader) openChunk() error {
	p := parser{rest: r.payload}
	head := chunkHead{p.number("number: ", math.MaxInt64), p.number("first operation: ", math.MaxInt64),
		p.number("number of operations: ", math.MaxInt64), p.number("length: ", math.MaxInt64)}
	if p.err != nil {
		return p.err
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
	if most := maxRaw(int(r.totals.Keys)); head.raw > uint64(most) {
		return fmt.Errorf("%d bytes of operations, want at most %d", head.raw, most)
	}
	if uint64(cap(r.raw)) < head.raw {
		r.raw = make([]byte, head.raw)
	}
	// The decoder writes no more than the capacity.
	raw, err := r.dec.DecodeAll(p.rest, r.raw[:0:head.raw])
	if err != nil {
		return fmt.Errorf("the operations do not decompress: %w", err)
	}
	if uint64(len(raw)) != head.raw {
		return fmt.Errorf("%d bytes of operations, want %d", len(raw), head.raw)
	}
	r.chunk, r.ops, r.left, r.last = head, parser{rest: raw}, head.ops, 0
	return nil
}

// checkFooter compares the footer in payload with the operations, and checks that the file ends there.
func (r *Reader) checkFooter() error {
	chunks, totals, ran, err := parseFooter(r.payload)
	switch {
	case err != nil:
		return fmt.Errorf("footer: %w", err)
	case chunks != r.chunk.number:
		return fmt.Errorf("footer: %d chunks, of which %d are there", chunks, r.chunk.number)
	case len(ran) > len(r.sites):
		return fmt.Errorf("footer: %d sites, of which %d are there", len(ran), len(r.sites))
	}
	r.ran = ran
	r.totals.Lost, r.totals.LostBy, r.totals.Heaped = totals.Lost, totals.LostBy, totals.Heaped
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

// decode decodes the next operation of the chunk and checks it.
func (r *Reader) decode() (op Op, err error) {
	if len(r.ops.rest) == 0 {
		return op, errors.New("it is missing from the chunk")
	}
	op.Kind = Kind(r.ops.rest[0])
	r.ops.rest = r.ops.rest[1:]
	if op.Kind == Reschedule || op.Kind == Cancel {
		op.Key = r.decodeKey()
	}
	if op.Kind == Schedule || op.Kind == Reschedule || op.Kind == Advance {
		op.At = r.decodeTick()
	}
	if op.Kind == Schedule {
		op.Site = r.decodeSite()
	}
	if op.Kind == Advance {
		op.Fired = r.decodeFired()
	}
	if err = r.ops.err; err == nil {
		err = r.apply(&op)
	}
	if err != nil {
		return op, fmt.Errorf("%v: %w", op.Kind, err)
	}
	if op.Kind == Schedule {
		r.last = op.Key
	}
	return op, nil
}

func (r *Reader) decodeFired() []uint32 {
	n := r.ops.number("", math.MaxUint64)
	if pending := r.totals.Pending(); n > pending {
		r.ops.fail("%d timers fire, of %d that are pending", n, pending)
	}
	if r.fired = r.fired[:0]; r.ops.err == nil {
		r.fired = slices.Grow(r.fired, int(n))
	}
	for i := uint64(0); i < n && r.ops.err == nil; i++ {
		r.fired = append(r.fired, r.decodeKey())
	}
	return r.fired
}

// decodeSite decodes the number of a site, and the text and the form of a new one.
func (r *Reader) decodeSite() int {
	n := r.ops.number("site: ", uint64(min(len(r.sites), maxSites)))
	if r.ops.err == nil && n == uint64(len(r.sites)) {
		site := Site{Place: r.ops.text("site: ")}
		if len(site.Place) > maxSite {
			r.ops.fail("a site of %d bytes, want at most %d", len(site.Place), maxSite)
		}
		form := r.ops.number("form of a site: ", periodicSite|resetSite|uint64(forms-1))
		if site.Form, site.Reset = Form(form&^(periodicSite|resetSite)), form&resetSite != 0; site.Form >= forms {
			r.ops.fail("form of a site: %d, want at most %d", site.Form, forms-1)
		}
		if form&periodicSite != 0 {
			site.Period = time.Duration(r.ops.number("period of a site: ", math.MaxInt64))
		}
		r.sites = append(r.sites, site)
	}
	return int(n)
}

// decodeTick decodes a tick, which is stored as the difference to the clock.
func (r *Reader) decodeTick() structures.Tick {
	x := r.ops.number("", math.MaxUint64)
	if x > math.MaxInt64-uint64(r.totals.Last) {
		r.ops.fail("%d ticks after tick %d are past the last tick, %d", x, r.totals.Last, int64(math.MaxInt64))
	}
	return r.totals.Last + structures.Tick(x)
}

// decodeKey decodes a key, which is stored as the difference to the previous key.
func (r *Reader) decodeKey() uint32 {
	key := int64(r.last) + r.ops.signed("")
	if key < 0 || key >= int64(r.totals.Keys) {
		r.ops.fail("key %d, where %d are known", key, r.totals.Keys)
		return 0
	}
	r.last = uint32(key)
	return r.last
}
