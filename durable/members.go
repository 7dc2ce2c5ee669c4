package durable

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

type sign struct {
	Serves []int         `json:"serves"` // the partitions whose timers the worker has read
	Lease  time.Duration `json:"lease"`  // after which the worker counts as dead
	Ends   bool          `json:"ends"`   // the worker wants no partitions, but handles timers

	at time.Time // by the server's clock
}

// members is what a worker knows about the others: their last signs of life. It uses only the
// server's clock, so neither the workers' clocks nor a pause of the server matter.
type members struct {
	self  string
	lease time.Duration
	wait  time.Duration // before what a dead worker has fired is handled again
	signs map[string]sign
	last  time.Time // the time of the latest message
}

// alive reports whether id is this worker, or gave a sign of life within a lease of the latest one. A sign from
// the future was given before the server's clock was set back; a worker that is alive soon gives another one.
func (m *members) alive(id string) bool {
	return id == m.self || m.last.Sub(m.signs[id].at).Abs() <= m.lease
}

// handles reports whether a worker may still handle what it has fired.
func (m *members) handles(holder uint64) bool {
	s, ok := m.signs[memberID(holder)]
	return ok && m.last.Sub(s.at).Abs() <= max(m.wait, s.Lease)
}

func memberID(client uint64) string { return strconv.FormatUint(client, 36) }

// wants reports whether this worker should serve a partition. A hash chooses one of the workers alive. If this
// worker serves the partition and another is chosen, it continues until the other one serves. So two may serve
// it for a while. That is harmless, because the server lets only one of them fire a timer.
func (m *members) wants(partition int, serves bool) bool {
	if own, ok := m.signs[m.self]; !ok || own.Ends {
		return false
	}
	chosen, most := "", uint64(0)
	for id := range m.signs {
		if !m.alive(id) || m.signs[id].Ends {
			continue
		}
		if h := weight(id, partition); chosen == "" || h > most || h == most && id < chosen {
			chosen, most = id, h
		}
	}
	if chosen == m.self || !serves {
		return chosen == m.self
	}
	return !slices.Contains(m.signs[chosen].Serves, partition)
}

// weight is the score of a worker for a partition, for rendezvous hashing.
func weight(id string, partition int) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	h.Write([]byte(strconv.Itoa(partition)))
	// The finalizer of splitmix64, because FNV mixes the last bytes badly.
	x := h.Sum64()
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// followMembers gives four signs of life per lease, and calls changed whenever the state of the workers may have changed,
// until ctx ends.
func (w *worker) followMembers(ctx context.Context, m *members, changed func()) error {
	watcher, err := w.members.WatchAll(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = watcher.Stop() }() // the connection may be closed
	beat, quiet := time.NewTicker(m.lease/4), time.NewTimer(3*m.lease)
	defer beat.Stop()
	defer quiet.Stop()
	if err := w.giveSign(ctx, m, false); err != nil {
		return err
	}
	known, own := false, false // the own sign may come after the others, because a newer one has replaced it
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-beat.C:
			if err := w.giveSign(ctx, m, false); err != nil {
				return err
			}
		case <-quiet.C:
			return fmt.Errorf("no sign of life for %v, not even of this worker", 3*m.lease)
		case entry, ok := <-watcher.Updates():
			if !ok {
				return fmt.Errorf("the watcher of bucket %s was closed", w.members.Bucket())
			}
			if entry == nil { // all existing entries have been read
				known = true
				if own {
					changed()
				}
				continue
			}
			quiet.Reset(3 * m.lease)
			own = own || entry.Key() == m.self
			m.last = entry.Created()
			if entry.Operation() != jetstream.KeyValuePut {
				delete(m.signs, entry.Key())
			} else if s, err := parseSign(entry); err != nil {
				w.setAside("sign of life", err)
			} else {
				m.signs[entry.Key()] = s
			}
			if known && own {
				changed()
			}
		}
	}
}

func parseSign(entry jetstream.KeyValueEntry) (sign, error) {
	s := sign{at: entry.Created()}
	err := json.Unmarshal(entry.Value(), &s)
	if err == nil && (s.Lease < 0 || s.Lease > maxLease) {
		err = fmt.Errorf("lease %v: want 0 to %v", s.Lease, maxLease)
	}
	if err != nil {
		return s, fmt.Errorf("bucket %s: key %s: %w", entry.Bucket(), entry.Key(), err)
	}
	return s, nil
}

// living returns how many workers are alive at now, by the server's clock.
func (c *Client) living(ctx context.Context, now time.Time) (int, error) {
	watcher, err := c.members.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return 0, err
	}
	defer func() { _ = watcher.Stop() }() // the connection may be closed
	n := 0
	for entry := range watcher.Updates() {
		if entry == nil {
			return n, nil // all existing entries have been read
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

// giveSign stores a sign of life. A worker that ends or is stalled says so, so that the others serve all partitions.
func (w *worker) giveSign(ctx context.Context, m *members, ends bool) error {
	value, err := json.Marshal(sign{Serves: w.loaded(), Lease: m.lease, Ends: ends || w.stalled()})
	if err != nil {
		return err
	}
	put, cancel := context.WithTimeout(ctx, m.lease)
	defer cancel()
	if _, err = w.members.Put(put, m.self, value); err != nil && ctx.Err() == nil {
		return fmt.Errorf("sign of life: %w", err)
	}
	return nil
}
