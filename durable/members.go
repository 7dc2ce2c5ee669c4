package durable

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

type sign struct {
	Serves []int         `json:"serves"` // the partitions whose timers it has read
	Lease  time.Duration `json:"lease"`  // after which it counts as dead

	at time.Time // by the clock of the server
}

// members is what a worker knows of the others: their last signs of life. Only the
// clock of the server is used, so that it does not matter what clocks the workers
// have, nor how long the server does not answer.
type members struct {
	self     string
	lease    time.Duration
	signs    map[string]sign
	last     time.Time                    // of the sign that came last
	setAside func(what string, err error) // a sign that cannot be understood
}

// alive reports whether id is this worker or gave a sign of life within a lease of the last one
// of anybody. A sign from the future dates from before the server's clock was set back: a worker
// that lives gives another one soon.
func (m *members) alive(id string) bool {
	return id == m.self || m.last.Sub(m.signs[id].at).Abs() <= m.lease
}

// wants returns whether this worker is to serve a partition. The one that a hash
// chooses among those alive serves it. Another one that serves it goes on until that
// one does. So two may serve it for a while, which is harmless: the server lets only
// one of them fire a timer.
func (m *members) wants(partition int, serves bool) bool {
	if _, ok := m.signs[m.self]; !ok {
		return false
	}
	chosen, most := "", uint64(0)
	for id := range m.signs {
		if !m.alive(id) {
			continue
		}
		if h := weight(id, partition); chosen == "" || h > most || h == most && id < chosen {
			chosen, most = id, h
		}
	}
	if chosen == m.self || !serves {
		return chosen == m.self
	}
	for _, p := range m.signs[chosen].Serves {
		if p == partition {
			return false
		}
	}
	return true
}

// weight is how much a worker is drawn to a partition: rendezvous hashing.
func weight(id string, partition int) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	h.Write([]byte(strconv.Itoa(partition)))
	// The finalizer of splitmix64, as FNV mixes the last bytes badly.
	x := h.Sum64()
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// follow gives signs of life and calls changed with what is known of the workers
// whenever that may have changed, until ctx ends. serves returns what to tell.
func (m *members) follow(ctx context.Context, bucket jetstream.KeyValue, serves func() []int,
	changed func(*members)) error {
	ctx, cancel := context.WithCancel(ctx)
	var giving sync.WaitGroup
	defer func() { cancel(); giving.Wait() }()
	watcher, err := bucket.WatchAll(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = watcher.Stop() }() // the connection may be gone
	failed := make(chan error, 1)
	giving.Go(func() { failed <- m.give(ctx, bucket, serves) })
	quiet := time.NewTimer(3 * m.lease)
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			return err
		case <-quiet.C:
			return fmt.Errorf("no sign of life for %v, not even of this worker", 3*m.lease)
		case entry, ok := <-watcher.Updates():
			if !ok {
				return fmt.Errorf("the watcher of bucket %s was closed", bucket.Bucket())
			}
			if entry == nil {
				continue // all that was there has been read
			}
			quiet.Reset(3 * m.lease)
			m.last = entry.Created()
			if entry.Operation() != jetstream.KeyValuePut {
				delete(m.signs, entry.Key())
			} else if s, err := parseSign(entry); err != nil {
				m.setAside("sign of life", err)
			} else {
				m.signs[entry.Key()] = s
			}
			changed(m)
		}
	}
}

func parseSign(entry jetstream.KeyValueEntry) (sign, error) {
	s := sign{at: entry.Created()}
	if err := json.Unmarshal(entry.Value(), &s); err != nil {
		return s, fmt.Errorf("bucket %s: key %s: %w", entry.Bucket(), entry.Key(), err)
	}
	return s, nil
}

// living returns how many workers are alive at now, by the clock of the server.
func (c *Client) living(ctx context.Context, now time.Time) (int, error) {
	watcher, err := c.members.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return 0, err
	}
	defer func() { _ = watcher.Stop() }() // the connection may be gone
	n := 0
	for entry := range watcher.Updates() {
		if entry == nil {
			return n, nil // all that was there has been read
		}
		s, err := parseSign(entry)
		if err != nil {
			c.setAside("sign of life", err)
		} else if now.Sub(s.at).Abs() <= s.Lease {
			n++
		}
	}
	return 0, fmt.Errorf("the watcher of bucket %s was closed", c.members.Bucket())
}

// give stores a sign of life four times a lease.
func (m *members) give(ctx context.Context, bucket jetstream.KeyValue, serves func() []int) error {
	for {
		value, err := json.Marshal(sign{Serves: serves(), Lease: m.lease})
		if err != nil {
			return err
		}
		put, cancel := context.WithTimeout(ctx, m.lease)
		_, err = bucket.Put(put, m.self, value)
		cancel()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("sign of life: %w", err)
		}
		if sleep(ctx, m.lease/4) != nil {
			return nil
		}
	}
}
