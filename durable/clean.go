package durable

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	removers    = 32              // requests to remove a message at a time
	maxRemoved  = 1 << 16         // messages that wait to be removed
	maxBatch    = 1 << 12         // messages to a note
	removeAfter = time.Second     // so that notes and files of the store that empty are few
	sweepPause  = time.Minute     // between looks for what nobody has removed
	orphaned    = 2 * removeAfter // after which nobody else is about to remove what was handled
)

// remover removes from the stream what has been handled, and Cancels. What it does not
// get to, as its worker dies, the next sweep or scan removes.
type remover struct {
	c     *Client
	queue chan handled
	ended chan struct{} // is closed when nobody waits for the queue any more
}

func newRemover(c *Client) *remover {
	return &remover{c: c, queue: make(chan handled, maxRemoved), ended: make(chan struct{})}
}

// put hands over h. After the end what it has is left to a sweep or scan.
func (r *remover) put(h handled) {
	select {
	case r.queue <- h:
	case <-r.ended:
	}
}

// next returns what is to be removed, and false after the end if there is nothing.
func (r *remover) next() (h handled, ok bool) {
	select {
	case h = <-r.queue:
		return h, true
	default:
	}
	select {
	case h = <-r.queue:
		return h, true
	case <-r.ended:
		return h, false
	}
}

// handled is a message that is to be removed, and what it has removed.
type handled struct {
	revision uint64
	removed  []uint64
	until    int64     // the latest deadline of these
	at       time.Time // what was done at that time is removed removeAfter
}

// run goes on until the end, and until the queue is empty. It does not wait any more once
// ctx has ended.
func (r *remover) run(ctx context.Context) {
	noted, failed := make(chan uint64), false
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(noted)
	for range removers {
		wg.Go(func() {
			for revision := range noted {
				if err := r.c.remove(revision); err != nil {
					r.c.cfg.Logger.Debug("removing what has been handled is left to a sweep",
						"revision", revision, "error", err)
				}
			}
		})
	}
	for {
		h, ok := r.next()
		if !ok {
			return
		}
		if failed && ctx.Err() != nil {
			continue // the server is gone, and nobody is to wait for it
		}
		if wait := time.Until(h.at.Add(removeAfter)); wait > 0 {
			_ = sleep(ctx, wait)
		}
		batch := []handled{h}
		for len(r.queue) > 0 && len(batch) < maxBatch {
			batch = append(batch, <-r.queue)
		}
		err := r.c.noteHandled(batch)
		if failed = err != nil; failed {
			r.c.cfg.Logger.Debug("removing what has been handled is left to a sweep", "error", err)
			continue
		}
		for _, h := range batch {
			noted <- h.revision
		}
	}
}

// noteHandled notes what is about to be removed, and what that has removed.
func (c *Client) noteHandled(batch []handled) error {
	ctx, cancel := context.WithTimeout(context.Background(), publishTimeout)
	defer cancel()
	// Those that stay for long are apart from the others.
	var notes [64]struct {
		revisions []uint64
		until     int64
	}
	now := c.cfg.Now().UnixNano()
	for _, h := range batch {
		n := &notes[bits.Len64(uint64(max(h.until-now, 0))/uint64(noteAge))]
		n.revisions = append(append(n.revisions, h.revision), h.removed...)
		n.until = max(n.until, h.until)
	}
	for _, n := range notes {
		if err := c.note(ctx, n.revisions, n.until); err != nil {
			return err
		}
	}
	return nil
}

// remove removes one message of the stream. One at a time is what costs the server
// least: after a purge of many it counts again what is before each consumer.
func (c *Client) remove(revision uint64) error {
	ctx, cancel := context.WithTimeout(context.Background(), publishTimeout)
	defer cancel()
	request := fmt.Appendf(nil, `{"seq":%d,"no_erase":true}`, revision)
	m, err := c.nc.RequestWithContext(ctx, "$JS.API.STREAM.MSG.DELETE."+c.layout.name, request)
	if err != nil {
		return err
	}
	if !bytes.Contains(m.Data, []byte(`"success":true`)) {
		return fmt.Errorf("answer of the server: %s", m.Data)
	}
	return nil
}

// sweep removes, now and then, what has been handled and not been removed. It is what
// the worker does that serves partition 0.
func (c *Client) sweep(ctx context.Context) {
	start := time.Now()
	for {
		if err := c.sweepOnce(ctx); err != nil && ctx.Err() == nil {
			c.cfg.Logger.Debug("removing what has been handled is tried again", "error", err)
		}
		if sleep(ctx, sweepPause) != nil {
			return
		}
		if time.Since(start) < noteAge {
			continue // who has just come is to read the notes
		}
		start = time.Now()
		if err := c.forgetNotes(ctx); err != nil && ctx.Err() == nil {
			c.cfg.Logger.Debug("removing old notes is tried again", "error", err)
		}
	}
}

func (c *Client) sweepOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	stored, err := c.count(ctx, c.layout.allFired())
	if err != nil {
		return err
	}
	info, err := c.consumer.Info(ctx)
	if err != nil {
		return err
	}
	if stored <= info.NumPending+uint64(info.NumAckPending) {
		return nil
	}
	// All that has fired up to the floor has been handled.
	var orphans []handled
	for m, err := range c.read(ctx, headersOnly, c.layout.allFired()) {
		var h handled
		if err == nil {
			h, err = parseHandled(m)
		}
		if err != nil {
			return err
		}
		if h.revision > info.AckFloor.Stream || info.TimeStamp.Sub(h.at) < orphaned {
			break
		}
		orphans = append(orphans, h)
	}
	if len(orphans) == 0 {
		return nil
	}
	if err := c.noteHandled(orphans); err != nil {
		return err
	}
	last := orphans[len(orphans)-1].revision
	return c.stream.Purge(ctx, jetstream.WithPurgeSubject(c.layout.allFired()), jetstream.WithPurgeSequence(last+1))
}

// parseHandled returns what is to be noted before m is removed, at the time when it was
// stored.
func parseHandled(m jetstream.Msg) (handled, error) {
	meta, err := m.Metadata()
	if err != nil {
		return handled{}, err
	}
	removed, until, err := removes(m.Headers())
	return handled{meta.Sequence.Stream, removed, until, meta.Timestamp}, err
}
