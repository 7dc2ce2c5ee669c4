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

	"github.com/timerbench/timerbench/internal/atomicfile"
)

// ErrLoss is returned by Embedded if there are fewer timers in the store than it has
// noted and than messages since then can account for: files were damaged, removed or
// replaced, or the power failed before they were on the disk. The server reads past
// what is damaged, so that it is lost for good once it has started: restore the folder
// from a copy, or go on with AcceptLoss.
var ErrLoss = errors.New("timers are missing")

// The server counts the timers about once a second, unless that takes more than this part
// of the time.
const countShare = 50

// settleTime is how long after a crash no count is kept: what the server had removed may
// be there again, until a worker removes it once more.
const settleTime = 10 * time.Second

// inventory is what the streams of a store held at some time.
type inventory struct {
	At      time.Time
	Clean   bool // the server has been closed since
	Streams map[string]holding
}

// holding is what one stream held. Every change of a timer stores a message. So whoever
// has removed one of the timers has stored a message after Last: it is the last message
// as the inventory before this one found it, and what follows from messages up to there had
// happened when the timers were counted.
type holding struct {
	Timers uint64
	Last   uint64 // message

	now     uint64 // the last message when the timers were counted
	changes uint64 // at most, since the inventory before
}

func (s *Server) inventoryPath() string { return filepath.Join(s.dir, "timers.json") }

func (s *Server) readInventory() (is inventory, err error) {
	text, err := os.ReadFile(s.inventoryPath())
	if errors.Is(err, fs.ErrNotExist) {
		return is, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &is)
	}
	if err != nil {
		return inventory{}, fmt.Errorf("what the store held cannot be read: %s: %w",
			s.inventoryPath(), err)
	}
	return is, nil
}

// checkStore compares what is stored with the last inventory, and takes another one.
func (s *Server) checkStore() error {
	was, lost := s.readInventory()
	is, err := s.takeInventory(was)
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
	s.inventory, s.settled = is, time.Now().Add(settleTime)
	if was.Clean || was.At.IsZero() || lost != nil {
		s.settled = time.Now()
		return s.writeInventory()
	}
	return nil
}

// noteStore writes down what is stored. It is clean the last time before the server is closed.
func (s *Server) noteStore(clean bool) {
	is, err := s.takeInventory(inventory{})
	if err == nil {
		for name, n := range is.Streams {
			n.Last = s.inventory.Streams[name].now // 0 for one that is new
			is.Streams[name] = n
		}
		is.Clean = clean
		s.inventory = is
		if time.Now().After(s.settled) {
			err = s.writeInventory()
		}
	}
	if err != nil {
		s.log.Warn("what the store holds is not noted", "folder", s.dir, "error", err)
	}
}

func (s *Server) writeInventory() error {
	text, err := json.Marshal(s.inventory)
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(s.inventoryPath(), text)
}

// takeInventory returns what the streams of timers hold, and how much has changed since was.
func (s *Server) takeInventory(was inventory) (inventory, error) {
	nc, err := s.Connect()
	if err != nil {
		return inventory{}, err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return inventory{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	is := inventory{At: time.Now(), Streams: make(map[string]holding)}
	list := js.ListStreams(ctx)
	for info := range list.Info() {
		name := info.Config.Name
		if info.Config.Metadata[metadataPartitions] == "" ||
			checkStream(info.Config, layout{name: name}) != nil {
			continue // it has no timers
		}
		stream, err := js.Stream(ctx, name)
		if err != nil {
			return inventory{}, err
		}
		c := &Client{nc: nc, stream: stream, layout: layout{name: name}}
		if is.Streams[name], err = c.holding(ctx, info.State.LastSeq, was.Streams[name]); err != nil {
			return inventory{}, err
		}
	}
	return is, list.Err()
}

// holding returns what the stream holds up to its last message, and how much has changed
// since it held was. Removals of what the server had brought back have no message each: they
// are in notes.
func (c *Client) holding(ctx context.Context, last uint64, was holding) (h holding, err error) {
	h = holding{now: last, changes: last - min(last, was.Last)}
	if h.Timers, err = c.count(ctx, c.layout.allTimers()); err != nil ||
		h.Timers+h.changes >= was.Timers {
		return h, err
	}
	since := whole
	since.DeliverPolicy, since.OptStartSeq = jetstream.DeliverByStartSequencePolicy, was.Last+1
	err = c.read(ctx, since, c.layout.notes(), func(m message) error {
		revisions, _ := parseNote(m.Data()) // a note that nobody understands has removed nothing
		h.changes += uint64(len(revisions))
		return nil
	})
	return h, err
}
