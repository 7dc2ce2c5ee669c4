package durable

import (
	"context"
	"sync/atomic"
)

// Counts says what is stored for all clients.
type Counts struct {
	Pending uint64 // timers
	Fired   uint64 // timers that have fired and not been handled
	Handled uint64 // of these, those that workers have in hand
	Dead    uint64 // dead letters
	Bytes   uint64 // of all these together
	Stored  uint64 // bytes that are stored for the account, these among them
	Limit   uint64 // of Stored, or 0 if there is none; Schedule keeps a tenth of it
	Workers int    // that gave a sign of life within their lease
}

// Counts returns what is stored. It costs the server a walk over the subjects.
func (c *Client) Counts(ctx context.Context) (n Counts, err error) {
	defer wrap(&err, "counts")
	if n.Pending, err = c.count(ctx, c.layout.allTimers()); err != nil {
		return Counts{}, err
	}
	if n.Dead, err = c.count(ctx, c.layout.allDead()); err != nil {
		return Counts{}, err
	}
	consumer, err := c.consumer.Info(ctx)
	if err != nil {
		return Counts{}, err
	}
	n.Handled = uint64(consumer.NumAckPending)
	n.Fired = consumer.NumPending + n.Handled
	stream, err := c.stream.Info(ctx)
	if err != nil {
		return Counts{}, err
	}
	n.Bytes = stream.State.Bytes
	stored, limit, err := c.stored(ctx)
	if err != nil {
		return Counts{}, err
	}
	n.Stored, n.Limit = uint64(stored), uint64(limit)
	if n.Workers, err = c.living(ctx, stream.TimeStamp); err != nil {
		return Counts{}, err
	}
	return n, nil
}

// Stats is what a client has done so far, and what it holds.
type Stats struct {
	Fired      uint64 // timers that it has fired
	Gone       uint64 // timers due that had changed, or that another worker had fired
	Retries    uint64 // messages to the server that had to be sent again
	Scans      uint64 // partitions read from end to end
	Handled    uint64 // handlers that returned nil
	Failed     uint64 // attempts that did not
	Dead       uint64 // dead letters written
	Partitions int    // that it serves and has read
	Near       int    // timers in memory
	Far        int    // timers beyond the horizon, those included that have changed since
}

type counters struct {
	fired, gone, retries, scans, handled, failed, dead atomic.Uint64
}

// Stats returns what the client has done so far.
func (c *Client) Stats() Stats {
	n := &c.counters
	s := Stats{
		Fired: n.fired.Load(), Gone: n.gone.Load(), Retries: n.retries.Load(), Scans: n.scans.Load(),
		Handled: n.handled.Load(), Failed: n.failed.Load(), Dead: n.dead.Load(),
	}
	if o := c.owner.Load(); o != nil {
		s.Partitions = len(o.loaded())
		o.each(func(p *partition) {
			near, far := p.size()
			s.Near, s.Far = s.Near+near, s.Far+far
		})
	}
	return s
}
