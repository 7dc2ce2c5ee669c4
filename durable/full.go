package durable

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// ErrFull is returned by methods that set timers if the rest of the store is reserved for moving,
// cancelling and firing the existing ones. It has room again when timers fire or are cancelled.
var ErrFull = errors.New("durable: the store is full")

// A tenth of the store is reserved, but not more than this.
const maxKept = 1 << 30

const (
	lookPause   = 250 * time.Millisecond // between requests for the room that is left
	noLimit     = 10 * time.Second       // the same, if the server has no limit or does not tell it
	lookTimeout = time.Second            // of requests for metrics
)

type space struct {
	mutex
	next   time.Time // of the next request
	server string    // the ID of the server, which changes at each start
	left   int64     // how many bytes this client may store until then
}

// claim returns ErrFull if there is no room for t. Each client checks on its own, and takes at
// most a quarter of the room at a time.
func (c *Client) claim(ctx context.Context, t Timer) error {
	size := int64(3*len(t.Key) + len(t.Payload) + len(t.Cron) + 300) // including the headers
	s := &c.space
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	server := c.nc.ConnectedServerId()
	if s.left < size || time.Now().After(s.next) || s.server != server {
		stored, limit, err := c.stored(ctx)
		if errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return err // without an answer the reserved room might be used up
		}
		s.server, s.left, s.next = server, 1<<62, time.Now().Add(noLimit)
		if err == nil && limit > 0 { // otherwise the server decides
			room := limit - min(limit/10, maxKept) - stored
			if room < size {
				s.left = 0
				return fmt.Errorf("%w: %d bytes of %d are used, and the rest is reserved for existing timers",
					ErrFull, stored, limit)
			}
			s.left, s.next = max(room/4, size), time.Now().Add(lookPause)
		}
	}
	s.left -= size
	return nil
}

// stored returns how many bytes the client's account stores, and their limit or 0.
func (c *Client) stored(ctx context.Context) (stored, limit int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	info, err := c.js.AccountInfo(ctx)
	if err != nil {
		return 0, 0, err
	}
	return int64(info.Store), max(info.Limits.MaxStore, 0), nil
}

func asFull(err error) error {
	if hasCode(err, server.JSInsufficientResourcesErr, server.JSAccountResourcesExceededErr,
		server.JSStorageResourcesExceededErr) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}
