package trace

import (
	"errors"
	"fmt"
	"io"
)

// DamageError says where a trace is damaged or cut short, and how.
type DamageError struct {
	File   string
	Offset int64  // of the damaged section, in bytes
	Chunk  int    // from 1; 0: outside the chunks
	Op     uint64 // from 1; 0: the damage is not in one operation
	Err    error
}

func (e *DamageError) Error() string {
	where := fmt.Sprintf("%s: byte %d", e.File, e.Offset)
	if e.Chunk > 0 {
		where += fmt.Sprintf(", chunk %d", e.Chunk)
	}
	if e.Op > 0 {
		where += fmt.Sprintf(", operation %d", e.Op)
	}
	return fmt.Sprintf("%s: %v", where, e.Err)
}

// Unwrap returns what is wrong, without the place.
func (e *DamageError) Unwrap() error { return e.Err }

// ErrCutShort is in the DamageError of a trace that ends before its footer. The
// recording was interrupted, or the file was not copied whole.
var ErrCutShort = errors.New("the trace is cut short")

// damage returns a DamageError for the section that was read last, and for an
// operation unless op is 0.
func (r *Reader) damage(op uint64, err error) error {
	d := &DamageError{File: r.name, Offset: r.sectionOffset, Op: op, Err: err}
	if op > 0 {
		d.Chunk = int(r.chunk.number)
	} else if r.header.Tick > 0 {
		d.Chunk = int(r.chunk.number) + 1 // the chunk that should be here
	}
	return d
}

// cutShort returns the error for a part of the file of which only got bytes could
// be read.
func (r *Reader) cutShort(err error, want, got int) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("reading %s: %w", r.name, err)
	}
	what := "the section"
	if r.header.Tick > 0 {
		what = fmt.Sprintf("what should follow operation %d", r.chunk.first+r.chunk.ops)
	}
	return r.damage(0, fmt.Errorf("%w: of the %d bytes of %s, %d are there", ErrCutShort, want, what, got))
}
