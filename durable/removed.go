package durable

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A server that was killed may restore messages that it had removed, as the documentation of the package says. A message
// counts as removed if one of these says so:
//
//   - A later message of its subject: a timer that has moved needs nothing else.
//   - The message that fires or cancels a timer: all earlier revisions of the timer are removed.
//   - A note, which takes over what such a message says before that message is removed itself.
//   - A summary, which lists what is left of a partition up to some revision, and replaces the notes up to there.
//
// All of them stay true forever, because no message has the revision of an earlier one. So they can be stored twice, by
// two workers, or be restored themselves; and a worker that dies while it replaces notes leaves nothing wrong. It stores
// the summary before it removes a note. Clients read notes and summaries after each start of the server.

// digest stands for a key in a note. Two keys of a billion have the same one with a probability of 1 in 2 million.
type digest [10]byte

func digestOf(key string) digest {
	sum := sha256.Sum256([]byte(key))
	return digest(sum[:len(digest{})])
}

// removal states that a message was removed and, unless key is zero, that all revisions up to this one of the timer
// with that key were.
type removal struct {
	revision uint64
	key      digest
}

// maxNoted is how many messages one note may list. Each takes at most 19 bytes.
const maxNoted = 1 << 13

// appendNote returns the body of a note. It sorts list.
func appendNote(list []removal) (body []byte) {
	slices.SortFunc(list, func(a, b removal) int { return cmp.Compare(a.revision, b.revision) })
	last := uint64(0)
	for _, r := range list {
		delta := (r.revision - last) << 1
		last = r.revision
		if r.key == (digest{}) {
			body = binary.AppendUvarint(body, delta)
		} else {
			body = append(binary.AppendUvarint(body, delta|1), r.key[:]...)
		}
	}
	return body
}

// parseNote returns the content of a note.
func parseNote(body []byte) (list []removal, err error) {
	last := uint64(0)
	for len(body) > 0 {
		delta, n := binary.Uvarint(body)
		keyed := delta&1 == 1
		if n <= 0 || delta>>1 > math.MaxInt64-last || keyed && len(body) < n+len(digest{}) {
			return nil, fmt.Errorf("note of what was removed: %d bytes at its end are no revision", len(body))
		}
		last += delta >> 1
		r := removal{revision: last}
		if keyed {
			n += copy(r.key[:], body[n:])
		}
		list, body = append(list, r), body[n:]
	}
	return list, nil
}

// note stores notes about a partition. If a server has restored what is removed, back must be true: such a removal has
// no message of its own.
func (c *Client) note(ctx context.Context, partition int, back bool, list ...removal) error {
	for part := range slices.Chunk(list, maxNoted) {
		m := nats.NewMsg(c.layout.notes(partition))
		m.Data = appendNote(part)
		if back {
			m.Header[headerBack] = []string{"1"}
		}
		if err := c.publish(ctx, m); err != nil {
			return fmt.Errorf("note of what was removed: %w", err)
		}
	}
	return nil
}

// summary states that all messages of a partition from one revision to another were removed, except the listed ones.
type summary struct {
	from, to uint64
	left     []uint64 // in order
}

func (s summary) message(subject string) *nats.Msg {
	m := nats.NewMsg(subject)
	m.Header[headerSummary] = []string{fmt.Sprint(s.from, s.to)}
	last := uint64(0)
	for _, revision := range s.left {
		m.Data = binary.AppendUvarint(m.Data, (revision-last)<<1)
		last = revision
	}
	return m
}

func (s summary) has(revision uint64) bool {
	if revision < s.from || revision > s.to {
		return false
	}
	_, left := slices.BinarySearch(s.left, revision)
	return !left
}

// removed caches what a client has read about the removals of a partition.
type removed struct {
	mutex
	server string    // the ID of the server, which changes at each start
	read   time.Time // when set was read
	set    *removedSet
}

// removedSet holds the removals of one partition. It is immutable.
type removedSet struct {
	revisions map[uint64]bool
	keys      map[digest]uint64 // the last revision that was removed
	summaries []summary
	notes     []uint64 // the messages with all this that a summary may replace
}

// has reports whether a timer, or another message if there is no key, was removed. A nil set has none.
func (s *removedSet) has(r removal) bool {
	if s == nil {
		return false
	}
	return s.revisions[r.revision] || r.key != (digest{}) && r.revision <= s.keys[r.key] ||
		slices.ContainsFunc(s.summaries, func(s summary) bool { return s.has(r.revision) })
}

func (s *removedSet) hasTimer(t Timer) bool { return s.has(t.removal()) }

func (s *removedSet) add(list ...removal) {
	for _, r := range list {
		s.revisions[r.revision] = true
		if r.key != (digest{}) {
			s.keys[r.key] = max(s.keys[r.key], r.revision)
		}
	}
}

// addNote adds the content of a note or a summary.
func (s *removedSet) addNote(m message) error {
	list, err := parseNote(m.Data())
	if err != nil {
		return err
	}
	last := uint64(0)
	if len(list) > 0 {
		last = list[len(list)-1].revision
	}
	var sum summary
	text := m.Headers().Get(headerSummary)
	if text != "" {
		if _, err := fmt.Sscan(text, &sum.from, &sum.to); err != nil {
			return fmt.Errorf("header %s is %q: %w", headerSummary, text, err)
		}
	}
	if last = max(last, sum.to); last >= m.revision() {
		return fmt.Errorf("it is about message %d: want an earlier one", last)
	}
	if text == "" {
		s.add(list...)
		return nil
	}
	for _, r := range list {
		sum.left = append(sum.left, r.revision)
	}
	s.summaries = append(s.summaries, sum)
	return nil
}

// anyAge accepts what was read at any time since the server was started: a server that runs restores nothing.
const anyAge = math.MaxInt64

// removedNow returns what was removed of a partition. It reads that again if the server was restarted, or if the
// cached set is older than age.
func (c *Client) removedNow(ctx context.Context, partition int, age time.Duration) (*removedSet, error) {
	r := &c.removed[partition]
	if err := r.lock(ctx); err != nil {
		return nil, err
	}
	defer r.unlock()
	server, start := c.nc.ConnectedServerId(), time.Now()
	if r.set != nil && r.server == server && start.Sub(r.read) <= age {
		return r.set, nil
	}
	sets, err := c.readRemoved(ctx, strconv.Itoa(partition))
	if err != nil {
		return nil, err
	}
	r.set, r.server, r.read = cmp.Or(sets[partition], &removedSet{}), server, start
	return r.set, nil
}

// readRemoved returns what was removed of one partition or, for "*", of all. The map may lack a partition without removals.
func (c *Client) readRemoved(ctx context.Context, partition string) (map[int]*removedSet, error) {
	sets := make(map[int]*removedSet)
	in := func(partition int) *removedSet {
		s := sets[partition]
		if s == nil {
			s = &removedSet{revisions: make(map[uint64]bool), keys: make(map[digest]uint64)}
			sets[partition] = s
		}
		return s
	}
	l := c.layout
	for _, part := range []struct { // notes come last: what they take over disappears
		how    jetstream.ConsumerConfig
		filter string
		read   func(*removedSet, message) error
	}{
		{headersOnly, l.firedIn(partition), func(s *removedSet, m message) error {
			if r := l.spentMessage(m); r.key != (digest{}) {
				s.keys[r.key] = r.revision // the last one of a key comes last
			}
			return nil
		}},
		{whole, l.allCancelled(partition), func(s *removedSet, m message) error {
			s.add(removal{m.revision(), digestOf(string(m.Data()))})
			return nil
		}},
		{whole, l.allNotes(partition), func(s *removedSet, m message) error {
			err := s.addNote(m)
			if err == nil && (m.Headers().Get(headerBack) == "" || c.cfg.Now().Sub(m.Timestamp) > backAge) {
				s.notes = append(s.notes, m.revision())
			}
			return err
		}},
	} {
		err := c.read(ctx, part.how, part.filter, func(m message) error {
			n, ok := l.partitionOf(m.Subject())
			err := fmt.Errorf("subject %q: want one of %d partitions", m.Subject(), l.partitions)
			if ok {
				err = part.read(in(n), m)
			}
			if err != nil {
				c.setAside("message about removals", fmt.Errorf("message %d: %w", m.revision(), err))
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("what was removed: %w", err)
		}
	}
	return sets, nil
}

const (
	compactPause = time.Minute      // between looks at the notes of a partition
	notesKept    = 512              // bytes of notes that may stay in a partition
	notesPerLeft = 24               // the same, for each message that the last summary has left
	noteSize     = 60               // the size of a note without its body, about
	backAge      = 10 * time.Minute // notes about restored messages stay for the next inventory
)

// keepNotesFew replaces the notes of the partition by a summary whenever they are large, until ctx ends.
func (p *partition) keepNotesFew(ctx context.Context) {
	for sleep(ctx, compactPause) == nil {
		p.mu.Lock()
		limit := notesKept + notesPerLeft*max(p.live, p.found)
		p.mu.Unlock()
		if err := p.compact(ctx, limit); err != nil && ctx.Err() == nil {
			p.w.cfg.Logger.Debug("replacing notes is tried again", "partition", p.number, "error", err)
		}
	}
}

// compact replaces the notes of the partition by a summary if they are larger than limit. It takes as long as reading
// the partition.
func (p *partition) compact(ctx context.Context, limit int) error {
	l, token := p.w.layout, strconv.Itoa(p.number)
	size, last := 0, uint64(0)
	err := p.w.read(ctx, headersOnly, l.notes(p.number), func(m message) error {
		if m.Headers().Get(headerSummary) == "" {
			n, _ := strconv.Atoi(m.Headers().Get(nats.MsgSize))
			size += noteSize + n
		}
		last = m.revision()
		return nil
	})
	if err != nil || size <= limit {
		return err
	}
	// A node may lag behind. It has all messages up to the last note once it has delivered that.
	var left []removal
	reached := false
	err = p.w.read(ctx, headersOnly, l.subject("p."+token+".t.*")+" "+l.firedIn(token)+" "+l.notes(p.number), func(m message) error {
		switch key, ok := l.parseTimer(m.Subject()); {
		case m.Subject() == l.notes(p.number):
			reached = reached || m.revision() >= last
		case m.revision() > last:
		case ok:
			left = append(left, removal{m.revision(), digestOf(key)})
		default:
			left = append(left, removal{revision: m.revision()})
		}
		return nil
	})
	if err == nil && !reached {
		err = errors.New("another worker is replacing them")
	}
	if err != nil {
		return err
	}
	sets, err := p.w.readRemoved(ctx, token)
	if err != nil {
		return err
	}
	set := sets[p.number]
	left = slices.DeleteFunc(left, set.has)
	for i, from := 0, uint64(0); i == 0 || i < len(left); i += maxNoted {
		sum := summary{from: from, to: last}
		for _, r := range left[i:min(i+maxNoted, len(left))] {
			sum.left = append(sum.left, r.revision)
		}
		if i+maxNoted < len(left) {
			sum.to = sum.left[maxNoted-1]
		}
		if err := p.w.publish(ctx, sum.message(l.notes(p.number))); err != nil {
			return err
		}
		from = sum.to + 1
	}
	p.mu.Lock()
	p.live = len(left)
	p.mu.Unlock()
	return inParallel(ctx, removers, set.notes, func(ctx context.Context, note uint64) error {
		if note > last {
			return nil // the summary does not have it
		}
		if err := p.w.stream.DeleteMsg(ctx, note); err != nil {
			p.w.cfg.Logger.Debug("removing a note is left to the next summary", "revision", note, "error", err)
		}
		return nil
	})
}
