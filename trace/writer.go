package trace

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// Writer writes a trace. Its methods mirror what a program does with its timers;
// it checks that they make sense, so that what it writes can be read. The first
// error ends the trace and is returned by Close; calls after it do nothing.
//
// Operations are encoded at once and compressed in a goroutine, which Close ends.
// A Writer is for one goroutine at a time.
type Writer struct {
	ledger
	out  *output
	raw  []byte // operations of the chunk
	ops  uint64 // in the chunk
	last uint32 // the key named last in the chunk
	size int    // at which a chunk ends
	tick time.Duration
	err  error
}

// NewWriter begins a trace on out, which Close leaves open.
func NewWriter(out io.Writer, h Header) (*Writer, error) {
	if err := h.validate(); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	b := append([]byte(magic), Version)
	start := len(b)
	b = appendHeader(beginSection(b, sectionHeader), h)
	if _, err := out.Write(endSection(b, start)); err != nil {
		return nil, fmt.Errorf("writing a trace: %w", err)
	}
	w := &Writer{out: newOutput(out), size: chunkSize, tick: h.Tick}
	w.raw = w.out.buffer()
	return w, nil
}

// Schedule takes down that a timer was added and returns the key that names it
// until it fires or is cancelled. The deadline must be after the tick advanced to.
func (w *Writer) Schedule(deadline structures.Tick) (key uint32) {
	if w.err != nil {
		return 0
	}
	delay := deadline - w.totals.Last
	key, err := w.schedule(deadline)
	if err != nil {
		w.fail(Schedule, err)
		return 0
	}
	w.raw = binary.AppendUvarint(append(w.raw, byte(Schedule)), uint64(delay))
	w.last = key
	w.done()
	return key
}

// Reschedule takes down that a pending timer was moved.
func (w *Writer) Reschedule(key uint32, deadline structures.Tick) {
	if w.err != nil {
		return
	}
	if err := w.reschedule(key, deadline); err != nil {
		w.fail(Reschedule, err)
		return
	}
	w.raw = append(w.raw, byte(Reschedule))
	w.name(key)
	w.raw = binary.AppendUvarint(w.raw, uint64(deadline-w.totals.Last))
	w.done()
}

// Cancel takes down that a pending timer was removed.
func (w *Writer) Cancel(key uint32) {
	if w.err != nil {
		return
	}
	if err := w.cancel(key); err != nil {
		w.fail(Cancel, err)
		return
	}
	w.raw = append(w.raw, byte(Cancel))
	w.name(key)
	w.done()
}

// Advance takes down that the clock moved, perhaps by 0 ticks, and that the timers
// of the keys fired: all that were due, and no other.
func (w *Writer) Advance(to structures.Tick, fired ...uint32) {
	if w.err != nil {
		return
	}
	ticks := to - w.totals.Last
	if _, err := w.advance(to, fired); err != nil {
		w.fail(Advance, err)
		return
	}
	w.raw = binary.AppendUvarint(append(w.raw, byte(Advance)), uint64(ticks))
	w.raw = binary.AppendUvarint(w.raw, uint64(len(fired)))
	for _, key := range fired {
		w.name(key)
	}
	w.done()
}

// Refused takes down a Reschedule or a Cancel of a timer that was not pending.
func (w *Writer) Refused(k Kind) {
	if w.err != nil {
		return
	}
	switch k {
	case Cancel:
		k = RefusedCancel
	case Reschedule:
		k = RefusedReschedule
	default:
		w.fail(k, fmt.Errorf("want %v or %v", Reschedule, Cancel))
		return
	}
	w.totals.Ops[k]++
	w.raw = append(w.raw, byte(k))
	w.done()
}

// Totals returns what was taken down so far.
func (w *Writer) Totals() Totals { return w.totals }

// Err returns the first error so far.
func (w *Writer) Err() error { return w.err }

// Close completes the trace: without it, a reader takes the trace to be cut
// short. It returns the first error of the whole trace.
func (w *Writer) Close() error {
	if w.out == nil {
		return w.err
	}
	if w.err == nil {
		if err := w.end(); err != nil {
			w.fail(Advance, err)
		}
	}
	if w.err == nil {
		w.flush()
	}
	chunks, err := w.out.stop()
	if w.err == nil {
		w.err = err
	}
	if w.err == nil {
		w.err = w.out.write(endSection(appendFooter(beginSection(nil, sectionFooter), chunks, w.totals), 0))
	}
	w.out = nil
	return w.err
}

// name appends a key as the difference from the one before it.
func (w *Writer) name(key uint32) {
	w.raw = binary.AppendVarint(w.raw, int64(key)-int64(w.last))
	w.last = key
}

// done ends an operation, and the chunk if it is full.
func (w *Writer) done() {
	w.ops++
	if len(w.raw) >= w.size {
		w.flush()
	}
}

func (w *Writer) flush() {
	if w.ops == 0 {
		return
	}
	if err := w.out.failed(); err != nil {
		w.err = err
		return
	}
	w.out.give(batch{raw: w.raw, ops: w.ops})
	w.raw, w.ops, w.last = w.out.buffer(), 0, 0
}

func (w *Writer) fail(k Kind, err error) {
	w.err = fmt.Errorf("trace: operation %d, %v: %w", w.totals.Count()+1, k, err)
}
