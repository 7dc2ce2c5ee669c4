package durable

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrFull is returned by Schedule and Every if what is left of the store is kept for
// the timers that are there: for moving, cancelling and firing them. There is room
// again when some have fired, or by Cancel.
var ErrFull = errors.New("durable: the store is full")

// A tenth of the store is kept, but not more than this.
const maxKept = 1 << 30

const (
	lookPause   = 250 * time.Millisecond // between looks at the room that is left
	noLimit     = 10 * time.Second       // where there is no limit, or nobody tells it
	lookTimeout = time.Second
)

type space struct {
	mutex
	next   time.Time // when to look again
	server string    // the start of a server for which it was looked
	left   int64     // what this client may store until then
}

// claim returns ErrFull if t is not to be stored. Several clients look on their own:
// each takes a quarter of the room at a time, or less.
func (c *Client) claim(ctx context.Context, t Timer) error {
	size := int64(3*len(t.Key) + len(t.Payload) + len(t.Cron) + 300) // with subject and headers
	s := &c.space
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	server := c.nc.ConnectedServerId()
	if s.left < size || time.Now().After(s.next) || s.server != server {
		stored, limit, err := c.stored(ctx)
		s.server, s.left, s.next = server, 1<<62, time.Now().Add(noLimit)
		if err == nil && limit > 0 { // else the server decides
			room := limit - min(limit/10, maxKept) - stored
			if room < size {
				s.left = 0
				return fmt.Errorf("%w: %d bytes of %d are in use, and the rest is kept for timers that are there",
					ErrFull, stored, limit)
			}
			s.left, s.next = max(room/4, size), time.Now().Add(lookPause)
		}
	}
	s.left -= size
	return nil
}

// stored returns the bytes that are stored for the account of the client, and their
// limit, or 0 if there is none.
func (c *Client) stored(ctx context.Context) (stored, limit int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	info, err := c.js.AccountInfo(ctx)
	if err != nil {
		return 0, 0, err
	}
	return int64(info.Store), max(info.Limits.MaxStore, 0), nil
}

func asFull(err error) error {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		switch server.ErrorIdentifier(api.ErrorCode) {
		case server.JSInsufficientResourcesErr, server.JSAccountResourcesExceededErr,
			server.JSStorageResourcesExceededErr:
			return fmt.Errorf("%w: %w", ErrFull, err)
		}
	}
	return err
}
