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

// What nats-server has removed can be there again after it was killed. What it has stored
// is there. So each removal is a message that lasts:
//
//   - The message that fires, moves or cancels a timer has the revisions that it removes in
//     a header. Those of a timer that was moved go from one revision to the next.
//   - Before such a message is removed itself a note has these revisions, and its own. It
//     stays until their deadlines have passed, and for noteAge.
//   - Now and then a worker stores up to which deadline all timers of a partition that are
//     up to some revision have fired or were removed. What has come back later is due before.
//
// A client reads them once after each start of the server, and takes what they name for
// removed; a worker that reads a partition removes it again.

// noteAge is for how long a note stays at least: several times donePause.
const noteAge = 10 * time.Minute

// donePause is between two times at which a worker stores what is done with.
const donePause = time.Minute

// maxRemoves is how many revisions a timer that is moved takes along in its header.
const maxRemoves = 32

// maxNoted is how many revisions are in one note. Each takes 10 bytes at most.
const maxNoted = 1 << 15

// removal is what is not there any more: revisions, and the latest deadline of these, in ns
// since 1970.
type removal struct {
	revisions []uint64
	until     int64
}

// removal is what is removed with t.
func (t Timer) removal() removal {
	if t.Revision == 0 {
		return removal{}
	}
	return removal{append(slices.Clip(t.removed.revisions), t.Revision),
		max(t.removed.until, t.Deadline.UnixNano())}
}

func (r removal) write(m *nats.Msg) {
	if len(r.revisions) == 0 {
		return
	}
	text := fmt.Sprint(r.revisions)
	m.Header[headerRemoves] = []string{text[1 : len(text)-1]} // without brackets
	setNumber(m, headerUntil, r.until)
}

func readRemoval(header nats.Header) (r removal, err error) {
	for word := range strings.FieldsSeq(header.Get(headerRemoves)) {
		revision, err := strconv.ParseUint(word, 10, 64)
		if err != nil {
			return r, fmt.Errorf("header %s: %w", headerRemoves, err)
		}
		r.revisions = append(r.revisions, revision)
	}
	if len(r.revisions) > 0 {
		r.until, err = number(header, headerUntil)
	}
	return r, err
}

// note stores what was removed.
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
		if n <= 0 {
			return nil, fmt.Errorf("note of what was removed: %d bytes at its end are no number", len(body))
		}
		last += delta
		revisions, body = append(revisions, last), body[n:]
	}
	return revisions, nil
}

// removed is what a client knows to be removed.
type removed struct {
	mutex
	server string    // the start of a server for which it was read
	read   time.Time // when
	set    *removedSet
}

// removedSet is what was removed when it was read. It does not change.
type removedSet struct {
	revisions []uint64          // in order
	cancelled map[string]uint64 // by key: the revision of the last Cancel
	done      []done            // by partition
}

// done says that all timers with at most this revision and at most this deadline have fired
// or were removed.
type done struct {
	Revision uint64 `json:"revision"`
	Deadline int64  `json:"deadline"` // ns since 1970
}

func (d done) has(t Timer) bool {
	return t.Revision <= d.Revision && t.Deadline.UnixNano() <= d.Deadline
}

// has tells whether t, which is in a partition, was removed.
func (s *removedSet) has(partition int, t Timer) bool {
	return t.Revision < s.cancelled[t.Key] || s.done[partition].has(t) || s.hasRevision(t.Revision)
}

func (s *removedSet) hasRevision(revision uint64) bool {
	_, found := slices.BinarySearch(s.revisions, revision)
	return found
}

// anyAge is the age of what was read at any time since the server was started: as long as
// it runs nothing comes back.
const anyAge = math.MaxInt64

// removedNow returns what was removed, and reads it if the server was started since, or if
// what is known is older than age.
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
			if err := json.Unmarshal(m.Data(), &d); err != nil {
				return err
			}
			set.done[n] = d
			return nil
		}},
	} {
		err := c.read(ctx, part.how, part.filter, func(m message) error {
			if err := part.read(m); err != nil {
				c.setAside("message of what was removed", fmt.Errorf("message %d: %w", m.revision(), err))
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

// forgetNotes removes the notes that are older than noteAge and whose timers are not due
// any more, had they not been removed.
func (c *Client) forgetNotes(ctx context.Context) error {
	now := c.cfg.Now()
	return c.read(ctx, headersOnly, c.layout.notes(), func(m message) error {
		until, err := number(m.Headers(), headerUntil)
		if err != nil || now.Sub(m.Timestamp) < noteAge || now.Sub(time.Unix(0, until)) < noteAge {
			return nil // a note without a time stays
		}
		return c.stream.DeleteMsg(ctx, m.revision())
	})
}
