package trace

import (
	"fmt"
	"io"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
)

// output compresses and writes chunks in a goroutine of its own. Where it cannot
// keep up, the program that is recorded waits: memory stays bounded.
type output struct {
	w     io.Writer
	full  chan batch
	empty chan []byte
	done  chan struct{}
	err   atomic.Pointer[error] // the first

	started bool
	head    chunkHead // of the chunk written last
	section []byte    // scratch
}

// batch is the operations of a chunk.
type batch struct {
	raw []byte
	ops uint64
}

// buffers is how many chunks there are: one that is filled, one that waits and
// one that is compressed.
const buffers = 3

func newOutput(w io.Writer) *output {
	o := &output{
		w:     w,
		full:  make(chan batch),
		empty: make(chan []byte, buffers),
		done:  make(chan struct{}),
	}
	for range buffers {
		o.empty <- nil // they grow as they are filled
	}
	return o
}

// buffer returns an empty one, as soon as there is one.
func (o *output) buffer() []byte { return (<-o.empty)[:0] }

// failed returns the first error so far.
func (o *output) failed() error {
	if err := o.err.Load(); err != nil {
		return *err
	}
	return nil
}

// give hands over the operations of a chunk. The goroutine starts with the first.
func (o *output) give(b batch) {
	if !o.started {
		o.started = true
		go o.run()
	}
	o.full <- b
}

func (o *output) run() {
	defer close(o.done)
	// The default level takes three times as long, for files 3 to 5 % smaller. The
	// options hold always, so there is no error.
	enc, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(chunkSize), zstd.WithEncoderCRC(false))
	defer func() { _ = enc.Close() }() // it writes to nothing
	for b := range o.full {
		if o.failed() == nil {
			if err := o.write(o.chunk(enc, b)); err != nil {
				o.err.Store(&err)
			}
		}
		o.empty <- b.raw
	}
}

// chunk returns the section of the next chunk.
func (o *output) chunk(enc *zstd.Encoder, b batch) []byte {
	o.head = chunkHead{number: o.head.number + 1, first: o.head.first + o.head.ops, ops: b.ops, raw: uint64(len(b.raw))}
	o.section = appendChunkHead(beginSection(o.section[:0], sectionChunk), o.head)
	o.section = enc.EncodeAll(b.raw, o.section)
	return endSection(o.section, 0)
}

func (o *output) write(b []byte) error {
	if _, err := o.w.Write(b); err != nil {
		return fmt.Errorf("writing a trace: %w", err)
	}
	return nil
}

// stop waits until all is written and returns the number of chunks.
func (o *output) stop() (chunks uint64, err error) {
	if o.started {
		close(o.full)
		<-o.done
	}
	return o.head.number, o.failed()
}
