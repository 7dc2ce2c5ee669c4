package trace

import (
	"errors"
	"io"
)

// Copy writes the operations of a trace, from where r is to its end, to w, which begins. It
// does not close w. Programs of "trace build" write traces that are not compressed; copies
// are.
func Copy(w *Writer, r *Reader) error {
	for {
		op, err := r.Next()
		if errors.Is(err, io.EOF) {
			w.totals.Lost, w.totals.Heaped = r.totals.Lost, r.totals.Heaped
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
