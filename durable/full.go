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

// A tenth of the store is reserved, at most maxKept, and maxGrowth for each message: the message that fires or cancels a
// timer is larger than the timer by as much if the key has 40 bytes. Such messages may use half of the tenth, too, for
// longer keys and handlers that lag behind, and dead letters without an error three quarters. The rest is for moves,
// whose old message goes at once, for notes, which make room, and for signs of life.
const maxKept, maxGrowth = 1 << 30, 136

const (
	lookPause   = 250 * time.Millisecond // between requests for the room that is left
	noLimit     = 10 * time.Second       // the same, if the server has no limit or does not tell it
	lookTimeout = time.Second            // of requests for metrics
)

type space struct {
	mutex
	share  int64     // 2 for what may use half of the reserve, 1 for nothing of it
	next   time.Time // of the next request
	server string    // the ID of the server, which changes at each start
	left   int64     // how many bytes this client may store until then
	most   int64     // the largest message
}

func newSpace(share int64) space { return space{mutex: newMutex(), share: share} }

// claim returns ErrFull if there is no room for a message. Each client checks on its own, and takes at
// most a quarter of the room at a time.
func (c *Client) claim(ctx context.Context, s *space, size int64) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	server := c.nc.ConnectedServerId()
	if s.left < size || s.most < size || time.Now().After(s.next) || s.server != server {
		stored, limit, err := c.stored(ctx)
		if errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return err // without an answer the reserved room might be used up
		}
		s.server, s.left, s.most, s.next = server, 1<<62, 1<<62, time.Now().Add(noLimit)
		if err == nil && limit > 0 { // otherwise the server decides
			kept := reserved(limit)
			if s.most = kept / 4; s.share > 1 {
				s.most = kept
			}
			if size > s.most { // the reserve must hold it when it moves
				return fmt.Errorf("%w: a message of %d bytes is larger than a fortieth of the %d bytes of the store", ErrFull, size, limit)
			}
			room := limit - kept/s.share - stored
			if s.share == 1 {
				info, err := c.stream.Info(ctx)
				if err != nil {
					return err
				}
				room -= maxGrowth * int64(info.State.Msgs)
			}
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

func reserved(limit int64) int64 { return min(limit/10, maxKept) }

// followRoom limits how many bytes the worker may store to fire timers, until ctx ends. Without room it lets it fire one
// timer at a time while none waits to be handled, because that makes room in the end.
func (w *worker) followRoom(ctx context.Context) {
	for ctx.Err() == nil {
		room := int64(1 << 62)
		if stored, limit, err := w.stored(ctx); err == nil && limit > 0 { // otherwise the server decides
			room = max(limit-reserved(limit)/2-stored, 0) / 4
			if room == 0 {
				_ = sleep(ctx, lookPause) // ctx is asked next
				if info, err := w.consumer.Info(ctx); err == nil && info.NumPending == 0 && info.NumAckPending == 0 {
					room = 1
				}
			}
		}
		w.room.Store(room)
		select {
		case <-w.tight:
			_ = sleep(ctx, changingPause) // ctx is asked next
		case <-time.After(noLimit):
		case <-ctx.Done():
		}
	}
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
