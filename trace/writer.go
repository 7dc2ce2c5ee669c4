package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/timerbench/timerbench/structures"
)

// Writer writes a trace. It has a method for each kind of operation, and checks that each operation is possible
// after the earlier ones. The first error ends the trace: later calls do nothing, and Close returns the error.
//
// A Writer encodes operations at once. The call that fills a chunk, about every 60,000th,
// compresses and writes it, which takes a millisecond. One goroutine at a time may use a Writer.
type Writer struct {
	checker
	out    io.Writer
	enc    *compressor
	raw    []byte // operations of the chunk
	ops    uint64 // number of operations in raw
	last   uint32 // the last key in the chunk
	size   int    // a chunk ends when raw has this length
	chunk  chunkHead
	buffer []byte // of a section
	header Header
	site   Site            // site of the following schedules
	sites  map[Site]uint64 // numbers of the sites so far; the zero Site has number 0
	ran    []uint64        // timers that the program's runtime has fired, by the number of the site
	err    error
	closed bool
	result error // of Close
}

var errClosed = errors.New("trace: the recording has ended")

// NewWriter writes the header of a trace to out. It returns an error if the header is not valid
// or cannot be written. Close does not close out.
func NewWriter(out io.Writer, h Header) (*Writer, error) {
	if err := h.validate(); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	w := &Writer{out: out, size: chunkSize, header: h, sites: map[Site]uint64{{}: 0}}
	b := append([]byte(magic), Version)
	w.writeBytes(endSection(appendHeader(beginSection(b, sectionHeader), h), len(b)))
	return w, w.err
}

// footer returns the section that ends the trace after the chunks so far.
func (w *Writer) footer() []byte {
	return endSection(appendFooter(beginSection(nil, sectionFooter), w.chunk.number, w.totals, w.ran), 0)
}

func (w *Writer) writeBytes(b []byte) {
	if _, err := w.out.Write(b); err != nil && w.err == nil {
		w.err = fmt.Errorf("writing a trace: %w", err)
	}
}

// Schedule records that a timer is added. It returns the key that names the timer until it fires
// or is cancelled. The deadline must be after the clock.
func (w *Writer) Schedule(deadline structures.Tick) (key uint32) {
	op := Op{Kind: Schedule, At: deadline}
	w.write(&op)
	return op.Key
}

// Reschedule records that a pending timer is moved. The deadline must be after the clock.
func (w *Writer) Reschedule(key uint32, deadline structures.Tick) {
	w.write(&Op{Kind: Reschedule, Key: key, At: deadline})
}

// Cancel records that a pending timer is removed.
func (w *Writer) Cancel(key uint32) { w.write(&Op{Kind: Cancel, Key: key}) }

// Advance records that the clock moves, perhaps by 0 ticks, and that the timers with these keys
// fire. They must be all timers that are due.
func (w *Writer) Advance(to structures.Tick, fired ...uint32) {
	w.write(&Op{Kind: Advance, At: to, Fired: fired})
}

// Refused records a Reschedule or a Cancel of a timer that is not pending. Another kind is an error.
func (w *Writer) Refused(k Kind) {
	switch k {
	case Cancel:
		w.write(&Op{Kind: RefusedCancel})
	case Reschedule:
		w.write(&Op{Kind: RefusedReschedule})
	default:
		w.fail(k, fmt.Errorf("want %v or %v", Reschedule, Cancel))
	}
}

// write checks an operation and appends it to the chunk. If the chunk is then full, write ends it.
func (w *Writer) write(op *Op) {
	if w.err != nil {
		return
	}
	clock := w.totals.Last
	if err := w.apply(op); err != nil {
		w.fail(op.Kind, err)
		return
	}
	w.raw = append(w.raw, byte(op.Kind))
	if op.Kind == Reschedule || op.Kind == Cancel {
		w.appendKey(op.Key)
	}
	if op.Kind == Schedule || op.Kind == Reschedule || op.Kind == Advance {
		w.raw = binary.AppendUvarint(w.raw, uint64(op.At-clock))
	}
	switch op.Kind {
	case Schedule:
		w.appendSite()
		w.last = op.Key
	case Advance:
		w.raw = binary.AppendUvarint(w.raw, uint64(len(op.Fired)))
		for _, key := range op.Fired {
			w.appendKey(key)
		}
	}
	if w.ops++; len(w.raw) >= w.size {
		w.flush()
	}
}

// From sets the site of the following schedules. The trace keeps the first 1 KiB of the place of each of 4,096 sites.
func (w *Writer) From(site Site) {
	site.Place = site.Place[:min(len(site.Place), maxSite)]
	w.site = site
}

// appendSite appends the number of the site, and its text and form if it is new.
func (w *Writer) appendSite() {
	n, known := w.sites[w.site]
	if known || len(w.sites) > maxSites {
		w.raw = binary.AppendUvarint(w.raw, n)
		return
	}
	n = uint64(len(w.sites))
	w.sites[w.site] = n
	form := byte(w.site.Form)
	if w.site.Reset {
		form |= resetSite
	}
	if w.site.Period > 0 {
		form |= periodicSite
	}
	w.raw = append(appendText(binary.AppendUvarint(w.raw, n), w.site.Place), form)
	if w.site.Period > 0 {
		w.raw = binary.AppendUvarint(w.raw, uint64(w.site.Period))
	}
}

// fires counts that the runtime of the program fires a timer of a site.
func (w *Writer) fires(site Site) {
	for n := w.sites[site]; ; w.ran = append(w.ran, 0) {
		if n < uint64(len(w.ran)) {
			w.ran[n]++
			return
		}
	}
}

// appendKey appends a key as the difference to the previous one.
func (w *Writer) appendKey(key uint32) {
	w.raw = binary.AppendVarint(w.raw, int64(key)-int64(w.last))
	w.last = key
}

// Totals returns the totals of the recording so far.
func (w *Writer) Totals() Totals { return w.totals }

// Err returns the first error so far.
func (w *Writer) Err() error { return w.err }

// Close completes the trace and returns the first error of the recording. Later calls of other
// methods record nothing. A trace that was not closed is cut short.
func (w *Writer) Close() error {
	if w.closed {
		return w.result
	}
	if err := w.checkEnd(); err != nil {
		w.fail(Advance, err)
	}
	w.flush()
	if w.err == nil {
		w.writeBytes(w.footer())
	}
	if w.enc != nil {
		_ = w.enc.Close() // it writes to nothing
	}
	w.closed, w.result, w.err = true, w.err, errClosed
	return w.result
}

// flush writes the operations so far as a chunk, if there are any, and begins the next chunk.
func (w *Writer) flush() {
	if w.ops == 0 || w.err != nil {
		return
	}
	if w.enc == nil {
		w.enc = newCompressor()
	}
	c := &w.chunk
	*c = chunkHead{c.number + 1, c.first + c.ops, w.ops, uint64(len(w.raw))}
	w.buffer = appendNumbers(beginSection(w.buffer[:0], sectionChunk), c.number, c.first, c.ops, c.raw)
	w.buffer = w.enc.EncodeAll(w.raw, w.buffer)
	w.buffer = endSection(w.buffer, 0)
	w.writeBytes(w.buffer)
	w.raw, w.ops, w.last = w.raw[:0], 0, 0
}

// fail ends the trace with an error, unless an earlier one has ended it.
func (w *Writer) fail(k Kind, err error) {
	if w.err == nil {
		w.err = fmt.Errorf("trace: operation %d, %v: %w", w.totals.Count()+1, k, err)
	}
}
