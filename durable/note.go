package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrLoss is returned by Embedded if there are fewer timers in the store than it has
// noted and than messages since then can account for: files were damaged, removed or
// replaced, or the power failed before they were on the disk. The server reads past
// what is damaged, so that it is lost for good once it has started: restore the folder
// from a copy, or go on with AcceptLoss.
var ErrLoss = errors.New("timers are missing")

// The server notes the number of timers about once a second, unless counting takes
// more than this part of the time.
const noteShare = 50

// settleTime is how long after a crash nothing is noted: what the server had removed may
// be there again, until a worker removes it once more.
const settleTime = 10 * time.Second

// note is what the streams of a store held at some time.
type note struct {
	At      time.Time
	Clean   bool // the server has been closed since
	Streams map[string]noted
}

// noted is what one stream held. Every change of a timer stores a message. So whoever
// has removed one of the timers has stored a message after Last: it is the last message
// as the note before this one found it, and what follows from messages up to there had
// happened when the timers were counted.
type noted struct {
	Timers uint64
	Last   uint64 // message

	now     uint64 // the last message when the timers were counted
	changes uint64 // at most, since the note before
}

func (s *Server) notePath() string { return filepath.Join(s.dir, "timers.json") }

func (s *Server) readNote() (n note, err error) {
	text, err := os.ReadFile(s.notePath())
	if errors.Is(err, fs.ErrNotExist) {
		return note{}, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &n)
	}
	if err != nil {
		return note{}, fmt.Errorf("what the store held cannot be read: %s: %w", s.notePath(), err)
	}
	return n, nil
}

// checkStore compares what is stored with the last note, and begins another one.
func (s *Server) checkStore() error {
	was, lost := s.readNote()
	is, err := s.count(was)
	if err != nil {
		return err
	}
	for name, n := range was.Streams {
		found := is.Streams[name]
		if found.Timers+found.changes < n.Timers {
			lost = errors.Join(lost, fmt.Errorf("stream %s: %w: %d of the %d there were at %s",
				name, ErrLoss, n.Timers-found.Timers-found.changes, n.Timers, was.At.Format(time.RFC3339)))
		}
	}
	if lost != nil && !s.acceptLoss {
		return lost
	}
	if lost != nil {
		s.log.Warn("a loss was accepted", "folder", s.dir, "error", lost)
	}
	for name, n := range is.Streams { // nothing is under way yet
		n.Last = n.now
		is.Streams[name] = n
	}
	s.note, s.settled = is, time.Now().Add(settleTime)
	if was.Clean || was.At.IsZero() || lost != nil {
		s.settled = time.Now()
		return s.writeNote()
	}
	return nil
}

// noteStore writes down what is stored, the last time before the server is closed.
func (s *Server) noteStore(clean bool) {
	is, err := s.count(note{})
	if err == nil {
		for name, n := range is.Streams {
			n.Last = s.note.Streams[name].now // 0 for one that is new
			is.Streams[name] = n
		}
		is.Clean = clean
		s.note = is
		if time.Now().After(s.settled) {
			err = s.writeNote()
		}
	}
	if err != nil {
		s.log.Warn("what the store holds is not noted", "folder", s.dir, "error", err)
	}
}

func (s *Server) writeNote() error {
	text, err := json.Marshal(s.note)
	if err != nil {
		return err
	}
	next := s.notePath() + ".next"
	f, err := os.Create(next)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(next, s.notePath())
}

// count returns what the streams of timers hold, and how much has changed since was.
func (s *Server) count(was note) (note, error) {
	nc, err := s.Connect()
	if err != nil {
		return note{}, err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return note{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	n := note{At: time.Now(), Streams: make(map[string]noted)}
	list := js.ListStreams(ctx)
	for info := range list.Info() {
		name := info.Config.Name
		if info.Config.Metadata[metadataPartitions] == "" || checkStream(info.Config, layout{name: name}) != nil {
			continue // it has no timers
		}
		stream, err := js.Stream(ctx, name)
		if err != nil {
			return note{}, err
		}
		c := &Client{stream: stream, layout: layout{name: name}}
		timers, err := c.count(ctx, c.layout.allTimers())
		if err != nil {
			return note{}, err
		}
		old, last := was.Streams[name], info.State.LastSeq
		held := noted{Timers: timers, now: last, changes: last - min(last, old.Last)}
		if timers+held.changes < old.Timers {
			removed, err := c.notedSince(ctx, old.Last)
			if err != nil {
				return note{}, err
			}
			held.changes += removed
		}
		n.Streams[name] = held
	}
	return n, list.Err()
}

// notedSince returns how many removals are in notes after a message: those of what the
// server had brought back have no message each.
func (c *Client) notedSince(ctx context.Context, last uint64) (n uint64, err error) {
	after := jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: last + 1}
	err = c.readEach(ctx, after, c.layout.notes(), func(m jetstream.Msg, _ uint64) error {
		revisions, err := parseNote(nil, m.Data())
		n += uint64(len(revisions))
		return err
	})
	return n, err
}
