package durable

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

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
