package durable

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	removers    = 32              // requests to remove a message at a time
	maxRemoved  = 1 << 16         // messages that wait to be removed
	removeAfter = time.Second     // so that the last file of the store does not empty again and again
	sweepPause  = 5 * time.Minute // between looks for what nobody has removed
	maxOrphaned = 1000            // messages that a look leaves where they are
)

// remover removes from the stream what has been handled. What it does not get to, as
// its worker dies, the next sweep removes.
type remover struct {
	c    *Client
	done chan handled
}

type handled struct {
	revision uint64
	at       time.Time
}

// run ends when done is closed and empty. It does not wait any more once ctx has ended.
func (r *remover) run(ctx context.Context) {
	var wg sync.WaitGroup
	for range removers {
		wg.Go(func() {
			for h := range r.done {
				if wait := time.Until(h.at.Add(removeAfter)); wait > 0 {
					_ = sleep(ctx, wait)
				}
				if err := r.c.remove(h.revision); err != nil {
					r.c.cfg.Logger.Debug("removing what has been handled is left to a sweep", "revision", h.revision, "error", err)
				}
			}
		})
	}
	wg.Wait()
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
	for {
		if err := c.sweepOnce(ctx); err != nil && ctx.Err() == nil {
			c.cfg.Logger.Debug("removing what has been handled is tried again", "error", err)
		}
		if sleep(ctx, sweepPause) != nil {
			return
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
	if unhandled := info.NumPending + uint64(info.NumAckPending); stored <= unhandled+maxOrphaned {
		return nil
	}
	// All that has fired up to the floor has been handled.
	return c.stream.Purge(ctx, jetstream.WithPurgeSubject(c.layout.allFired()), jetstream.WithPurgeSequence(info.AckFloor.Stream+1))
}
