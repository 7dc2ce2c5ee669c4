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

// replaced returns the revisions that are removed with t.
func (t Timer) replaced() []uint64 {
	if t.Revision == 0 {
		return nil
	}
	return append(slices.Clip(t.removed), t.Revision)
}

// latest returns the latest deadline of what is removed with t.
func (t Timer) latest() int64 {
	if t.Revision == 0 {
		return 0
	}
	return max(t.until, t.Deadline.UnixNano())
}

func setRemoves(m *nats.Msg, revisions []uint64, until int64) {
	if len(revisions) == 0 {
		return
	}
	var text []byte
	for i, r := range revisions {
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendUint(text, r, 10)
	}
	m.Header[headerRemoves] = []string{string(text)}
	m.Header[headerUntil] = []string{strconv.FormatInt(until, 10)}
}

// removes returns the revisions that a message with this header has removed, and the latest
// of their deadlines.
func removes(header nats.Header) (revisions []uint64, until int64, err error) {
	text := header.Get(headerRemoves)
	if text == "" {
		return nil, 0, nil
	}
	for word := range strings.FieldsSeq(text) {
		r, err := strconv.ParseUint(word, 10, 64)
		if err != nil {
			return nil, 0, fmt.Errorf("header %s: %w", headerRemoves, err)
		}
		revisions = append(revisions, r)
	}
	if until, err = strconv.ParseInt(header.Get(headerUntil), 10, 64); err != nil {
		return nil, 0, fmt.Errorf("header %s: %w", headerUntil, err)
	}
	return revisions, until, nil
}

// note stores that these revisions were removed, whose latest deadline is until.
func (c *Client) note(ctx context.Context, revisions []uint64, until int64) error {
	revisions = slices.Sorted(slices.Values(revisions))
	for part := range slices.Chunk(revisions, maxNoted) {
		m := nats.NewMsg(c.layout.notes())
		m.Header[headerUntil] = []string{strconv.FormatInt(until, 10)}
		last := uint64(0)
		for _, r := range part {
			m.Data = binary.AppendUvarint(m.Data, r-last)
			last = r
		}
		if err := c.publish(ctx, m); err != nil {
			return fmt.Errorf("note of what was removed: %w", err)
		}
	}
	return nil
}

// parseNote appends the revisions of a note to a list.
func parseNote(revisions []uint64, body []byte) ([]uint64, error) {
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
	busy   chan struct{} // has a token while somebody uses what follows
	server string        // the start of a server for which it was read
	read   time.Time
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
	select {
	case r.busy <- struct{}{}:
		defer func() { <-r.busy }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	server := c.nc.ConnectedServerId()
	if r.set != nil && r.server == server && time.Since(r.read) <= age {
		return r.set, nil
	}
	start := time.Now()
	set := &removedSet{cancelled: make(map[string]uint64), done: make([]done, c.layout.partitions)}
	err := c.readEach(ctx, whole, c.layout.notes(), func(m jetstream.Msg, _ uint64) (err error) {
		set.revisions, err = parseNote(set.revisions, m.Data())
		return err
	})
	if err != nil {
		return nil, err
	}
	header := func(m jetstream.Msg) error {
		revisions, _, err := removes(m.Headers())
		set.revisions = append(set.revisions, revisions...)
		return err
	}
	err = c.readEach(ctx, headersOnly, c.layout.allFired(), func(m jetstream.Msg, _ uint64) error { return header(m) })
	if err != nil {
		return nil, err
	}
	err = c.readEach(ctx, whole, c.layout.allCancelled(), func(m jetstream.Msg, revision uint64) error {
		set.cancelled[string(m.Data())] = revision
		return header(m)
	})
	if err != nil {
		return nil, err
	}
	err = c.readEach(ctx, whole, c.layout.allDone(), func(m jetstream.Msg, _ uint64) error {
		n, err := strconv.Atoi(m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:])
		if err != nil || n < 0 || n >= len(set.done) {
			return fmt.Errorf("subject %q: want one of %d partitions", m.Subject(), len(set.done))
		}
		return json.Unmarshal(m.Data(), &set.done[n])
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(set.revisions)
	r.set, r.server, r.read = set, server, start
	return set, nil
}

// readEach calls f with the messages of a subject filter and their revisions, until one
// of them returns an error.
func (c *Client) readEach(ctx context.Context, how jetstream.OrderedConsumerConfig, filter string,
	f func(jetstream.Msg, uint64) error) error {
	for m, err := range c.read(ctx, how, filter) {
		var meta *jetstream.MsgMetadata
		if err == nil {
			meta, err = m.Metadata()
		}
		if err == nil {
			err = f(m, meta.Sequence.Stream)
		}
		if err != nil {
			return fmt.Errorf("what was removed: %w", err)
		}
	}
	return nil
}

// forgetNotes removes the notes that are older than noteAge and whose timers are not due
// any more, had they not been removed.
func (c *Client) forgetNotes(ctx context.Context) error {
	now := c.cfg.Now()
	return c.readEach(ctx, headersOnly, c.layout.notes(), func(m jetstream.Msg, revision uint64) error {
		until, err := strconv.ParseInt(m.Headers().Get(headerUntil), 10, 64)
		if err != nil {
			return fmt.Errorf("header %s: %w", headerUntil, err)
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		if now.Sub(meta.Timestamp) < noteAge || now.Sub(time.Unix(0, until)) < noteAge {
			return nil
		}
		return c.remove(revision)
	})
}
