package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Reader reads a trace from front to back. It needs the memory of one chunk, and 12
// bytes for each timer that is pending at the same time, however long the trace is.
//
// It checks everything: checksums, counts, and that each operation makes sense
// after those before it. An error is a [DamageError], or comes from the input.
type Reader struct {
	checker
	in     *bufio.Reader
	name   string // of the file
	header Header
	dec    *zstd.Decoder

	offset        int64 // of the next section
	sectionOffset int64 // of the section that was read last
	payload       []byte

	chunk chunkHead // the chunk that was read last
	raw   []byte    // its operations
	ops   parser    // of what is not decoded yet
	left  uint64    // operations in it
	last  uint32    // the last key in the chunk
	fired []uint32
	sites []string // "" and those of the schedules so far
	err   error    // the first; io.EOF at the end
}

// NewReader reads the header of a trace. Errors call the file name.
func NewReader(in io.Reader, name string) (*Reader, error) {
	// The options are valid, so there is no error.
	dec, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecodeAllCapLimit(true))
	r := &Reader{in: bufio.NewReader(nil), dec: dec}
	if err := r.Reset(in, name); err != nil {
		return nil, err
	}
	return r, nil
}

// Reset begins another trace, or the same trace again, in the same memory.
func (r *Reader) Reset(in io.Reader, name string) error {
	r.in.Reset(in)
	*r = Reader{
		checker: checker{deadlines: r.deadlines[:0], free: r.free[:0]},
		in:      r.in, name: name, dec: r.dec,
		payload: r.payload, raw: r.raw, fired: r.fired, sites: append(r.sites[:0], ""),
	}
	r.err = r.readStart()
	return r.err
}

// Header returns the header of the trace.
func (r *Reader) Header() Header { return r.header }

// Totals returns the totals of what was read so far. After io.EOF these are the
// totals of the trace.
func (r *Reader) Totals() Totals { return r.totals }

// Pending returns the number of timers that are pending now.
func (r *Reader) Pending() int { return r.pending() }

// Sites returns the places in the program that asked for the timers so far. The first is
// "", for timers of which it is not known.
func (r *Reader) Sites() []string { return r.sites }

// Next returns the next operation. Its Fired is valid until the next call. After
// the last operation, Next returns io.EOF if the trace is whole.
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

// readStart reads the magic, the version and the header.
func (r *Reader) readStart() error {
	head := make([]byte, len(magic)+1)
	n, err := io.ReadFull(r.in, head)
	switch {
	case n > 0 && !bytes.HasPrefix([]byte(magic), head[:min(n, len(magic))]):
		return r.damage(0, errors.New("this is no trace of timerbench"))
	case err != nil:
		return r.cutShort(err, len(head), n)
	case head[len(magic)] > Version:
		return r.damage(0, fmt.Errorf("a trace of version %d, want version %d: it was written by a newer timerbench", head[len(magic)], Version))
	case head[len(magic)] == 0:
		return r.damage(0, errors.New("a trace of version 0, want version 1 or 2"))
	}
	r.offset = int64(len(head))
	kind, err := r.readSection()
	if err != nil {
		return err
	}
	if kind != sectionHeader {
		return r.damage(0, fmt.Errorf("a section of kind %q, want the header", kind))
	}
	if r.header, err = parseHeader(r.payload, head[len(magic)]); err != nil {
		return r.damage(0, fmt.Errorf("header: %w", err))
	}
	return nil
}
