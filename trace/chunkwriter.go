package trace

import (
	"fmt"
	"io"
	"sync/atomic"
)

// chunkWriter compresses and writes chunks in a goroutine. If the goroutine is too
// slow, the program that is recorded waits, so that memory stays bounded.
type chunkWriter struct {
	out   io.Writer
	full  chan rawChunk
	empty chan []byte
	done  chan struct{}
	err   atomic.Pointer[error] // the first

	started bool
	head    chunkHead // of the last chunk that was written
	section []byte    // scratch
}

// rawChunk is the operations of a chunk before compression.
type rawChunk struct {
	raw []byte
	ops uint64
}

// buffers is the number of buffers for operations besides the one that is filled: one
// waits and one is compressed.
const buffers = 2

func newChunkWriter(out io.Writer) *chunkWriter {
	w := &chunkWriter{
		out:   out,
		full:  make(chan rawChunk),
		empty: make(chan []byte, buffers),
		done:  make(chan struct{}),
	}
	for range buffers {
		w.empty <- nil // a buffer grows when it is filled
	}
	return w
}

// send passes the operations of a chunk to the goroutine, which the first call starts. It
// waits for an empty buffer and returns it, or the first error so far.
func (w *chunkWriter) send(c rawChunk) (empty []byte, err error) {
	if err := w.err.Load(); err != nil {
		return nil, *err
	}
	if !w.started {
		w.started = true
		go w.run()
	}
	w.full <- c
	return (<-w.empty)[:0], nil
}

func (w *chunkWriter) run() {
	defer close(w.done)
	enc := newCompressor()
	defer func() { _ = enc.Close() }() // it writes to nothing
	for c := range w.full {
		if w.err.Load() == nil {
			if err := w.write(w.encode(enc, c)); err != nil {
				w.err.Store(&err)
			}
		}
		w.empty <- c.raw
	}
}

// encode returns the section of the next chunk.
func (w *chunkWriter) encode(enc *compressor, c rawChunk) []byte {
	w.head = chunkHead{number: w.head.number + 1, first: w.head.first + w.head.ops, ops: c.ops, raw: uint64(len(c.raw))}
	w.section = appendChunkHead(beginSection(w.section[:0], sectionChunk), w.head)
	w.section = enc.EncodeAll(c.raw, w.section)
	return endSection(w.section, 0)
}

func (w *chunkWriter) write(b []byte) error {
	if _, err := w.out.Write(b); err != nil {
		return fmt.Errorf("writing a trace: %w", err)
	}
	return nil
}

// close waits until all chunks are written and returns their number.
func (w *chunkWriter) close() (chunks uint64, err error) {
	if w.started {
		close(w.full)
		<-w.done
	}
	if err := w.err.Load(); err != nil {
		return 0, *err
	}
	return w.head.number, nil
}
