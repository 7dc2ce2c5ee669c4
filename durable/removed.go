package durable

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// What was removed is known in three places, because a server that was killed may restore it, as the documentation of the
// package says: in a header of the message that fires, moves or cancels a timer, then in a note, and in the progress of
// the partition. Clients read all three after each start of the server.

// noteAge is how long a note stays at least: several times donePause.
const noteAge = 10 * time.Minute

// donePause is how often a worker stores the progress of a partition.
const donePause = time.Minute

// maxRemoves is how many revisions the header of a timer may list before they go into a note.
const maxRemoves = 32

// maxNoted is how many revisions one note may list. Each takes at most 10 bytes.
const maxNoted = 1 << 15

// removal is a list of removed revisions, with their latest deadline in ns since 1970.
type removal struct {
	revisions []uint64
	until     int64
}

// removal returns what a message that removes t removes.
func (t Timer) removal() removal {
	if t.Revision == 0 {
		return removal{}
	}
	return removal{append(slices.Clip(t.removed.revisions), t.Revision), max(t.removed.until, t.Deadline.UnixNano())}
}

func (r removal) write(m *nats.Msg) {
	if len(r.revisions) == 0 {
		return
	}
	text := fmt.Sprint(r.revisions)
	m.Header[headerRemoves] = []string{text[1 : len(text)-1]} // without the brackets
	setNumber(m, headerUntil, r.until)
}

func readRemoval(header nats.Header) (r removal, err error) {
	for word := range strings.FieldsSeq(header.Get(headerRemoves)) {
		revision, err := strconv.ParseUint(word, 10, 63)
		if err != nil {
			return r, fmt.Errorf("header %s: %w", headerRemoves, err)
		}
		r.revisions = append(r.revisions, revision)
	}
	if len(r.revisions) > 0 {
		r.until, err = number(header, headerUntil, firstDeadline, lastDeadline)
	}
	return r, err
}

// note stores notes with the revisions of r.
func (c *Client) note(ctx context.Context, r removal) error {
	for part := range slices.Chunk(slices.Sorted(slices.Values(r.revisions)), maxNoted) {
		m := nats.NewMsg(c.layout.notes())
		setNumber(m, headerUntil, r.until)
		last := uint64(0)
		for _, revision := range part {
			m.Data = binary.AppendUvarint(m.Data, revision-last)
			last = revision
		}
		if err := c.publish(ctx, m); err != nil {
			return fmt.Errorf("note of what was removed: %w", err)
		}
	}
	return nil
}

// parseNote returns the revisions of a note.
func parseNote(body []byte) (revisions []uint64, err error) {
	last := uint64(0)
	for len(body) > 0 {
		delta, n := binary.Uvarint(body)
		if n <= 0 || delta > math.MaxInt64-last {
			return nil, fmt.Errorf("note of what was removed: %d bytes at its end are no revision", len(body))
		}
		last += delta
		revisions, body = append(revisions, last), body[n:]
	}
	return revisions, nil
}

// removed caches what a client has read about removals.
type removed struct {
	mutex
	server string    // the ID of the server, which changes at each start
	read   time.Time // when set was read
	set    *removedSet
}

// removedSet holds the removals in the stream. It is immutable.
type removedSet struct {
	revisions []uint64          // in order
	cancelled map[string]uint64 // by key: the revision of the last Cancel
	done      []done            // by partition
}

// done states that all timers up to this revision and this deadline have fired or were removed.
type done struct {
	Revision uint64 `json:"revision"`
	Deadline int64  `json:"deadline"` // ns since 1970
}

func (d done) has(t Timer) bool {
	return t.Revision <= d.Revision && t.Deadline.UnixNano() <= d.Deadline
}

// has reports whether t, of this partition, was removed.
func (s *removedSet) has(partition int, t Timer) bool {
	return t.Revision < s.cancelled[t.Key] || s.done[partition].has(t) || s.hasRevision(t.Revision)
}

func (s *removedSet) hasRevision(revision uint64) bool {
	_, found := slices.BinarySearch(s.revisions, revision)
	return found
}

// anyAge accepts what was read at any time since the server was started: a server that runs restores nothing.
const anyAge = math.MaxInt64

// removedNow returns what was removed. It reads that again if the server was restarted, or if the
// cached set is older than age.
func (c *Client) removedNow(ctx context.Context, age time.Duration) (*removedSet, error) {
	r := &c.removed
	if err := r.lock(ctx); err != nil {
		return nil, err
	}
	defer r.unlock()
	server, start := c.nc.ConnectedServerId(), time.Now()
	if r.set != nil && r.server == server && start.Sub(r.read) <= age {
		return r.set, nil
	}
	set, err := c.readRemoved(ctx)
	if err != nil {
		return nil, fmt.Errorf("what was removed: %w", err)
	}
	r.set, r.server, r.read = set, server, start
	return set, nil
}

func (c *Client) readRemoved(ctx context.Context) (*removedSet, error) {
	set := &removedSet{cancelled: make(map[string]uint64), done: make([]done, c.layout.partitions)}
	add := func(m message) error {
		r, err := readRemoval(m.Headers())
		set.revisions = append(set.revisions, r.revisions...)
		return err
	}
	for _, part := range []struct {
		how    jetstream.ConsumerConfig
		filter string
		read   func(message) error
	}{
		{whole, c.layout.notes(), func(m message) error {
			noted, err := parseNote(m.Data())
			set.revisions = append(set.revisions, noted...)
			return err
		}},
		{headersOnly, c.layout.allFired(), add},
		{whole, c.layout.allCancelled(), func(m message) error {
			set.cancelled[string(m.Data())] = m.revision()
			return add(m)
		}},
		{whole, c.layout.allDone(), func(m message) error {
			n, err := strconv.Atoi(m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:])
			if err != nil || n < 0 || n >= len(set.done) {
				return fmt.Errorf("subject %q: want one of %d partitions", m.Subject(), len(set.done))
			}
			var d done
			err = json.Unmarshal(m.Data(), &d)
			if err == nil && (d.Revision >= m.revision() || d.Deadline > lastDeadline) {
				err = fmt.Errorf("%+v: want an earlier revision than %d, and a deadline of at most %d", d, m.revision(), lastDeadline)
			}
			if err != nil {
				return err
			}
			set.done[n] = d
			return nil
		}},
	} {
		err := c.read(ctx, part.how, part.filter, func(m message) error {
			if err := part.read(m); err != nil {
				c.setAside("message about removals", fmt.Errorf("message %d: %w", m.revision(), err))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(set.revisions)
	return set, nil
}

// forgetNotes removes the notes that are older than noteAge and whose deadlines passed at least noteAge ago.
func (c *Client) forgetNotes(ctx context.Context) error {
	now := c.cfg.Now()
	return c.read(ctx, headersOnly, c.layout.notes(), func(m message) error {
		until, err := number(m.Headers(), headerUntil, firstDeadline, lastDeadline)
		if err != nil || now.Sub(m.Timestamp) < noteAge || now.Sub(time.Unix(0, until)) < noteAge {
			return nil // a note without a time stays
		}
		return c.stream.DeleteMsg(ctx, m.revision())
	})
}
